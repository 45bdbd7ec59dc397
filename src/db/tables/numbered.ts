/**
 * Rows that people address by number. The writer chooses the number and records it, so that damage to an earlier
 * record does not shift it.
 */
import type { Json, Operation } from '../store/operation.ts';
import type { Sql, SqlReader } from '../store/sql.ts';
import { oneOf, optional, orNull, uid, whole } from './fields.ts';
import { declareWrite, type Write } from './write.ts';

export interface NumberedWrite {
  /** One transaction; resolves with its answers once it is durable. */
  readonly write: (operations: readonly Operation[]) => Promise<readonly Json[]>;
  /** The number and the uid that the row is to have. */
  readonly identity: RowIdentity;
}

/**
 * Writes `operation`, which adds the row and answers its number. Another process may have been given the wanted
 * number a moment before: then the one it got is written down behind it. Rejects when the row is not durable.
 */
async function addNumbered(
  operation: Operation,
  table: NumberedTable,
  { write, identity: { id: wanted, uid } }: NumberedWrite,
): Promise<number> {
  const [answer] = await write([operation]);
  const id = Number(answer);
  // The row is durable by now; if this fails, its number is that of its position, as in earlier versions.
  if (id !== wanted) await write([fixNumber({ table, uid, id })]).catch(() => undefined);
  return id;
}

/** The tables whose rows are addressed by a number on command lines. */
const numberedTables = ['silences', 'announcements', 'incidents', 'events', 'maintenances'] as const;

export type NumberedTable = (typeof numberedTables)[number];

export const rowId = whole(1, Number.MAX_SAFE_INTEGER);

/**
 * The identity of a new row, the last field of its operation: absent in the records of earlier versions, whose
 * rows are numbered by their position.
 */
export const identityFields = {
  id: optional(orNull(rowId), null),
  uid: optional(orNull(uid), null),
} as const;

export interface RowIdentity {
  readonly id: number;
  readonly uid: string;
}

/** The number that the next row of a table gets, as far as this process sees. A number is never given twice. */
function nextNumber(sql: SqlReader, table: NumberedTable): number {
  const last = sql.get('SELECT seq FROM sqlite_sequence WHERE name = ?', [table], (row) => row.number('seq'));
  return (last ?? 0) + 1;
}

interface NumberedInsert {
  readonly table: NumberedTable;
  readonly id: number | null;
  readonly uid: string | null;
}

/**
 * Inserts a row under the number that it is to have, or under the next free one when another process that wrote at the
 * same time was given it. One whose uid is known stays as it is. Answers its number.
 */
export function insertNumbered(
  sql: Sql,
  { table, id: wanted, uid }: NumberedInsert,
  insert: (id: number) => void,
): number {
  const known =
    uid === null ? null : sql.get(`SELECT id FROM ${table} WHERE uid = ?`, [uid], (row) => row.number('id'));
  if (known !== null) return known;
  const id = Math.max(wanted ?? 0, nextNumber(sql, table));
  insert(id);
  return id;
}

/**
 * Writes down the number that a row got instead of the one it was to have. It changes nothing, unless the records
 * that took that one are lost. Answers whether the row has it now.
 */
export const fixNumber = declareWrite(
  'row.number',
  { table: oneOf(numberedTables), uid, id: rowId },
  (sql, { table, uid: row, id }) => {
    const isTaken =
      sql.get(`SELECT uid FROM ${table} WHERE id = ? AND uid IS NOT ?`, [id, row], () => true) ?? false;
    if (isTaken) return false;
    const changed = sql.run(`UPDATE ${table} SET id = ? WHERE uid = ?`, id, row);
    sql.run('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', id, table);
    return changed > 0;
  },
);

/** What a clear names: a row by its uid, one without a uid by its number, or (both null) all rows. */
export const clearFields = { id: orNull(rowId), uid: optional(orNull(uid), null) } as const;

/** Deletes the row that a clear names, or all. Answers how many. */
export function clearRows(
  sql: Sql,
  table: NumberedTable,
  row: { readonly id: number | null; readonly uid: string | null },
): number {
  if (row.uid !== null) return sql.run(`DELETE FROM ${table} WHERE uid = ?`, row.uid);
  return sql.run(`DELETE FROM ${table} WHERE id = ?1 OR ?1 IS NULL`, row.id);
}

/** What all of these tables have in common: how a row is named, and added under its number. */
export function namedRows<F>(table: NumberedTable, add: (fields: F & RowIdentity) => Operation) {
  return {
    /** Adds one; answers its number. Rejects when it is not durable. */
    create: (fields: F, numbered: NumberedWrite): Promise<number> =>
      addNumbered(add({ ...fields, ...numbered.identity }), table, numbered),

    /** What a new one is called, given a uid that nothing had before. */
    identity: (sql: SqlReader, uid: string): RowIdentity => ({ id: nextNumber(sql, table), uid }),

    /** What the row of a number is called, whatever number it has elsewhere; null: there is none, or it has no uid. */
    uidOf: (sql: SqlReader, id: number | null): string | null => (id === null ? null : uidOf(sql, table, id)),
  };
}

interface NumberedOperations<F> {
  readonly table: NumberedTable;
  readonly add: Write<F & { readonly id: number | null; readonly uid: string | null }, number>;
  readonly clear: Write<{ readonly id: number | null; readonly uid: string | null }, number>;
}

/** What silences and banners have in common besides: a row may have no identity, and is cleared by its number. */
export function numberedRows<F>({ table, add, clear }: NumberedOperations<F>) {
  return {
    ...namedRows<F>(table, add),

    /** Without an identity its number is that of its position in the log, which damage before it shifts. */
    add: Object.assign((fields: F & Partial<RowIdentity>) => add({ id: null, uid: null, ...fields }), {
      answer: add.answer,
    }),

    /** Clears one by its number (null: all): the one that has it here, whatever number it has elsewhere. */
    clear: Object.assign(
      ({ id, sql }: { readonly id: number | null; readonly sql?: SqlReader }) =>
        clear({ id, uid: id === null || sql === undefined ? null : uidOf(sql, table, id) }),
      { answer: clear.answer },
    ),
  };
}

function uidOf(sql: SqlReader, table: NumberedTable, id: number): string | null {
  return sql.get(`SELECT uid FROM ${table} WHERE id = ?`, [id], (row) => row.textOrNull('uid'));
}
