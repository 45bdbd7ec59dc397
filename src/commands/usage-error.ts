/** Turns a command line that fits no command into one sentence with a suggestion. */
import type { Cli } from 'clipanion';
import { StatusdError } from '../engine/core/errors.ts';
import { nearest } from '../engine/core/nearest.ts';
import type { Context } from './context.ts';

/** The usage error for `args`: names the unknown command or option and the nearest known one. */
export function usageError(cli: Cli<Context>, args: readonly string[], cause: unknown): StatusdError {
  const paths = cli.definitions().map((definition) => definition.path.split(' ').slice(1));
  const words = args.filter((arg) => !arg.startsWith('-'));
  const path = longestPath(paths, words);
  if (path === null) {
    const word = words[0] ?? '';
    const names = [...new Set(paths.flatMap(([first]) => (first === undefined ? [] : [first])))];
    const guess = nearest(word, names);
    return new StatusdError('usage', word === '' ? 'no command given' : `unknown command '${word}'`, {
      hint: guess === null ? 'See `statusd --help` for what there is.' : `Did you mean \`statusd ${guess}\`?`,
      cause,
    });
  }
  const name = path.join(' ');
  const help = `See \`statusd ${name} --help\`.`;
  const unknown = unknownOption(cli, name, args);
  if (unknown !== null) {
    const guess = nearest(unknown.option, unknown.known);
    return new StatusdError('usage', `statusd ${name} has no option ${unknown.option}`, {
      hint: guess === null ? help : `Did you mean ${guess}? ${help}`,
      cause,
    });
  }
  return new StatusdError('usage', `statusd ${name}: ${reasonOf(cause)}`, { hint: help, cause });
}

function longestPath(paths: readonly string[][], words: readonly string[]): string[] | null {
  const fitting = paths.filter(
    (path) => path.length > 0 && path.every((word, index) => words[index] === word),
  );
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
}

function unknownOption(cli: Cli<Context>, name: string, args: readonly string[]) {
  const definition = cli.definitions().find(({ path }) => path === `statusd ${name}`);
  const known = (definition?.options ?? []).flatMap(
    (option) => option.definition.split(' ')[0]?.split(',') ?? [],
  );
  const given = args.filter((arg) => /^--?[a-zA-Z]/.test(arg)).map((arg) => arg.replace(/=.*$/s, ''));
  const option = given.find((arg) => !known.includes(arg) && !known.includes(arg.replace(/^--no-/, '--')));
  return option === undefined ? null : { option, known: [...known, '--help'] };
}

/** Clipanion's own reason, without its heading and its list of other commands. */
function reasonOf(cause: unknown): string {
  const candidates = (cause as { candidates?: { reason: string | null }[] }).candidates ?? [];
  const reason = candidates.find((candidate) => candidate.reason !== null)?.reason;
  if (reason) return lowerFirst(reason.replace(/\.$/, ''));
  const text = cause instanceof Error ? cause.message : String(cause);
  return lowerFirst((text.split('\n')[0] ?? '').replace(/^Unknown Syntax Error: /, ''));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
