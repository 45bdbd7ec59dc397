/** The state of each monitor's alerting, as the code that confirms keeps it. */
import { saveAlertState } from './mutations/alerts.ts';
import type { Json } from '../store/operation.ts';
import type { SqlReader } from '../store/sql.ts';

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

  find: (sql: SqlReader, monitor: string): Json =>
    sql.get(
      'SELECT state FROM alert_states WHERE monitor = ?',
      [monitor],
      (row) => JSON.parse(row.text('state')) as Json,
    ),
};
