/** Renames of monitors and channels: every row under the old name goes to the new one. */
import type { Sql } from '../store/sql.ts';
import { findOwner } from '../samples/owner.ts';
import { channelName, monitorId } from './fields.ts';
import { declareWrite } from './write.ts';

/** Tables with any number of rows a monitor. */
const manyByMonitor = ['decisions', 'producer_alerts', 'outbox'];

/** Tables with one row a monitor. What a removed monitor of the new name left there makes way. */
const oneByMonitor = ['alert_states', 'certificates', 'domains', 'peer_verdicts'];

/**
 * A monitor has another id: its incidents, messages, states, silences and maintenance follow. Its samples do too, unless a
 * monitor that was removed has left samples under the new id: those stay, and so do these under the old one.
 */
export const renameMonitor = declareWrite(
  'monitor.rename',
  { from: monitorId, to: monitorId },
  (sql, { from, to }) => {
    if (from === to) return null;
    if (findOwner(sql, to) === null) sql.run('UPDATE monitors SET id = ? WHERE id = ?', to, from);
    else
      sql.run(
        'UPDATE monitors SET heard_at = (SELECT heard_at FROM monitors WHERE id = ?) WHERE id = ?',
        from,
        to,
      );
    renameIncidents(sql, from, to);
    for (const table of manyByMonitor) sql.run(`UPDATE ${table} SET monitor = ? WHERE monitor = ?`, to, from);
    for (const table of oneByMonitor)
      sql.run(`UPDATE OR REPLACE ${table} SET monitor = ? WHERE monitor = ?`, to, from);
    // Deliveries about a degradation or an unstable time are filed under a name with the id of the monitor in it.
    for (const state of ['degraded', 'unstable'])
      sql.run(
        `UPDATE outbox SET incident = ?1 || substr(incident, length(?2) + 1)
         WHERE monitor = ?1 AND substr(incident, 1, length(?3)) = ?3`,
        to,
        from,
        `${from}.${state}.`,
      );
    sql.run('UPDATE OR IGNORE closed_monitors SET monitor = ? WHERE monitor = ?', to, from);
    renameInList(sql, { table: 'silences', column: 'monitors' }, { from, to });
    renameInList(sql, { table: 'maintenances', column: 'monitors' }, { from, to });
    return null;
  },
);

function renameIncidents(sql: Sql, from: string, to: string): void {
  sql.run('UPDATE OR IGNORE incidents SET monitor = ? WHERE monitor = ?', to, from);
  sql.run('UPDATE incidents SET cause = ? WHERE cause = ?', to, from);
  renameInList(sql, { table: 'incidents', column: 'impacted' }, { from, to });
  renameInList(sql, { table: 'incidents', column: 'monitors' }, { from, to });
  renameInList(sql, { table: 'events', column: 'monitors' }, { from, to });
  sql.run(
    `INSERT INTO incident_totals (monitor, count) SELECT ?1, count FROM incident_totals WHERE monitor = ?2
     ON CONFLICT (monitor) DO UPDATE SET count = count + excluded.count`,
    to,
    from,
  );
  sql.run('DELETE FROM incident_totals WHERE monitor = ?', from);
}

/** Ids in a list are JSON texts without anything that JSON escapes. */
function renameInList(
  sql: Sql,
  { table, column }: { readonly table: string; readonly column: string },
  { from, to }: { readonly from: string; readonly to: string },
): void {
  sql.run(
    `UPDATE ${table} SET ${column} = replace(${column}, ?1, ?2) WHERE instr(${column}, ?1) > 0`,
    JSON.stringify(from),
    JSON.stringify(to),
  );
}

/** A channel has another name: its messages and its health follow. What it delivered so far is counted as before. */
export const renameChannel = declareWrite(
  'channel.rename',
  { from: channelName, to: channelName },
  (sql, { from, to }) => {
    if (from === to) return null;
    sql.run('UPDATE outbox SET channel = ? WHERE channel = ?', to, from);
    sql.run('UPDATE decisions SET channel = ? WHERE channel = ?', to, from);
    sql.run('UPDATE OR REPLACE channel_health SET channel = ? WHERE channel = ?', to, from);
    sql.run('UPDATE OR REPLACE channels SET name = ?, removed_at = NULL WHERE name = ?', to, from);
    return null;
  },
);
