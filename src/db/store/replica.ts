/** The database in memory as a state machine: the same records in the same order make the same rows everywhere. */
import type { WalRecord } from '../wal/reader.ts';
import type { Json, Operation, OperationRow, StoreSchema } from './operation.ts';
import { openSql, type Sql, type SqlMemory } from './sql.ts';

/** What a record did: what each of its operations answered, or the error that undid it. */
export type RecordOutcome = { readonly results: readonly Json[] } | { readonly error: unknown };

/** Marks the file as a statusd database (`PRAGMA application_id`): "stat". */
export const applicationId = 0x73_74_61_74;

/** How many writers are remembered: each store that was ever opened for writing is one. */
const keptWriters = 1000;

interface Writer {
  counter: number;
  /** The sequence number of its last record. */
  seen: number;
}

export class Replica {
  readonly sql: SqlMemory;
  databaseId: string;
  /** The log that follows what has been applied. */
  log: number;
  /** How many records the database has seen since it was made. */
  sequence: number;
  private writers: Map<string, Writer>;
  private readonly operations: ReadonlyMap<string, OperationRow>;
  private readonly schema: StoreSchema;

  /** Takes over a database, of an earlier version perhaps; an empty one becomes database `databaseId` at log 1. */
  constructor(sql: SqlMemory, schema: StoreSchema, databaseId: string) {
    this.sql = sql;
    this.schema = schema;
    this.operations = new Map(schema.operations.map((row) => [row.name, row]));
    this.databaseId = databaseId;
    this.log = 1;
    this.sequence = 0;
    this.writers = new Map();
    this.load(databaseId);
  }

  /** Takes over what another replica holds, which ends; `sql` stays the same object. */
  become(other: Replica): void {
    this.sql.replace(other.sql.exportPages());
    this.databaseId = other.databaseId;
    this.log = other.log;
    this.sequence = other.sequence;
    this.writers = other.writers;
    other.sql.close();
  }

  /** Becomes a database of its own: nothing was ever written to it, and its first log has yet to be made. */
  renew(databaseId: string): void {
    this.databaseId = databaseId;
    this.log = 1;
    this.writers = new Map();
  }

  /** Notes that a record is in the log; false when it was noted before. */
  note({ writer, counter }: { readonly writer: string; readonly counter: number }): boolean {
    const known = this.writers.get(writer);
    if (known !== undefined && counter <= known.counter) return false;
    this.sequence += 1;
    this.writers.set(writer, { counter, seen: this.sequence });
    return true;
  }

  /** The first name among `operations` that the schema does not have, or null. */
  unknownName(operations: readonly Operation[]): string | null {
    return operations.find(([name]) => !this.operations.has(name))?.[0] ?? null;
  }

  /** Runs operations on the database; says nothing about the log. */
  apply(kind: WalRecord['kind'], operations: readonly Operation[]): RecordOutcome {
    try {
      return { results: this.sql.transaction(() => applyInTurn(this.sql, this.operations, operations)) };
    } catch (error) {
      if (kind === 'transaction') return { error };
    }
    const results = operations.flatMap((operation) => {
      try {
        return this.sql.transaction(() => applyInTurn(this.sql, this.operations, [operation]));
      } catch {
        return [null];
      }
    });
    return { results };
  }

  /** Applies those of the records that are new, in their order; samples that follow each other as one. */
  applyRecords(records: readonly WalRecord[]): void {
    this.batch(() => {
      let waiting: Operation[] = [];
      const applyWaiting = () => {
        if (waiting.length > 0) this.apply('samples', waiting);
        waiting = [];
      };
      for (const record of records) {
        if (!this.note(record)) continue;
        if (record.kind === 'samples') {
          waiting.push(...record.operations);
          continue;
        }
        applyWaiting();
        this.apply(record.kind, record.operations);
      }
      applyWaiting();
    });
  }

  /** Several records as one SQL transaction, which is faster. */
  batch(work: () => void): void {
    this.sql.transaction(work);
  }

  /** The log went on to its next number. Writers long gone are forgotten here, at the same place everywhere. */
  nextLog(): void {
    this.log += 1;
    if (this.writers.size <= keptWriters) return;
    const recent = [...this.writers].sort(([, a], [, b]) => b.seen - a.seen).slice(0, keptWriters);
    this.writers = new Map(recent);
  }

  /**
   * The pages of the database with its place in the log. `own` is a writer whose records up to a counter are in
   * the database although the log does not have them yet.
   */
  exportPages(own: { readonly writer: string; readonly counter: number } | null): Uint8Array {
    const writers = new Map(this.writers);
    if (own !== null) {
      const counter = Math.max(own.counter, writers.get(own.writer)?.counter ?? 0);
      if (counter > 0) writers.set(own.writer, { counter, seen: this.sequence });
    }
    this.save(writers);
    return this.sql.exportPages();
  }

  private load(databaseId: string): void {
    const { sql, schema } = this;
    const version = sql.get('PRAGMA user_version', [], (row) => row.number('user_version')) ?? 0;
    sql.script(ownTables);
    const place = sql.get('SELECT database_id, log, sequence FROM store_place', [], (row) => ({
      databaseId: row.text('database_id'),
      log: row.number('log'),
      sequence: row.number('sequence'),
    }));
    this.databaseId = place?.databaseId ?? databaseId;
    this.log = place?.log ?? 1;
    this.sequence = place?.sequence ?? 0;
    const writers = sql.all(
      'SELECT writer, counter, seen FROM store_writers',
      [],
      (row): [string, Writer] => [
        row.text('writer'),
        { counter: row.number('counter'), seen: row.number('seen') },
      ],
    );
    this.writers = new Map(writers);
    if (version === schema.version) return;
    sql.transaction(() => {
      schema.migrate(sql, version);
    });
    sql.script(`PRAGMA user_version = ${schema.version}; PRAGMA application_id = ${applicationId}`);
  }

  private save(writers: ReadonlyMap<string, Writer>): void {
    const { sql } = this;
    sql.transaction(() => {
      sql.run('DELETE FROM store_place');
      sql.run('INSERT INTO store_place VALUES (?, ?, ?)', this.databaseId, this.log, this.sequence);
      sql.run('DELETE FROM store_writers');
      for (const [writer, { counter, seen }] of writers) {
        sql.run('INSERT INTO store_writers VALUES (?, ?, ?)', writer, counter, seen);
      }
    });
  }
}

/** What each operation answers. Those of one name that follow each other are applied together, where that is cheaper. */
export function applyInTurn(
  sql: Sql,
  rows: ReadonlyMap<string, OperationRow>,
  operations: readonly Operation[],
): Json[] {
  const results: Json[] = [];
  for (let at = 0; at < operations.length; ) {
    const name = operations[at]?.[0] ?? '';
    const row = rows.get(name);
    if (row === undefined) throw new Error(`there is no operation '${name}'`);
    const begin = at;
    while (operations[at]?.[0] === name) at += 1;
    const list = operations.slice(begin, at).map((operation) => operation.slice(1) as readonly Json[]);
    const answers = row.applyAll?.(sql, list) ?? list.map((args) => row.apply(sql, args));
    results.push(...answers);
  }
  return results;
}

/** A replica of the database in `pages`, or of an empty one. */
export async function openReplica(
  pages: Uint8Array | null,
  schema: StoreSchema,
  databaseId: string,
): Promise<Replica> {
  const sql = await openSql(pages ?? (await schema.blankPages?.()) ?? null);
  try {
    return new Replica(sql, schema, databaseId);
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** Kept by the store itself, whatever the schema: the place in the log, and the last record of each writer. */
const ownTables = `
  CREATE TABLE IF NOT EXISTS store_place (database_id TEXT NOT NULL, log INTEGER NOT NULL, sequence INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS store_writers (
    writer TEXT PRIMARY KEY, counter INTEGER NOT NULL, seen INTEGER NOT NULL
  ) WITHOUT ROWID;`;
