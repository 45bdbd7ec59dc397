/** The seconds of a monitor that count for its uptime: all but those under maintenance. */
import { areHoursKept, creditedWithin } from '../../db/read/elapsed.ts';
import { StretchReader } from '../../db/read/stretches.ts';
import { findStored, readWatched, type StoredMonitor } from '../../db/read/watched.ts';
import { tallyWithin } from '../../db/read/within.ts';
import { oldestRolledHour } from '../../db/samples/kept-rollups.ts';
import { findOwner } from '../../db/samples/owner.ts';
import { oldestBucket } from '../../db/samples/rollups.ts';
import { weekHours } from '../../db/samples/weeks.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { maintainedDays } from '../../db/tables/maintained-days.ts';
import { pruneLeft } from '../../db/tables/retention/move.ts';
import { pruneRollups, pruneSamples } from '../../db/tables/retention/prune.ts';
import type { Config } from '../config/config.ts';
import { maintainedWithin, type Stretch, stretchesMs } from '../core/maintained.ts';
import type { MaintenanceWindow } from '../core/mute.ts';
import type { StatusSecs } from '../core/slo.ts';
import { plannedMaintenance } from '../operations/planned-maintenance.ts';

interface CountedQuery extends Stretch {
  readonly monitor: string;
  readonly nowAt: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** From `fromAt` to before `toAt`, to the second. Days whose hourly rollups are no longer kept begin and end by their share. */
export function countedSecs(
  sql: SqlReader,
  config: Pick<Config, 'maintenance' | 'peers'>,
  { monitor: id, fromAt, nowAt, ...until }: CountedQuery,
): StatusSecs {
  const toAt = Math.floor(Math.min(until.toAt, nowAt) / 1000) * 1000;
  const monitor = findStored(sql, id);
  if (monitor === null || toAt <= fromAt) return noSecs;
  const stepOf = (at: number) => (areHoursKept(sql, at) ? hourMs : dayMs);
  const whole = {
    fromAt: Math.floor(fromAt / stepOf(fromAt)) * stepOf(fromAt),
    toAt: Math.ceil(toAt / stepOf(toAt)) * stepOf(toAt),
  };
  const all = tallyWithin(sql, id, { ...whole, now: nowAt }).secs;
  const outages = () => incidents.spansWithin(sql, whole).filter((span) => span.monitor === id);
  const edges = [
    { fromAt: whole.fromAt, toAt: fromAt },
    { fromAt: toAt, toAt: Math.min(whole.toAt, nowAt) },
  ];
  const within = edges.reduce(
    (rest, edge) =>
      withoutSecs(
        rest,
        creditedWithin(sql, monitor, { fromSecs: edge.fromAt / 1000, toSecs: edge.toAt / 1000, outages }),
      ),
    all,
  );
  const stretches = maintainedWithin(plannedMaintenance(sql, config, nowAt), id, { fromAt, toAt });
  return withoutSecs(within, new StretchReader().of(sql, monitor, { stretches, now: nowAt, outages }));
}

const noSecs: StatusSecs = { up: 0, degraded: 0, down: 0, unknown: 0 };

/**
 * Records of the days whose samples or hourly rollups a step of upkeep is about to delete, to be written with it: the
 * seconds that maintenance took of them.
 */
export function maintainedBefore(
  sql: SqlReader,
  config: Pick<Config, 'maintenance' | 'peers'>,
  { step, nowAt }: { readonly step: Operation; readonly nowAt: number },
): Operation[] {
  const windows = plannedMaintenance(sql, config, nowAt);
  return windows.length === 0
    ? []
    : deletedBy(sql, step).flatMap(({ monitor, ...span }) => recordsOf(sql, windows, { monitor, ...span }));
}

interface DeletedSpan extends Stretch {
  readonly monitor: StoredMonitor;
}

function recordsOf(
  sql: SqlReader,
  windows: readonly MaintenanceWindow[],
  { monitor, fromAt, toAt }: DeletedSpan,
): Operation[] {
  const touched = maintainedWithin(windows, monitor.id, { fromAt, toAt });
  const days = new Set<number>();
  for (const stretch of touched)
    for (let day = Math.floor(stretch.fromAt / dayMs); day * dayMs < stretch.toAt; day += 1) days.add(day);
  return [...days].flatMap((day) => {
    if (maintainedDays.find(sql, monitor.key, day) !== null) return [];
    const span = { fromAt: day * dayMs, toAt: (day + 1) * dayMs };
    const stretches = maintainedWithin(windows, monitor.id, span);
    const outages = () => incidents.spansWithin(sql, span).filter((outage) => outage.monitor === monitor.id);
    const secs = new StretchReader().of(sql, monitor, { stretches, now: span.toAt, outages });
    const spanSecs = Math.round(stretchesMs(stretches) / 1000);
    return spanSecs === 0 ? [] : [maintainedDays.keep(monitor.id, day, { spanSecs, secs })];
  });
}

/** By whole UTC days. */
function deletedBy(sql: SqlReader, [name, what, before]: Operation): readonly DeletedSpan[] {
  if (name === pruneLeft.row.name) {
    const oldest = oldestBucket(sql, 'packed_hours');
    if (oldest === null || oldest >= Number(what)) return [];
    const span = wholeDays(oldest, Number(what));
    return readWatched(sql).map((monitor) => ({ monitor, ...span }));
  }
  if (typeof what !== 'string') return [];
  if (name === pruneSamples.row.name) {
    const owner = findOwner(sql, what);
    const monitor = findStored(sql, what);
    if (owner === null || monitor === null) return [];
    const from = Math.max(owner.oldestHour, owner.prunedBefore);
    return [{ monitor, ...wholeDays(from, Math.min(Number(before), owner.packedBefore)) }];
  }
  const hours = name === pruneRollups.row.name ? hoursOfBucket.get(what) : undefined;
  const oldest = hours === undefined ? null : oldestRolledHour(sql);
  if (hours === undefined || oldest === null) return [];
  const span = wholeDays(oldest, Number(before) * hours);
  return readWatched(sql).map((monitor) => ({ monitor, ...span }));
}

/** The tables of hourly rollups, and the hours that a row of each is of. */
const hoursOfBucket: ReadonlyMap<string, number> = new Map([
  ['hourly', 1],
  ['hourly_days', 24],
  ['hourly_weeks', weekHours],
]);

function wholeDays(fromHour: number, toHour: number): Stretch {
  return { fromAt: Math.floor(fromHour / 24) * dayMs, toAt: Math.ceil(toHour / 24) * dayMs };
}

/** Never below 0: a second may be counted on either side. */
export function withoutSecs(all: StatusSecs, some: StatusSecs): StatusSecs {
  const rest = (status: keyof StatusSecs) => Math.max(0, all[status] - some[status]);
  return { up: rest('up'), degraded: rest('degraded'), down: rest('down'), unknown: rest('unknown') };
}
