/** Words that were meant for a subcommand, and would be taken for a title or an id. */
import { StatusdError } from '../engine/core/errors.ts';
import { nearest } from '../engine/core/nearest.ts';
import { cleanLine } from '../engine/core/text.ts';

/** Words that people type for `clear`. */
const wordsForClear = ['rm', 'end', 'remove', 'delete', 'stop', 'unset'];

/** Throws `usage` when the words after `command` look like a slip of `clear` with numbers. */
export function refuseSlipOfClear(command: string, [first = '', ...rest]: readonly string[]): void {
  const isClear = wordsForClear.includes(first) || nearest(first, ['clear']) !== null;
  if (isClear && rest.length > 0 && rest.every((word) => /^\d+(,\d+)*,?$/.test(word)))
    throw slip(command, first, `clear ${rest.join(' ')}`);
}

/** The same for a word that is nothing else than a slip of `list`, `clear` or `help`. */
export function refuseSlip(command: string, typed: readonly string[]): void {
  refuseSlipOfClear(command, typed);
  const [first = '', second] = typed;
  if (second !== undefined) return;
  if (first === 'help') throw slip(command, first, '--help');
  const meant = first === 'ls' ? 'list' : nearest(first, ['list', 'clear']);
  if (meant !== null || wordsForClear.includes(first)) throw slip(command, first, meant ?? 'clear');
}

function slip(command: string, word: string, meant: string): StatusdError {
  return new StatusdError('usage', `${command} has no subcommand '${cleanLine(word)}'`, {
    hint: `Did you mean \`statusd ${command} ${meant}\`?`,
  });
}
