/** Reads the options of `check`. */
import { StatusdError } from '../../engine/core/errors.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { cleanLine, cutText } from '../../engine/core/text.ts';
import { formats, type CheckFormat } from './formats.ts';
import { failLevels, type FailLevel } from './verdict.ts';

/** More sockets at once than most systems let a process open. */
const maxConcurrency = 1000;

/** The options as they were typed; undefined where they were not. */
export interface TypedOptions {
  readonly ids: readonly string[];
  readonly groups: readonly string[];
  readonly format: string | undefined;
  readonly failOn: string | undefined;
  readonly concurrency: string | undefined;
  readonly configFile: string | undefined;
  readonly isConfigOnly: boolean;
  readonly isStrict: boolean;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

export interface CheckOptions {
  readonly ids: readonly string[];
  readonly groups: readonly string[];
  readonly format: CheckFormat;
  readonly failOn: FailLevel;
  readonly concurrency: number;
  /** Null: look for it in the usual places. */
  readonly configFile: string | null;
  readonly isConfigOnly: boolean;
  /** A warning counts as an error. */
  readonly isStrict: boolean;
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

/** The options with their defaults. Throws StatusdError `usage` for a value that is none of those there are. */
export function readOptions(typed: TypedOptions): CheckOptions {
  const { ids, groups, isConfigOnly, isStrict, isQuiet, isColourRefused } = typed;
  return {
    ids,
    groups,
    format: readFormat(typed),
    failOn: typed.failOn === undefined ? 'down' : oneOf('--fail-on', typed.failOn, failLevels),
    concurrency: typed.concurrency === undefined ? 64 : readConcurrency(typed.concurrency),
    configFile: typed.configFile ?? null,
    isConfigOnly,
    isStrict,
    isQuiet,
    isColourRefused,
  };
}

function readFormat({ format: word, isJson }: TypedOptions): CheckFormat {
  const format = word === undefined ? null : oneOf('--format', word, formats);
  if (!isJson || format === 'json') return format ?? 'human';
  if (format === null) return 'json';
  throw new StatusdError('usage', `--json and --format ${format} do not go together`);
}

function oneOf<T extends string>(option: string, word: string, words: readonly T[]): T {
  const found = words.find((one) => one === word);
  if (found !== undefined) return found;
  const guess = nearest(word, words);
  throw new StatusdError('usage', `${option} must be one of ${words.join(', ')}, not '${shown(word)}'`, {
    ...(guess === null ? {} : { hint: `Did you mean ${guess}?` }),
  });
}

function readConcurrency(word: string): number {
  const count = /^\d{1,9}$/.test(word) ? Number(word) : 0;
  if (count >= 1 && count <= maxConcurrency) return count;
  throw new StatusdError('usage', `--concurrency must be from 1 to ${maxConcurrency}, not '${shown(word)}'`);
}

function shown(word: string): string {
  return cutText(cleanLine(word), 80);
}
