/** Turns a command line that matches no command into one sentence with a suggestion. */
import { StatusdError } from '../engine/core/errors.ts';
import { nearest } from '../engine/core/nearest.ts';
import { cleanLine } from '../engine/core/text.ts';
import {
  commandWords,
  findCommand,
  type FoundCommand,
  optionNames,
  subcommandsOf,
  unknownCommand,
} from './help/find.ts';
import { argumentHeading, type Manual, type OptionDoc, optionHeading } from './help/page.ts';
import { meantSubcommand, unknownSubcommand } from './subcommand-slip.ts';

/** The usage error for `args`: names the unknown command, option or argument, and the nearest known one. */
export function usageError(manual: Manual, args: readonly string[], cause: unknown): StatusdError {
  const words = commandWords(manual, args);
  if (words[0] === 'version' || args[0] === '--version') return notVersion(manual, args);
  const found = findCommand(manual, words);
  switch (found.kind) {
    case 'page': {
      return subcommandError(manual, found) ?? commandError({ manual, ...found }, args, cause);
    }
    case 'family': {
      const command = found.words.join(' ');
      const known = found.pages.map(({ words: [, second = ''] }) => second);
      const [, word] = words;
      if (word !== undefined) return unknownSubcommand(command, word, known);
      return new StatusdError('usage', `${command} needs one word more`, {
        hint: `It is one of: ${known.join(', ')}.`,
        cause,
      });
    }
    case 'none':
      if (words.length > 0) return unknownCommand(manual, words);
      return noCommand(manual, args);
  }
}

/** The version was asked for with something that it has no use for. */
function notVersion({ globalOptions }: Manual, args: readonly string[]): StatusdError {
  const option = unknownOption(args, [...optionNames(globalOptions), '--version']);
  const why = option === null ? 'cannot be combined with a command' : `has no option ${cleanLine(option)}`;
  return new StatusdError('usage', `--version ${why}`, { hint: 'Run `statusd --version`.' });
}

/** A command that was found, with the words that named it and its arguments. */
type NamedCommand = Omit<Extract<FoundCommand, { kind: 'page' }>, 'kind'>;

/**
 * The error for a first word that is a slip of a subcommand, or, where the command itself has no argument, can be
 * nothing else. A command whose arguments can be any words judges them itself.
 */
export function subcommandError(
  manual: Manual,
  { page: { arguments: its }, name: [command = '', ...others], rest: [word] }: NamedCommand,
): StatusdError | null {
  const known = subcommandsOf(manual, command);
  if (word === undefined || others.length > 0) return null;
  if (known.length === 0) return null;
  if (its.some(({ isRequired, isRepeatable }) => isRequired || isRepeatable)) return null;
  if (its.length > 0 && meantSubcommand(word, known) === null) return null;
  return unknownSubcommand(command, word, known);
}

interface Attempt extends NamedCommand {
  readonly manual: Manual;
}

function noCommand({ globalOptions }: Manual, args: readonly string[]): StatusdError {
  const hint = '`statusd --help` lists the commands and options.';
  const option = unknownOption(args, [...optionNames(globalOptions), '--version']);
  if (option !== null) {
    return new StatusdError('usage', `there is no option ${cleanLine(option)} without a command`, { hint });
  }
  const last = globalOptions.find(({ names }) => names.includes(args.at(-1) ?? ''));
  if (last === undefined || last.valueName === null)
    return new StatusdError('usage', 'no command given', { hint });
  return new StatusdError('usage', `the option ${args.at(-1) ?? ''} needs a value`, {
    hint: optionHeading(last),
  });
}

function commandError(attempt: Attempt, args: readonly string[], cause: unknown): StatusdError {
  const { manual, page, rest } = attempt;
  const name = attempt.name.join(' ');
  const help = `See \`statusd ${name} --help\`.`;
  const known = optionNames([...page.options, ...manual.globalOptions]);
  const option = unknownOption(args, known);
  if (option !== null) {
    const guess = nearest(option, known);
    return new StatusdError('usage', `${name} has no option ${cleanLine(option)}`, {
      hint: guess === null ? help : `Did you mean ${guess}? ${help}`,
      cause,
    });
  }
  const options = [...page.options, ...manual.globalOptions];
  const misused = misusedOption(options, args) ?? missingOption(options, args);
  if (misused !== null) {
    const [why, cure] = misused;
    return new StatusdError('usage', `${name}${why}`, { hint: `${cure} ${help}`.trim(), cause });
  }
  const missing = page.arguments.filter(({ isRequired }) => isRequired)[rest.length];
  if (missing !== undefined) {
    const sentence = `${name} needs ${argumentHeading(missing)}`;
    return new StatusdError('usage', sentence, { hint: `${missing.text} ${help}`.trim(), cause });
  }
  const extra = page.arguments.some(({ isRepeatable }) => isRepeatable)
    ? undefined
    : rest[page.arguments.length];
  if (extra !== undefined) {
    return new StatusdError('usage', `${name} cannot use the argument '${cleanLine(extra)}'`, {
      hint: help,
      cause,
    });
  }
  return new StatusdError('usage', `${name}: ${reasonOf(cause)}`, { hint: help, cause });
}

/** The rest of the sentence after the name of the command, and the cure. */
type Misuse = readonly [why: string, cure: string];

/** An option without the value that it takes or with one that it does not take, and a word that looks like an option. */
function misusedOption(options: readonly OptionDoc[], args: readonly string[]): Misuse | null {
  const typed = typedOptions(args);
  for (const [index, arg] of typed.entries()) {
    const option = options.find(({ names }) => names.includes(arg.replace(/=.*$/s, '')));
    if (option === undefined) {
      const isValue = options.some(
        (one) => one.valueName !== null && one.names.includes(typed[index - 1] ?? ''),
      );
      if (/^-\d/.test(arg) && !isValue)
        return [` takes '${cleanLine(arg)}' for an option`, 'Put `--` before words that begin with a dash.'];
    } else if (option.valueName === null) {
      if (arg.includes('='))
        return [
          `: the option ${arg.replace(/=.*$/s, '')} takes no value`,
          `Write ${arg.replace(/=.*$/s, '')} alone.`,
        ];
    } else if (!arg.includes('=') && /^(-.|$)/s.test(typed[index + 1] ?? '')) {
      return [`: the option ${arg} needs a value`, option.text];
    }
  }
  return null;
}

function missingOption(options: readonly OptionDoc[], args: readonly string[]): Misuse | null {
  const typed = typedOptions(args).map((arg) => arg.replace(/=.*$/s, ''));
  const missing = options.find(
    ({ names, isRequired }) => isRequired && !names.some((one) => typed.includes(one)),
  );
  return missing === undefined ? null : [` needs ${optionHeading(missing)}`, missing.text];
}

/** The arguments that may be options: none after `--` is. */
function typedOptions(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

/** The first option in `args` that is not known. `--no-x` is known where the switch `--x` is. */
function unknownOption(args: readonly string[], known: readonly string[]): string | null {
  const option = typedOptions(args)
    .filter((arg) => /^--?[^-\d]/.test(arg))
    .map((arg) => arg.replace(/=.*$/s, ''))
    .find((arg) => !known.includes(arg) && !known.includes(arg.replace(/^--no-/, '--')));
  return option ?? null;
}

/** Clipanion's own reason, without its heading and its list of other commands. */
function reasonOf(cause: unknown): string {
  const candidates = (cause as { candidates?: { reason: string | null }[] }).candidates ?? [];
  const reason = candidates.find((candidate) => candidate.reason !== null)?.reason;
  const text = reason ?? (cause instanceof Error ? cause.message : String(cause));
  const sentence = cleanLine(text.split('\n')[0] ?? '')
    .replace(/^Unknown Syntax Error: /, '')
    .replace(/^Not enough arguments to option (\S+?)\.?$/, 'the option $1 needs a value')
    .replace(/\.$/, '');
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
