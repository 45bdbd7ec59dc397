/** Clears one of the things that commands keep by number (silences, banners), or all of them. */
import { counted } from '../engine/core/words.ts';
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
  /** As typed; null: all. */
  readonly id: string | null;
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
  readonly active: (sql: SqlReader, at: number) => readonly number[];
  /** What clears one (null: all), after what is over is swept, so that only what lasted is counted. */
  readonly operations: (id: number | null, at: number, sql: SqlReader) => readonly Operation[];
  /** Reads the count off what the last operation answered. */
  readonly answer: (result: Json | undefined) => number;
}

/** Throws `not_found` when there is nothing of that number, `store_unusable` when there is no database. */
export function clearNumbered(run: ClearRun, context: Context, numbered: Numbered): Promise<ExitCode> {
  return withStore(
    { configFile: run.configFile, access: 'change', reach: run },
    context,
    async ({ store, nowAt }) => {
      const { noun, active, operations, answer } = numbered;
      const known = active(store.sql, nowAt);
      const id = run.id === null ? null : rowNumber(run.id);
      if (run.id !== null && (id === null || !known.includes(id))) throw unknown(run.id, known, numbered);
      const results = known.length === 0 ? [] : await store.write(operations(id, nowAt, store.sql));
      const cleared = results.length === 0 ? 0 : answer(results.at(-1));
      if (run.isJson) context.stdout.write(`${toJson({ cleared })}\n`);
      else if (!run.isQuiet) context.stdout.write(`${said(id, cleared, { ...numbered, noun })}\n`);
      return exitCodes.ok;
    },
  );
}

function said(id: number | null, cleared: number, { noun: [one, many], none, done }: Numbered): string {
  if (cleared === 0) return none;
  if (id !== null) return `${done} ${one} ${id}.`;
  return `${done} ${counted(cleared, one, many)}.`;
}

function unknown(
  typed: string,
  known: readonly number[],
  { noun: [one, many], list }: Numbered,
): StatusdError {
  const numbers = known.slice(0, 10).join(', ');
  return new StatusdError('not_found', `there is no ${one} ${quoted(typed)}`, {
    hint: known.length === 0 ? `There are no ${many}.` : `There are: ${numbers}. See \`${list}\`.`,
  });
}
