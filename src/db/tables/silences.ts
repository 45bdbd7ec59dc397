/** Silences that an operator set. */
import {
  clearFields,
  clearRows,
  identityFields,
  insertNumbered,
  numberedRows,
  type RowIdentity,
} from './numbered.ts';
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, list, monitorId, orNull, sentence } from './fields.ts';
import { declareWrite } from './write.ts';

export interface SilenceRow {
  readonly id: number;
  /** Config ids; null: every monitor. */
  readonly monitors: readonly string[] | null;
  readonly untilAt: number;
  readonly reason: string | null;
  readonly createdAt: number;
}

type New = Omit<Parameters<typeof addSilence>[0], keyof RowIdentity>;

/**
 * A mute of these monitors, or of all of them (null), until an instant. Answers its id: the same one again when the
 * uid is known.
 */
export const addSilence = declareWrite(
  'silence.add',
  {
    monitors: orNull(list(monitorId, 10_000)),
    untilAt: instant,
    reason: orNull(sentence),
    createdAt: instant,
    ...identityFields,
  },
  (sql, silence) =>
    insertNumbered(sql, { ...silence, table: 'silences' }, (id) => {
      sql.run(
        'INSERT INTO silences (id, uid, monitors, until_at, reason, created_at) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        silence.uid,
        JSON.stringify(silence.monitors ?? ['*']),
        silence.untilAt,
        silence.reason,
        silence.createdAt,
      );
    }),
);

/** Ends a silence, or all of them. Answers how many. */
export const clearSilences = declareWrite('silence.clear', clearFields, (sql, row) =>
  clearRows(sql, 'silences', row),
);

/** Removes the silences that are over. Answers how many. */
export const sweepSilences = declareWrite('silence.sweep', { at: instant }, (sql, { at }) =>
  sql.run('DELETE FROM silences WHERE until_at <= ?', at),
);

export const silences = {
  ...numberedRows<New>({ table: 'silences', add: addSilence, clear: clearSilences }),

  sweep: sweepSilences,

  /** Those that last beyond an instant, the oldest first. */
  active: (sql: SqlReader, at: number): SilenceRow[] =>
    sql.all('SELECT * FROM silences WHERE until_at > ? ORDER BY id', [at], silenceOf),

  find: (sql: SqlReader, id: number): SilenceRow | null =>
    sql.get('SELECT * FROM silences WHERE id = ?', [id], silenceOf),
};

function silenceOf(row: SqlRow): SilenceRow {
  const monitors = JSON.parse(row.text('monitors')) as string[];
  return {
    id: row.number('id'),
    monitors: monitors[0] === '*' ? null : monitors,
    untilAt: row.number('until_at'),
    reason: row.textOrNull('reason'),
    createdAt: row.number('created_at'),
  };
}
