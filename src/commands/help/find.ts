/** Finds the command that a command line names. */
import { StatusdError } from '../../engine/core/errors.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { wordsOf } from '../words.ts';
import type { CommandPage, Manual, OptionDoc } from './page.ts';

/** What words can name: one command, several that begin with them, or nothing. */
export type FoundCommand =
  | { readonly kind: 'page'; readonly page: CommandPage; readonly rest: readonly string[] }
  | { readonly kind: 'family'; readonly words: readonly string[]; readonly pages: readonly CommandPage[] }
  | { readonly kind: 'none' };

/** The command with the most words at the front of `words`; what it leaves over are its arguments. */
export function findCommand({ pages }: Manual, words: readonly string[]): FoundCommand {
  const fitting = pages.filter((page) => page.words.every((word, index) => words[index] === word));
  const [page] = fitting.sort((a, b) => b.words.length - a.words.length);
  if (page !== undefined) return { kind: 'page', page, rest: words.slice(page.words.length) };
  const first = words[0];
  const family = pages.filter((one) => one.words[0] === first);
  if (first !== undefined && family.length > 0) return { kind: 'family', words: [first], pages: family };
  return { kind: 'none' };
}

/** Every option of every command that takes a value, so that values are not taken for words. */
function valuedOptions({ pages, globalOptions }: Manual): string[] {
  return [...globalOptions, ...pages.flatMap((page) => page.options)]
    .filter((option) => option.valueName !== null)
    .flatMap((option) => option.names);
}

/** The words of `args`, the values of options left out. */
export function commandWords(manual: Manual, args: readonly string[]): string[] {
  return wordsOf(args, valuedOptions(manual));
}

/** What follows a command's first word in the names of others. */
export function subcommandsOf({ pages }: Manual, command: string): string[] {
  return pages
    .filter(({ words }) => words.length === 2 && words[0] === command)
    .map(({ words: [, second = ''] }) => second);
}

/** The usage error for words that name no command, with the nearest one that there is. */
export function unknownCommand(manual: Manual, words: readonly string[]): StatusdError {
  const typed = words.slice(0, 2).join(' ');
  const names = manual.pages.map((page) => page.words.join(' '));
  const guess =
    nearest(typed, names) ??
    nearest(words[0] ?? '', [...names, ...names.map((name) => name.split(' ')[0] ?? '')]);
  return new StatusdError('usage', `there is no command '${cleanLine(words[0] ?? '')}'`, {
    hint: guess === null ? '`statusd --help` lists the commands.' : `Did you mean \`statusd ${guess}\`?`,
  });
}

export function optionNames(options: readonly OptionDoc[]): string[] {
  return options.flatMap((option) => option.names);
}
