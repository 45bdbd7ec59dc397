/** Finds the command that a command line names. */
import { StatusdError } from '../../engine/core/errors.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { wordsOf } from '../words.ts';
import type { CommandPage, Manual, OptionDoc } from './page.ts';

/** The commands that words can name: one command, several that begin with them, or nothing. */
export type FoundCommand =
  | {
      readonly kind: 'page';
      readonly page: CommandPage;
      /** The words that named the command: those of the page or an alias. */
      readonly name: readonly string[];
      /** The words after the name: the arguments. */
      readonly rest: readonly string[];
    }
  | { readonly kind: 'family'; readonly words: readonly string[]; readonly pages: readonly CommandPage[] }
  | { readonly kind: 'none' };

/** The command whose name takes the most words of the front of `words`; the words after it are its arguments. */
export function findCommand({ pages }: Manual, words: readonly string[]): FoundCommand {
  const [found] = pages
    .flatMap((page) => namesOf(page).map((name) => ({ page, name })))
    .filter(({ name }) => name.every((word, index) => words[index] === word))
    .sort((a, b) => b.name.length - a.name.length);
  if (found !== undefined) return { kind: 'page', ...found, rest: words.slice(found.name.length) };
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

/** The second words of the commands that `command` begins. */
export function subcommandsOf({ pages }: Manual, command: string): string[] {
  return pages
    .flatMap(namesOf)
    .filter((name) => name.length === 2 && name[0] === command)
    .map(([, second = '']) => second);
}

/** Every name of a command: its own words first, then its aliases. */
export function namesOf({ words, aliases }: CommandPage): (readonly string[])[] {
  return [words, ...aliases];
}

/** Commands of other programs, and how to get the same here. */
const otherCommands: Readonly<Record<string, string>> = {
  status:
    '`statusd top` shows the monitors, `statusd incidents` the outages, `statusd healthcheck` asks the daemon.',
  list: '`statusd top --once` lists the monitors, `statusd incidents` the outages.',
  ls: '`statusd top --once` lists the monitors, `statusd incidents` the outages.',
  show: '`statusd top` shows the monitors, `statusd incidents show ID` an outage.',
  logs: 'The daemon logs to standard error: `journalctl -u statusd`. `statusd explain` says why an alert was sent or not.',
  log: 'The daemon logs to standard error: `journalctl -u statusd`. `statusd explain` says why an alert was sent or not.',
  start:
    '`statusd serve` runs the daemon in the foreground; a service manager starts it: `systemctl start statusd`.',
  run: '`statusd serve` runs the daemon in the foreground; a service manager starts it: `systemctl start statusd`.',
  stop: 'The service manager ends the daemon: `systemctl stop statusd`. To stop watching: `statusd remove ID`, or `statusd silence ID 1h`.',
  restart:
    'The service manager restarts the daemon: `systemctl restart statusd`. A change of the file needs no restart.',
  reload: 'The daemon reads a changed file by itself, and on SIGHUP: `systemctl reload statusd`.',
  delete: 'Did you mean `statusd remove`?',
  rm: 'Did you mean `statusd remove`?',
  config: 'The configuration is one file, statusd.toml(5). `statusd check --config-only` validates it.',
};

/** The usage error for words that name no command, with the nearest one, or with how to get what they mean. */
export function unknownCommand(manual: Manual, words: readonly string[]): StatusdError {
  const [first = ''] = words;
  const typed = words.slice(0, 2).join(' ');
  const names = manual.pages.map((page) => page.words.join(' '));
  const guess =
    nearest(typed, names) ?? nearest(first, [...names, ...names.map((name) => name.split(' ')[0] ?? '')]);
  const nearestCommand =
    guess === null ? '`statusd --help` lists the commands.' : `Did you mean \`statusd ${guess}\`?`;
  return new StatusdError('usage', `there is no command '${cleanLine(first)}'`, {
    hint: (Object.hasOwn(otherCommands, first) ? otherCommands[first] : undefined) ?? nearestCommand,
  });
}

export function optionNames(options: readonly OptionDoc[]): string[] {
  return options.flatMap((option) => option.names);
}
