/**
 * Plans what keeps the store small: packing finished hours, pruning what is too old, forgetting removed monitors.
 *
 * Every step is an operation of its own that takes a few milliseconds, to be written as a record of its own with
 * other work in between. A plan is short; when it is done, the next one is asked for, until one is empty.
 */
import { dropMonitor, forgetHours } from '../monitors.ts';
import { sweepAnnouncements } from '../announcements.ts';
import { sweepSilences } from '../silences.ts';
import { unprune } from '../clock.ts';
import {
  type AgedTable,
  ageColumn,
  type IncidentTable,
  isPastOf,
  pruneAhead,
  pruneAlerts,
  pruneRollups,
  pruneRows,
  pruneSamples,
} from './prune.ts';
import { pruneLeft } from './move.ts';
import { packHours } from '../samples.ts';
import type { Operation } from '../../store/operation.ts';
import { oldestBucket } from '../../samples/rollups.ts';
import { daySecs, hourOf, hourSecs } from '../../samples/slots.ts';
import { weekHours } from '../../samples/weeks.ts';
import type { SqlReader } from '../../store/sql.ts';
import type { RetentionStep } from './retention.ts';

/** Hours are packed this long after their end: a late sample is cheaper as a row. */
const restSecs = 600;

/** How much one step may do: hours of rows packed, hours of one monitor pruned or forgotten, rollup rows and other rows deleted. */
const step = { packHours: 48, pruneHours: 480, forgetHours: 240, rollupRows: 1500, rows: 200 } as const;

const dayMs = daySecs * 1000;

interface Kept {
  readonly key: number;
  readonly id: string;
  readonly removedAt: number | null;
  readonly oldestHour: number;
  readonly packedBefore: number;
  readonly prunedBefore: number;
  readonly tailHour: number;
}

export interface UpkeepPlanOptions {
  readonly retention: RetentionStep;
  readonly limit: number;
  /** The present by which things are deleted, epoch ms: not after `now`; null: nothing is deleted. */
  readonly deletableAt?: number | null;
}

/** The next steps, at most `limit`; none: the store is tidy. */
export function planUpkeep(sql: SqlReader, now: number, options: UpkeepPlanOptions): Operation[] {
  const { limit, deletableAt = now } = options;
  const monitors = sql.all(
    'SELECT key, id, removed_at, oldest_hour, packed_before, pruned_before, tail_secs FROM monitors ORDER BY key',
    [],
    (row): Kept => ({
      key: row.number('key'),
      id: row.text('id'),
      removedAt: row.numberOrNull('removed_at'),
      oldestHour: row.number('oldest_hour'),
      packedBefore: row.number('packed_before'),
      prunedBefore: row.number('pruned_before'),
      tailHour: hourOf(row.numberOrNull('tail_secs') ?? 0),
    }),
  );
  const thisHour = hourOf(now / 1000);
  if (monitors.some(({ prunedBefore }) => prunedBefore > thisHour)) return [unprune({ before: thisHour })];
  // Nothing may be pruned from the hourly rollups that the daily ones do not hold yet.
  const lastHour = hourOf(now / 1000 - restSecs) - 1;
  const unpacked = monitors.filter((monitor) => monitor.packedBefore <= lastHour).slice(0, limit);
  if (unpacked.length > 0) return unpacked.map((monitor) => planPacking(sql, monitor, lastHour));
  return deletableAt === null ? [] : planDeleting(sql, deletableAt, { ...options, now, monitors });
}

interface Deleting extends UpkeepPlanOptions {
  readonly now: number;
  readonly monitors: readonly Kept[];
}

/** What is too old at `at`, and what a clock that was ahead left behind. */
function planDeleting(sql: SqlReader, at: number, options: Deleting): Operation[] {
  const { retention, limit, monitors } = options;
  const oldestHour = oldestBucket(sql, 'packed_hours') ?? Infinity;
  return [
    ...planAhead(monitors, hourOf(options.now / 1000)),
    ...planSweeps(sql, at),
    ...rollupTables.flatMap(({ table, hours, kept }) =>
      planRollups(sql, table, {
        cutoff: Math.floor(cutoffHour(at, retention[kept]) / hours),
        monitors: monitors.length,
      }),
    ),
    ...monitors.flatMap((monitor) => planPruning(monitor, at, { retention, oldestHour })),
    ...planRows(sql, 'incidents', at - retention.incidentDays * dayMs),
    ...planRows(sql, 'events', at - retention.incidentDays * dayMs),
    ...planRows(sql, 'maintenances', at - Math.max(retention.incidentDays, retention.dailyDays) * dayMs),
    ...planAlerts(sql, 'decisions', at - retention.decisionDays * dayMs),
    ...planRows(sql, 'producer_alerts', at - retention.producerAlertDays * dayMs),
    ...planAlerts(sql, 'outbox', at - retention.outboxDays * dayMs),
  ].slice(0, limit);
}

/** More than a day ahead, samples would come after every other for months, each of them as a late one. */
function planAhead(monitors: readonly Kept[], thisHour: number): Operation[] {
  return monitors
    .filter(({ tailHour, packedBefore }) => Math.max(tailHour, packedBefore) > thisHour + 24)
    .map(({ id }) => pruneAhead({ monitor: id, from: thisHour + 1 }));
}

function planPacking(sql: SqlReader, { id, key }: Kept, lastHour: number): Operation {
  const firstSecs = sql.get('SELECT min(secs) AS secs FROM samples WHERE monitor = ?', [key], (row) =>
    row.numberOrNull('secs'),
  );
  const hour = firstSecs === null ? lastHour : Math.min(lastHour, hourOf(firstSecs) + step.packHours - 1);
  return packHours({ monitor: id, hour: Math.max(hour, 0) });
}

function planPruning(
  monitor: Kept,
  now: number,
  bounds: { readonly retention: RetentionStep; readonly oldestHour: number },
): Operation[] {
  const { retention } = bounds;
  if (monitor.removedAt !== null) {
    // Until it is forgotten it may come back, and the config does not say how long its samples are kept.
    const isForgotten = monitor.removedAt <= now - retention.removedDays * dayMs;
    return isForgotten ? [planForgetting(monitor, now, bounds.oldestHour)] : [];
  }
  const cutoff = cutoffHour(now, retention.rawDaysOf.get(monitor.id) ?? retention.rawDays);
  const from = Math.max(monitor.oldestHour, monitor.prunedBefore);
  if (from >= Math.min(cutoff, monitor.packedBefore)) return [];
  const before = Math.max(from, bounds.oldestHour) + step.pruneHours;
  return [pruneSamples({ monitor: monitor.id, before: Math.min(cutoff, before) })];
}

function planForgetting({ id, oldestHour }: Kept, now: number, oldestPacked: number): Operation {
  const end = hourOf(now / 1000) + 1;
  if (oldestHour >= end) return dropMonitor({ id });
  return forgetHours({ id, before: Math.min(end, Math.max(oldestHour, oldestPacked) + step.forgetHours) });
}

/** The tables of rollups, the hours that a row of each is of, and how long it is kept; a week is kept whole. */
const rollupTables = [
  { table: 'hourly', hours: 1, kept: 'hourlyDays' },
  { table: 'hourly_days', hours: 24, kept: 'hourlyDays' },
  { table: 'hourly_weeks', hours: weekHours, kept: 'hourlyDays' },
  { table: 'daily', hours: 24, kept: 'dailyDays' },
  { table: 'daily_weeks', hours: weekHours, kept: 'dailyDays' },
  { table: 'maintained_days', hours: 24, kept: 'dailyDays' },
  { table: 'latency_weeks', hours: weekHours, kept: 'latencyDays' },
] as const;

function planRollups(
  sql: SqlReader,
  table: (typeof rollupTables)[number]['table'],
  { cutoff, ...bounds }: { readonly cutoff: number; readonly monitors: number },
): Operation[] {
  const oldest = oldestBucket(sql, table);
  if (oldest === null || oldest >= cutoff) return [];
  const buckets = Math.max(1, Math.floor(step.rollupRows / Math.max(1, bounds.monitors)));
  return [pruneRollups({ table, before: Math.min(cutoff, oldest + buckets) })];
}

function planAlerts(sql: SqlReader, table: IncidentTable, before: number): Operation[] {
  const isDue = sql.get(
    `SELECT 1 AS due FROM ${table} WHERE ${isPastOf(table)} LIMIT 1`,
    [before],
    () => true,
  );
  return isDue === true ? [pruneAlerts({ table, before, limit: step.rows })] : [];
}

function planRows(sql: SqlReader, table: AgedTable, before: number): Operation[] {
  const isDue = sql.get(
    `SELECT 1 AS due FROM ${table} WHERE ${ageColumn(table)} < ? LIMIT 1`,
    [before],
    () => true,
  );
  return isDue === true ? [pruneRows({ table, before, limit: step.rows })] : [];
}

function planSweeps(sql: SqlReader, now: number): Operation[] {
  const sweeps = [
    { table: 'silences', sweep: sweepSilences },
    { table: 'announcements', sweep: sweepAnnouncements },
  ];
  return sweeps
    .filter(({ table }) => sql.get(`SELECT 1 AS due FROM ${table} WHERE until_at <= ?`, [now], () => true))
    .map(({ sweep }) => sweep({ at: now }));
}

/** By key of each monitor that is not removed, the hour before which its samples are too old. */
export function prunedBefore(sql: SqlReader, at: number, retention: RetentionStep): Map<number, number> {
  return new Map(
    sql.all('SELECT key, id FROM monitors WHERE removed_at IS NULL ORDER BY key', [], (row) => [
      row.number('key'),
      cutoffHour(at, retention.rawDaysOf.get(row.text('id')) ?? retention.rawDays),
    ]),
  );
}

/** Deletes samples that were left for figures when their hours were moved, and are too old for them. */
export function planLeft(at: number, { hourlyDays }: RetentionStep): Operation {
  return pruneLeft({ before: cutoffHour(at, hourlyDays) });
}

/** The first hour of the UTC day that lies `days` before today: what came before it is too old. */
function cutoffHour(now: number, days: number): number {
  return Math.max(0, Math.floor(now / dayMs) - days) * (daySecs / hourSecs);
}
