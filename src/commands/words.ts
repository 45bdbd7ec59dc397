/** Splits command lines into words, and quotes words for a shell. */
import { cleanLine } from '../engine/core/text.ts';

/**
 * The arguments that are neither options nor values of the options in `valued`. After `--` everything is a
 * word. `--option=value` is one argument.
 */
export function wordsOf(args: readonly string[], valued: readonly string[]): string[] {
  const words: string[] = [];
  let isValue = false;
  let isEnded = false;
  for (const arg of args) {
    if (isEnded) words.push(arg);
    else if (isValue) isValue = false;
    else if (arg === '--') isEnded = true;
    else if (arg === '-' || !arg.startsWith('-')) words.push(arg);
    else isValue = valued.includes(arg);
  }
  return words;
}

/** A text, such as a path, as one printable word of a POSIX shell. */
export function shellWord(text: string): string {
  const word = cleanLine(text);
  return /^[A-Za-z0-9_./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
