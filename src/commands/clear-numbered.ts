/** Clears things that commands keep by number (silences, banners), or all of them. */
import { counted } from '../engine/core/words.ts';
import type { Config } from '../engine/config/config.ts';
import type { Json, Operation } from '../db/store/operation.ts';
import type { SqlReader } from '../db/store/sql.ts';
import { StatusdError } from '../engine/core/errors.ts';
import type { Context } from './context.ts';
import { quoted, rowNumber } from '../engine/operations/arguments.ts';
import { type ExitCode, exitCodes } from './exit.ts';
import { withStore } from './open-store.ts';
import type { RunOptions } from './run-options.ts';
import { toJson } from './terminal/json.ts';

export interface ClearRun extends RunOptions {
  /** Numbers as typed, also several in one word, separated by commas. */
  readonly ids: readonly string[];
  readonly isAll: boolean;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

export interface Numbered {
  readonly noun: readonly [one: string, many: string];
  /** Said when there is nothing to clear. */
  readonly none: string;
  /** Stands before how many were cleared. */
  readonly done: string;
  /** The command that shows the numbers. */
  readonly list: string;
  /** The command itself. */
  readonly clear: string;
  /** Said when none is kept by number, of others of the kind; null: there are no others. */
  readonly others?: (config: Config) => string | null;
  readonly active: (sql: SqlReader, at: number) => readonly number[];
  /** What clears one (null: all), after what is over is swept, so that only what lasted is counted. */
  readonly operations: (id: number | null, at: number, sql: SqlReader) => readonly Operation[];
  /** Reads the count off what the last operation answered. */
  readonly answer: (result: Json | undefined) => number;
}

interface ClearedRest extends Numbered {
  /** What `others` says. */
  readonly rest: string | null;
}

/**
 * Throws `usage` when nothing is named, `not_found` when there is nothing of a number, `store_unusable` when there is no
 * database.
 */
export async function clearNumbered(run: ClearRun, context: Context, numbered: Numbered): Promise<ExitCode> {
  const typed = run.ids.flatMap((word) => word.split(',')).filter((word) => word.trim() !== '');
  if ((typed.length === 0) === !run.isAll) throw unclear(typed, numbered);
  return withStore(
    { configFile: run.configFile, access: 'change', reach: run },
    context,
    async ({ store, config, nowAt }) => {
      const { active, operations, answer } = numbered;
      const others = numbered.others?.(config) ?? null;
      const known = active(store.sql, nowAt);
      const ids = run.isAll
        ? [null]
        : [...new Set(typed.map((word) => knownNumber(word, known, { ...numbered, rest: others })))];
      let cleared = 0;
      for (const id of known.length === 0 ? [] : ids)
        cleared += answer((await store.write(operations(id, nowAt, store.sql))).at(-1));
      if (run.isJson) context.stdout.write(`${toJson({ cleared })}\n`);
      else if (!run.isQuiet) context.stdout.write(`${said(ids, cleared, { ...numbered, rest: others })}\n`);
      return exitCodes.ok;
    },
  );
}

function said(
  ids: readonly (number | null)[],
  cleared: number,
  { noun: [one, many], none, done, rest }: ClearedRest,
): string {
  if (cleared === 0) return rest === null ? none : `${none} ${rest}`;
  const [id] = ids;
  if (ids.length === 1 && typeof id === 'number') return `${done} ${one} ${id}.`;
  return `${done} ${counted(cleared, one, many)}.`;
}

function knownNumber(typed: string, known: readonly number[], numbered: ClearedRest): number {
  const id = rowNumber(typed);
  if (id === null || !known.includes(id)) throw unknown(typed, known, numbered);
  return id;
}

function unclear(typed: readonly string[], { noun: [one, many], list, clear }: Numbered): StatusdError {
  if (typed.length > 0)
    return new StatusdError(
      'usage',
      `${clear.replace(/.* /, '')} takes numbers of ${many} or --all, not both`,
      {
        hint: `Leave one of them out: \`${clear} --all\` ends every one.`,
      },
    );
  return new StatusdError('usage', `no ${one} is named`, {
    hint: `Write its number, as in \`${clear} 3\` (\`${list}\` shows them), or \`${clear} --all\`.`,
  });
}

function unknown(
  typed: string,
  known: readonly number[],
  { noun: [one, many], list, rest }: ClearedRest,
): StatusdError {
  const more = known.length > 10 ? ` and ${known.length - 10} more` : '';
  const numbers = known.slice(0, 10).join(', ') + more;
  const none = rest === null ? `There are no ${many}.` : `None was planned by hand. ${rest}`;
  return new StatusdError('not_found', `there is no ${one} ${quoted(typed)}`, {
    hint: known.length === 0 ? none : `There are: ${numbers}. See \`${list}\`.`,
  });
}
