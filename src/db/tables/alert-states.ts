/** The alerting state of each monitor, as the confirmation of outages stores it. */
import type { Json } from '../store/operation.ts';
import type { SqlReader } from '../store/sql.ts';
import { document, instant, monitorId } from './fields.ts';
import { declareWrite } from './write.ts';

/** Keeps the state of a monitor's alerting, which only its owner understands. */
export const saveAlertState = declareWrite(
  'alert.state',
  { monitor: monitorId, state: document, at: instant },
  (sql, { monitor, state, at }) => {
    sql.run(
      'INSERT OR REPLACE INTO alert_states (monitor, state, saved_at) VALUES (?, ?, ?)',
      monitor,
      JSON.stringify(state),
      at,
    );
    return null;
  },
);

export const alertStates = {
  save: saveAlertState,

  /** The state of every monitor that has one, by config id. */
  list: (sql: SqlReader): Map<string, Json> =>
    new Map(
      sql.all('SELECT monitor, state FROM alert_states ORDER BY monitor', [], (row) => [
        row.text('monitor'),
        JSON.parse(row.text('state')) as Json,
      ]),
    ),

  /** The states of the monitors that are unstable. */
  listUnstable: (sql: SqlReader): Map<string, Json> =>
    new Map(
      sql.all(
        // Ten times as fast over thousands of rows as to parse them.
        `SELECT monitor, state FROM alert_states WHERE instr(state, '"unstable":{') > 0 ORDER BY monitor`,
        [],
        (row) => [row.text('monitor'), JSON.parse(row.text('state')) as Json],
      ),
    ),

  find: (sql: SqlReader, monitor: string): Json =>
    sql.get(
      'SELECT state FROM alert_states WHERE monitor = ?',
      [monitor],
      (row) => JSON.parse(row.text('state')) as Json,
    ),
};
