/** The seconds of a monitor that count for its uptime: all but those under maintenance. */
import { StretchReader } from '../../db/read/stretches.ts';
import { findStored } from '../../db/read/watched.ts';
import { tallyWithin } from '../../db/read/within.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { incidents } from '../../db/tables/incidents.ts';
import type { Config } from '../config/config.ts';
import { maintainedWithin, type Stretch } from '../core/maintained.ts';
import type { StatusSecs } from '../core/slo.ts';
import { plannedMaintenance } from '../operations/planned-maintenance.ts';

interface CountedQuery extends Stretch {
  readonly monitor: string;
  readonly nowAt: number;
}

const hourMs = 3_600_000;

/** The hours in which the stretch begins and ends count in full (see tallyWithin). */
export function countedSecs(
  sql: SqlReader,
  config: Pick<Config, 'maintenance' | 'peers'>,
  { monitor: id, fromAt, toAt, nowAt }: CountedQuery,
): StatusSecs {
  const all = tallyWithin(sql, id, { fromAt, toAt, now: nowAt }).secs;
  const whole = {
    fromAt: Math.floor(fromAt / hourMs) * hourMs,
    toAt: Math.min(Math.ceil(toAt / hourMs) * hourMs, nowAt),
  };
  const stretches = maintainedWithin(plannedMaintenance(sql, config, nowAt), id, whole);
  const monitor = stretches.length === 0 ? null : findStored(sql, id);
  if (monitor === null) return all;
  const outages = () => incidents.spansWithin(sql, whole).filter((span) => span.monitor === id);
  return withoutSecs(all, new StretchReader().of(sql, monitor, { stretches, now: nowAt, outages }));
}

/** Never below 0: a second may be counted on either side. */
export function withoutSecs(all: StatusSecs, some: StatusSecs): StatusSecs {
  const rest = (status: keyof StatusSecs) => Math.max(0, all[status] - some[status]);
  return { up: rest('up'), degraded: rest('degraded'), down: rest('down'), unknown: rest('unknown') };
}
