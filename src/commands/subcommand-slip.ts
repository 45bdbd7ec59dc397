/** Recognises misspelt subcommands that would be taken for a title, an id or an extra argument. */
import { StatusdError } from '../engine/core/errors.ts';
import { nearest } from '../engine/core/nearest.ts';
import { cleanLine } from '../engine/core/text.ts';

/** Words that people type for the subcommand that takes something away. */
const wordsForClear = ['rm', 'end', 'remove', 'delete', 'stop', 'unset', 'close'];

/** The names of that subcommand in the commands of statusd. */
const namesOfClear = ['clear', 'cancel', 'drop', 'remove', 'resolve'];

const wordsForList = ['list', 'ls'];

/** The one of `subcommands` that `word` was most likely meant to be, `--help`, or null. */
export function meantSubcommand(word: string, subcommands: readonly string[]): string | null {
  if (word === 'help') return '--help';
  if (word === 'ls' && subcommands.includes('list')) return 'list';
  const near = nearest(word, subcommands);
  if (near !== null || !wordsForClear.includes(word)) return near;
  return subcommands.find((name) => namesOfClear.includes(name)) ?? null;
}

/** The usage error for a word after `command` that names none of `subcommands`. */
export function unknownSubcommand(
  command: string,
  word: string,
  subcommands: readonly string[],
): StatusdError {
  const meant = meantSubcommand(word, subcommands);
  const hint = meant === null ? `It is one of: ${subcommands.join(', ')}.` : didYouMean(command, meant);
  return noSubcommand(command, word, hint);
}

/** Throws `usage` when the words after `command` look like a slip of `clear` with numbers. */
export function refuseSlipOfClear(command: string, [first = '', ...rest]: readonly string[]): void {
  const isClear = wordsForClear.includes(first) || nearest(first, ['clear']) !== null;
  if (isClear && rest.length > 0 && rest.every((word) => /^\d+(,\d+)*,?$/.test(word)))
    throw noSubcommand(command, first, didYouMean(command, `clear ${rest.join(' ')}`));
}

/** Throws `usage` for a slip of `clear` with numbers, and for one word that is a slip of `list`, `clear` or `help`. */
export function refuseSlip(command: string, typed: readonly string[]): void {
  refuseSlipOfClear(command, typed);
  const [first = '', second] = typed;
  if (second !== undefined) return;
  const meant = meantSubcommand(first, ['list', 'clear']);
  if (meant !== null) throw noSubcommand(command, first, didYouMean(command, meant));
}

/** Throws `usage` for a single word that asks a command for what it does not do, and would be taken for a title. */
export function refuseOtherUse(command: string, word: string, hint: string): void {
  if ([...wordsForList, 'show', 'clear', 'help'].includes(word)) throw noSubcommand(command, word, hint);
}

function noSubcommand(command: string, word: string, hint: string): StatusdError {
  return new StatusdError('usage', `${command} has no subcommand '${cleanLine(word)}'`, { hint });
}

function didYouMean(command: string, meant: string): string {
  return `Did you mean \`statusd ${command} ${meant}\`?`;
}
