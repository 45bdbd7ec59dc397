/** Numbers that people type: chosen by the writer and written down, so that no damage before a record shifts them. */
import type { SqlReader } from '../../store/sql.ts';
import { oneOf, optional, orNull, whole } from './fields.ts';
import { uid } from './names.ts';
import { declareWrite } from './write.ts';

/** The tables whose rows are addressed by a number on command lines. */
const numberedTables = ['silences', 'announcements'] as const;

export type NumberedTable = (typeof numberedTables)[number];

export const rowId = whole(1, Number.MAX_SAFE_INTEGER);

/**
 * The identity of a new row, which stands last in its operation: absent in the records of earlier versions, whose
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
export function nextNumber(sql: SqlReader, table: NumberedTable): number {
  const last = sql.get('SELECT seq FROM sqlite_sequence WHERE name = ?', [table], (row) => row.number('seq'));
  return (last ?? 0) + 1;
}

/**
 * The number of a row that is to be `wanted`: that one, or the next free one when another process that wrote at the
 * same time was given it.
 */
export function numberFor(sql: SqlReader, table: NumberedTable, wanted: number | null): number {
  return Math.max(wanted ?? 0, nextNumber(sql, table));
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
