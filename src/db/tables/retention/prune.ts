/** Deletes rows that are too old, in small steps. */
import { findOwner, hoursEnd, type SampleOwner } from '../../samples/owner.ts';
import { unpackRollups } from '../../samples/kept-rollups.ts';
import { addRollup, oldestBucket, readRollup, writeRollup } from '../../samples/rollups.ts';
import { maxSecs, statusCodes, type StoredSample } from '../../samples/sample.ts';
import { dayOfHour, firstSlotOf, hourOf, hourSecs, slotOf } from '../../samples/slots.ts';
import { sampleBefore } from '../../samples/stored.ts';
import { addTally, emptyTally, HourlyTallies } from '../../samples/tally.ts';
import type { Sql } from '../../store/sql.ts';
import { instant, monitorId, oneOf, whole } from '../fields.ts';
import { declareWrite } from '../write.ts';

const hour = whole(0, hourOf(maxSecs));

/** Lets go of the packed samples of a monitor before an hour, and of what was remarked on them. */
export const pruneSamples = declareWrite(
  'samples.prune',
  { monitor: monitorId, before: hour },
  (sql, { monitor, before }) => {
    const owner = findOwner(sql, monitor);
    if (owner === null) return null;
    const end = Math.min(before, owner.packedBefore);
    const from = Math.max(owner.oldestHour, owner.prunedBefore, oldestBucket(sql, 'packed_hours') ?? end);
    for (let each = from; each < Math.min(end, hoursEnd(owner)); each++) {
      sql.run('DELETE FROM packed_hours WHERE slot = ?', slotOf(each, owner.key));
    }
    sql.run('DELETE FROM remarks WHERE monitor = ? AND secs < ?', owner.key, end * hourSecs);
    sql.run('UPDATE monitors SET pruned_before = max(pruned_before, ?) WHERE key = ?', end, owner.key);
    return null;
  },
);

/**
 * Lets go of what a clock that was ahead left in the hours from `from` on, so that samples are taken in order again:
 * samples, rollups, remarks. Hours before `from` count as packed if they did.
 */
export const pruneAhead = declareWrite(
  'samples.ahead',
  { monitor: monitorId, from: hour },
  (sql, { monitor, from }) => {
    const owner = findOwner(sql, monitor);
    if (owner === null) return null;
    const fromSecs = from * hourSecs;
    unpackRollups(sql, from, owner.key);
    sql.run('DELETE FROM samples WHERE monitor = ? AND secs >= ?', owner.key, fromSecs);
    sql.run('DELETE FROM remarks WHERE monitor = ? AND secs >= ?', owner.key, fromSecs);
    for (const [table, bucket] of [
      ['packed_hours', from],
      ['hourly', from],
      ['daily', Math.ceil(from / 24)],
    ] as const)
      sql.run(
        `DELETE FROM ${table} WHERE slot >= ? AND slot % ? = ?`,
        firstSlotOf(bucket),
        firstSlotOf(1),
        owner.key,
      );
    const tail = sampleBefore(sql, owner, fromSecs - 1);
    if (tail !== null) takeBackCredit(sql, owner, { tail, from });
    if (owner.packedBefore > from) addUpDay(sql, owner.key, from);
    sql.run(
      `UPDATE monitors SET tail_secs = ?, tail_status = ?, tail_hold_secs = ?, packed_before = min(packed_before, ?),
         pruned_before = min(pruned_before, ?), rewrites = rewrites + 1 WHERE key = ?`,
      tail === null ? null : tail.at / 1000,
      tail === null ? null : statusCodes[tail.status],
      tail === null ? null : tail.holdSecs,
      from,
      from,
      owner.key,
    );
    return null;
  },
);

/** The last sample that stays counts up to now again: what it was credited before the hour `from` is taken back. */
function takeBackCredit(
  sql: Sql,
  { key, tail: last, packedBefore }: SampleOwner,
  { tail, from }: { readonly tail: StoredSample; readonly from: number },
): void {
  const toAt = from * hourSecs * 1000;
  if (last === null || last.at < toAt) return;
  const tallies = new HourlyTallies();
  tallies.credit([tail, { ...tail, at: toAt }], -1);
  for (const [hour, tally] of tallies.hours) {
    addRollup(sql, 'hourly', { slot: slotOf(hour, key), tally });
    if (hour < packedBefore) addRollup(sql, 'daily', { slot: slotOf(dayOfHour(hour), key), tally });
  }
}

/** The daily rollup of the day of an hour is that of the hours before it. */
function addUpDay(sql: Sql, key: number, before: number): void {
  const day = dayOfHour(before);
  if (before === day * 24) return;
  const sum = emptyTally();
  for (let hour = day * 24; hour < before; hour++) {
    const tally = readRollup(sql, 'hourly', slotOf(hour, key));
    if (tally !== null) addTally(sum, tally);
  }
  writeRollup(sql, 'daily', { slot: slotOf(day, key), tally: sum });
}

/** Lets go of the rollups of all monitors before an hour, a day, or a week. */
export const pruneRollups = declareWrite(
  'rollups.prune',
  {
    table: oneOf([
      'hourly',
      'daily',
      'hourly_days',
      'hourly_weeks',
      'daily_weeks',
      'latency_weeks',
      'maintained_days',
    ]),
    before: hour,
  },
  (sql, { table, before }) => sql.run(`DELETE FROM ${table} WHERE slot < ?`, firstSlotOf(before)),
);

/** What is pruned by age: the table, and the column of the instant it counts from. Open incidents have none. */
const agedTables = {
  incidents: 'ended_at',
  decisions: 'at',
  producer_alerts: 'at',
  outbox: 'finished_at',
  events: 'at',
  maintenances: 'end_at',
} as const;

export type AgedTable = keyof typeof agedTables;

/** The column that the age of a table's rows counts from. */
export function ageColumn(table: AgedTable): string {
  return agedTables[table];
}

/** Rows about an incident: kept while it is open, and as long again after its end. */
const keptWithIncident = {
  decisions: `NOT EXISTS (
    SELECT 1 FROM incidents WHERE uid = decisions.incident AND coalesce(ended_at, ?1) >= ?1)`,
  // A degradation, an unstable time or the outage of a peer has no incident: it lasts as long as its monitor says, or as the
  // message that the peer is back was not written.
  outbox: `NOT EXISTS (
      SELECT 1 FROM incidents WHERE uid = outbox.incident AND coalesce(ended_at, ?1) >= ?1)
    AND NOT (event = 'degraded' AND EXISTS (
      SELECT 1 FROM alert_states
      WHERE monitor = outbox.monitor AND json_extract(state, '$.degradation') IS NOT NULL))
    AND NOT (event = 'unstable' AND EXISTS (
      SELECT 1 FROM alert_states
      WHERE monitor = outbox.monitor AND json_extract(state, '$.unstable') IS NOT NULL))
    AND NOT (event = 'peer_down' AND state = 'sent'
      AND EXISTS (SELECT 1 FROM peers WHERE peers.id = outbox.monitor)
      AND NOT EXISTS (
        SELECT 1 FROM outbox later
        WHERE later.monitor = outbox.monitor AND later.channel = outbox.channel
          AND later.event = 'peer_recovered' AND later.id > outbox.id))`,
} as const;

export type IncidentTable = keyof typeof keptWithIncident;

/** The rows of a table that can be let go of before the instant ?1, as an SQL condition. */
export function isPastOf(table: IncidentTable): string {
  return `${agedTables[table]} < ?1 AND ${keptWithIncident[table]}`;
}

/** Lets go of at most `limit` rows from before an instant, the oldest first, but of none that an incident needs. */
export const pruneAlerts = declareWrite(
  'alerts.prune',
  { table: oneOf(['decisions', 'outbox']), before: instant, limit: whole(1, 10_000) },
  (sql, { table, before, limit }) => {
    const column = agedTables[table];
    return sql.run(
      `DELETE FROM ${table} WHERE id IN
         (SELECT id FROM ${table} WHERE ${isPastOf(table)} ORDER BY ${column}, id LIMIT ?2)`,
      before,
      limit,
    );
  },
);

/** Lets go of at most `limit` rows from before an instant, the oldest first. */
export const pruneRows = declareWrite(
  'rows.prune',
  {
    table: oneOf(['incidents', 'decisions', 'producer_alerts', 'outbox', 'events', 'maintenances']),
    before: instant,
    limit: whole(1, 10_000),
  },
  (sql, { table, before, limit }) => {
    const column = agedTables[table];
    return sql.run(
      `DELETE FROM ${table} WHERE id IN
         (SELECT id FROM ${table} WHERE ${column} < ? ORDER BY ${column}, id LIMIT ?)`,
      before,
      limit,
    );
  },
);
