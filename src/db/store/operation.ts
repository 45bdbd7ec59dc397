/** The operations that a record of the log holds. */
import type { Sql, SqlReader } from './sql.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One change: the name of a row of the schema's operations, then explicit values (instants, texts, numbers). */
export type Operation = readonly [name: string, ...args: readonly Json[]];

/**
 * What an operation does to a database. `apply` must be a pure function of the database and `args`: no clock,
 * no random number, no fact of the machine, because every process replays the same log. It allocates the ids of
 * new rows itself. What it throws undoes its whole transaction, the same way everywhere.
 *
 * A name keeps its meaning for ever: a later version replays the logs of an earlier one over its own schema.
 */
export interface OperationRow {
  readonly name: string;
  /** What the arguments are called, in their order; absent: nobody needs to know. */
  readonly fields?: readonly string[];
  readonly apply: (sql: Sql, args: readonly Json[]) => Json;
  /** Does what `apply` does for each of the arguments in their order, to the byte; absent: nothing is won by it. */
  readonly applyAll?: (sql: Sql, list: readonly (readonly Json[])[]) => readonly Json[];
}

export interface StoreSchema {
  /** Counts up when tables or operations change; stored as the file's `user_version`. */
  readonly version: number;
  readonly operations: readonly OperationRow[];
  /** Brings a database of version `from` (0: an empty one) to `version`, deterministically, inside a transaction. */
  readonly migrate: (sql: Sql, from: number) => void;
  /** The operations that keep in the database which changes are lost, in sentences; absent: that is not kept. */
  readonly keepLosses?: (sql: SqlReader, messages: readonly string[], at: number) => readonly Operation[];
  /** What `migrate` makes of an empty database, ready to be opened; absent or null: `migrate` makes it. */
  readonly blankPages?: () => Promise<Uint8Array | null>;
}
