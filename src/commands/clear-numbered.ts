/** Clears things that commands keep by number (silences, banners), or all of them. */
import { counted, inWords } from '../engine/core/words.ts';
import type { Config } from '../engine/config/config.ts';
import type { Json, Operation } from '../db/store/operation.ts';
import type { SqlReader } from '../db/store/sql.ts';
import { StatusdError } from '../engine/core/errors.ts';
import type { Context } from './context.ts';
import { quoted, rowNumber } from '../engine/operations/arguments.ts';
import { type ExitCode, exitCodes } from './exit.ts';
import { withStore } from './open-store.ts';
import type { RunOptions } from './run-options.ts';
import { canAsk, isYes } from './terminal/ask.ts';
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
  /** Asks whether all are to be cleared. */
  readonly verb: 'End' | 'Take down' | 'Cancel';
  /** Where nothing is named and nobody can be asked, several are cleared; otherwise they are left alone. */
  readonly isAllWithoutAsking: boolean;
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
 * Clears what is named; all of it with `--all` and where nothing is named, then only after a question where several things
 * would go and somebody sits at the terminal. Throws `usage` for both or an empty name, `not_found` when there is nothing
 * of a number, `store_unusable` when there is no database.
 */
export async function clearNumbered(run: ClearRun, context: Context, numbered: Numbered): Promise<ExitCode> {
  const typed = run.ids.flatMap((word) => word.split(',')).filter((word) => word.trim() !== '');
  if (run.isAll && typed.length > 0) throw both(numbered);
  if (run.ids.length > 0 && typed.length === 0) throw emptyName(numbered);
  return withStore(
    { configFile: run.configFile, access: 'change', reach: run },
    context,
    async ({ store, config, nowAt }) => {
      const { active, operations, answer } = numbered;
      const others = numbered.others?.(config) ?? null;
      const known = active(store.sql, nowAt);
      if (typed.length === 0 && !run.isAll && !(await isAllMeant(known, run, { context, numbered }))) {
        context.stdout.write('Nothing was changed.\n');
        return exitCodes.ok;
      }
      const ids =
        typed.length === 0
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

/** Whether all are meant where nothing is named. Throws `usage` where that has to be said, and nobody can be asked. */
async function isAllMeant(
  known: readonly number[],
  { isJson, isQuiet }: RunOptions,
  { context, numbered }: { readonly context: Context; readonly numbered: Numbered },
): Promise<boolean> {
  if (known.length < 2) return true;
  const isAsked = canAsk(context) && !isJson && !isQuiet && (context.env.CI ?? '') === '';
  if (!isAsked) {
    if (numbered.isAllWithoutAsking) return true;
    throw unclear(numbered);
  }
  const { noun, verb } = numbered;
  const numbers = inWords(known.map(String), 10);
  return isYes(`${verb} all ${known.length} ${noun[1]} (${numbers})?`, context, { default: false });
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

function both({ noun: [, many], clear }: Numbered): StatusdError {
  const word = clear.replace(/.* /, '');
  return new StatusdError('usage', `${word} takes numbers of ${many} or --all, not both`, {
    hint: `Leave one of them out: \`${clear} --all\` ends every one.`,
  });
}

function emptyName({ noun: [one], clear }: Numbered): StatusdError {
  return new StatusdError('usage', `the number of the ${one} is empty`, {
    hint: `Is a variable not set? \`${clear} --all\` ends every one.`,
  });
}

function unclear({ noun: [one], list, clear }: Numbered): StatusdError {
  return new StatusdError('usage', `no ${one} is named, and there are several`, {
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
