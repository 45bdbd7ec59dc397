/** Mutes that an operator set. */
import { addSilence, clearSilences, sweepSilences } from '../ops/operator.ts';
import type { Row, SqlReader } from '../sql.ts';

export interface SilenceRow {
  readonly id: number;
  /** Config ids; null: every monitor. */
  readonly monitors: readonly string[] | null;
  readonly untilAt: number;
  readonly reason: string | null;
  readonly createdAt: number;
}

export const silences = {
  add: addSilence,
  clear: clearSilences,
  sweep: sweepSilences,

  /** Those that last beyond an instant, the oldest first. */
  active: (sql: SqlReader, at: number): SilenceRow[] =>
    sql.all('SELECT * FROM silences WHERE until_at > ? ORDER BY id', [at], silenceOf),

  find: (sql: SqlReader, id: number): SilenceRow | null =>
    sql.get('SELECT * FROM silences WHERE id = ?', [id], silenceOf),
};

function silenceOf(row: Row): SilenceRow {
  const monitors = JSON.parse(row.text('monitors')) as string[];
  return {
    id: row.number('id'),
    monitors: monitors[0] === '*' ? null : monitors,
    untilAt: row.number('until_at'),
    reason: row.textOrNull('reason'),
    createdAt: row.number('created_at'),
  };
}
