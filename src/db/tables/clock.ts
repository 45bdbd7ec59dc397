/**
 * The clock of the store: how far it is trusted, what was written while it was ahead, and how a step moves all of it.
 */
import { aNumber, fieldsOf, readAs } from '../../engine/core/decode.ts';
import { meta, setMeta } from './meta.ts';
import type { Json } from '../store/operation.ts';
import { unpackRollups } from '../samples/kept-rollups.ts';
import { hourOf } from '../samples/slots.ts';
import type { Sql, SqlColumn, SqlReader, SqlRow } from '../store/sql.ts';
import { recentChangeMs } from '../../engine/core/record.ts';
import {
  type ClockShift,
  type Move,
  moveAhead,
  moveInstants,
  movePast,
} from '../../engine/core/clock-shift.ts';
import { maxSecs } from '../samples/sample.ts';
import { instant, whole } from './fields.ts';
import { declareWrite } from './write.ts';

/**
 * The clock was set by `byMs` and says `at` now. With `byMs` 0 it only moves what was written down under a clock
 * that was ahead. What is over (closed incidents, samples, decisions) stays as it was recorded.
 */
export const shiftClock = declareWrite(
  'clock.shift',
  { byMs: whole(-(2 ** 52), 2 ** 52), sinceAt: instant, at: instant },
  (sql, shift) => {
    const past = movePast(shift);
    moveDeliveries(sql, shift);
    moveColumns(sql, past, {
      table: 'incidents',
      key: 'id',
      columns: ['started_at', 'confirmed_at', 'acknowledged_at', 'latest_at'],
      where: 'ended_at IS NULL',
    });
    // The ten minutes in which the next incident carries the acknowledgement on count from it.
    moveColumns(sql, past, {
      table: 'incidents',
      key: 'id',
      columns: ['ack_ended_at'],
      where: 'ack_ended_at IS NOT NULL',
    });
    moveColumns(sql, past, {
      table: 'incident_updates',
      key: 'id',
      columns: ['at'],
      where: 'incident IN (SELECT uid FROM incidents WHERE ended_at IS NULL)',
    });
    // A marker is a fact of the past once no alert can begin within half an hour of it.
    const recentFrom = Math.max(0, Math.trunc(shift.at - shift.byMs - recentChangeMs));
    moveColumns(sql, past, { table: 'events', key: 'id', columns: ['at'], where: `at >= ${recentFrom}` });
    moveColumns(sql, past, {
      table: 'channel_health',
      key: 'channel',
      columns: ['failing_since_at', 'told_at', 'last_ok_at', 'last_failed_at'],
    });
    moveColumns(sql, past, {
      table: 'subscribers',
      key: 'id',
      columns: ['requested_at', 'asked_at', 'confirmed_at'],
    });
    moveColumns(sql, past, {
      table: 'broadcasts',
      key: 'id',
      columns: ['created_at'],
      where: 'finished_at IS NULL',
    });
    moveColumns(sql, past, { table: 'monitors', key: 'key', columns: ['first_seen_at', 'heard_at'] });
    moveMutes(sql, shift);
    moveAlertWindows(sql, shift);
    moveStates(sql, past);
    moveNetwork(sql, past);
    movePeers(sql, past);
    const before = hourOf(shift.at / 1000);
    unpackRollups(sql, before, null);
    sql.run('UPDATE monitors SET pruned_before = min(pruned_before, ?)', before);
    return null;
  },
);

/** Samples of hours before these were pruned under a clock that was ahead: from now on they are taken in again. */
export const unprune = declareWrite(
  'samples.unprune',
  { before: whole(0, hourOf(maxSecs)) },
  (sql, { before }) => {
    unpackRollups(sql, before, null);
    return sql.run('UPDATE monitors SET pruned_before = ?1 WHERE pruned_before > ?1', before);
  },
);

/**
 * Waiting deliveries, and finished ones of open incidents: their windows still decide what belongs to them, and reminders
 * and escalations count from when they were sent.
 */
function moveDeliveries(sql: Sql, shift: ClockShift): void {
  const past = movePast(shift);
  const rows = sql.all(
    `SELECT id, payload, created_at, next_at, finished_at FROM outbox
     WHERE state = 'waiting' OR incident IN (SELECT uid FROM incidents WHERE ended_at IS NULL)`,
    [],
    (row) => ({
      id: row.number('id'),
      payload: JSON.parse(row.text('payload')) as unknown,
      createdAt: row.number('created_at'),
      nextAt: row.number('next_at'),
      finishedAt: row.numberOrNull('finished_at'),
    }),
  );
  for (const { id, payload, createdAt, nextAt, finishedAt } of rows) {
    const ahead = moveAhead(shift, createdAt);
    sql.run(
      'UPDATE outbox SET payload = ?, created_at = ?, next_at = ?, finished_at = ? WHERE id = ?',
      JSON.stringify(moveInstants(payload, { past, ahead })),
      past(createdAt),
      ahead(nextAt),
      finishedAt === null ? null : past(finishedAt),
      id,
    );
  }
}

function moveMutes(sql: Sql, shift: ClockShift): void {
  for (const table of ['silences', 'announcements'] as const) {
    const rows = sql.all(`SELECT id, created_at, until_at FROM ${table}`, [], (row) => ({
      id: row.number('id'),
      createdAt: row.number('created_at'),
      untilAt: row.numberOrNull('until_at'),
    }));
    for (const { id, createdAt, untilAt } of rows) {
      const moved = movePast(shift)(createdAt);
      sql.run(
        `UPDATE ${table} SET created_at = ?, until_at = ? WHERE id = ?`,
        moved,
        untilAt === null ? null : Math.max(0, untilAt + moved - createdAt),
        id,
      );
    }
  }
}

/** Windows that were open when the clock was set: repeats fall into them as they would have. */
function moveAlertWindows(sql: Sql, shift: ClockShift): void {
  const rows = sql.all(
    'SELECT id, at, window_ends_at FROM producer_alerts WHERE dedup_key IS NOT NULL AND window_ends_at > ?',
    [Math.max(0, Math.min(shift.at, shift.at - shift.byMs))],
    (row) => ({ id: row.number('id'), at: row.number('at'), endsAt: row.number('window_ends_at') }),
  );
  for (const { id, at, endsAt } of rows) {
    const moved = movePast(shift)(at);
    sql.run(
      'UPDATE producer_alerts SET at = ?, window_ends_at = ? WHERE id = ?',
      moved,
      Math.max(0, endsAt + moved - at),
      id,
    );
  }
}

/** A degradation, or an unstable time, is filed under its beginning: its deliveries move with it. */
function moveStates(sql: Sql, past: Move): void {
  for (const { monitor, state, savedAt } of sql.all('SELECT * FROM alert_states', [], stateOf)) {
    for (const [key, word] of [
      ['degradation', 'degraded'],
      ['unstable', 'unstable'],
    ] as const) {
      const startedAt = instantIn(fieldsOf(state)[key], 'startedAt');
      if (startedAt === null) continue;
      const name = (at: number) => `${monitor}.${word}.${at}`;
      sql.run('UPDATE outbox SET incident = ? WHERE incident = ?', name(past(startedAt)), name(startedAt));
    }
    sql.run(
      'UPDATE alert_states SET state = ?, saved_at = ? WHERE monitor = ?',
      JSON.stringify(moveInstants(state, { past, ahead: past })),
      past(savedAt),
      monitor,
    );
  }
}

function stateOf(row: SqlRow) {
  return {
    monitor: row.text('monitor'),
    state: JSON.parse(row.text('state')) as unknown,
    savedAt: row.number('saved_at'),
  };
}

/** What this node thinks of its own network; its messages are filed under the beginning too. */
function moveNetwork(sql: Sql, past: Move): void {
  const network = sql.get(
    "SELECT value FROM meta WHERE name = 'network'",
    [],
    (row) => JSON.parse(row.text('value')) as unknown,
  );
  if (network === null) return;
  const moved = JSON.stringify(moveInstants(network, { past, ahead: past }));
  sql.run("UPDATE meta SET value = ? WHERE name = 'network'", moved);
  const sinceAt = instantIn(network, 'sinceAt');
  if (sinceAt === null) return;
  const name = (at: number) => `node.blind.${at}`;
  sql.run('UPDATE outbox SET incident = ? WHERE incident = ?', name(past(sinceAt)), name(sinceAt));
}

/** The trouble of a peer is named by its beginning, in the ids of its deliveries. */
function movePeers(sql: Sql, past: Move): void {
  const rows = sql.all('SELECT id, heard_at, state FROM peers', [], (row) => ({
    id: row.text('id'),
    heardAt: row.number('heard_at'),
    state: JSON.parse(row.text('state')) as unknown,
  }));
  for (const { id, heardAt, state } of rows) {
    const troubleAt = instantIn(state, 'troubleAt');
    if (troubleAt !== null)
      for (const event of ['peer_down', 'peer_link_degraded']) {
        const before = `${id}.${event}.${troubleAt}.`;
        sql.run(
          `UPDATE OR IGNORE outbox SET delivery_id = ?1 || substr(delivery_id, length(?2) + 1)
           WHERE monitor = ?3 AND event = ?4 AND substr(delivery_id, 1, length(?2)) = ?2`,
          `${id}.${event}.${past(troubleAt)}.`,
          before,
          id,
          event,
        );
      }
    sql.run(
      'UPDATE peers SET heard_at = ?, state = ? WHERE id = ?',
      past(heardAt),
      JSON.stringify(moveInstants(state, { past, ahead: past })),
      id,
    );
  }
}

interface Moved {
  readonly table:
    | 'incidents'
    | 'incident_updates'
    | 'events'
    | 'channel_health'
    | 'monitors'
    | 'subscribers'
    | 'broadcasts';
  readonly key: 'id' | 'channel' | 'key';
  readonly columns: readonly string[];
  readonly where?: string;
}

function moveColumns(sql: Sql, past: Move, { table, key, columns, where = 'TRUE' }: Moved): void {
  const query = `SELECT CAST(${key} AS TEXT) AS row_key, ${columns.join(', ')} FROM ${table} WHERE ${where}`;
  const rows = sql.all(query, [], (row) => ({
    key: row.text('row_key'),
    instants: columns.map((column) => row.numberOrNull(column)),
  }));
  const setting = columns.map((column) => `${column} = ?`).join(', ');
  for (const each of rows) {
    const moved: SqlColumn[] = each.instants.map((at) => (at === null ? null : past(at)));
    sql.run(`UPDATE ${table} SET ${setting} WHERE ${key} = ?`, ...moved, each.key);
  }
}

function instantIn(document: unknown, name: string): number | null {
  return readAs(fieldsOf(document)[name], aNumber);
}

const name = 'clock';

export const clockRecord = {
  shift: shiftClock,

  save: (record: Json) => setMeta({ name, value: record }),

  read: (sql: SqlReader): Json => meta.get(sql, name),

  /** Whether anything that is open or waits was written down later than `at`, or no sample would be taken in at `at`. */
  isAnyAhead: (sql: SqlReader, at: number): boolean =>
    sql.get(
      `SELECT 1 AS ahead WHERE
         EXISTS (SELECT 1 FROM incidents WHERE ended_at IS NULL AND max(started_at, confirmed_at) > ?1)
         OR EXISTS (SELECT 1 FROM incident_updates
           WHERE at > ?1 AND incident IN (SELECT uid FROM incidents WHERE ended_at IS NULL))
         OR EXISTS (SELECT 1 FROM outbox WHERE state = 'waiting' AND created_at > ?1)
         OR EXISTS (SELECT 1 FROM silences WHERE created_at > ?1)
         OR EXISTS (SELECT 1 FROM announcements WHERE created_at > ?1)
         OR EXISTS (SELECT 1 FROM subscribers WHERE requested_at > ?1)
         OR EXISTS (SELECT 1 FROM broadcasts WHERE finished_at IS NULL AND created_at > ?1)
         OR EXISTS (SELECT 1 FROM alert_states WHERE saved_at > ?1)
         OR EXISTS (SELECT 1 FROM peers WHERE heard_at > ?1)
         OR EXISTS (SELECT 1 FROM monitors WHERE pruned_before > ?2 OR heard_at > ?1)`,
      [at, hourOf(at / 1000)],
      () => true,
    ) === true,
};
