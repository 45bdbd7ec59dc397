/**
 * Closes the months that are over: stores the facts of their reports, before what they are made of is deleted.
 * Apart from retention, which deletes and never reads figures.
 */
import { hourSecs } from '../../db/samples/slots.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Store } from '../../db/store/store.ts';
import { type ClosedMonitor, closedMonths } from '../../db/tables/closed-months.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { monitors as storedMonitors } from '../../db/tables/monitors.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { monthAt, monthWithin } from '../core/calendar.ts';
import { yearMonthText } from '../core/instant.ts';
import { maintainedWithin, type Stretch } from '../core/maintained.ts';
import { plannedMaintenance } from '../operations/planned-maintenance.ts';
import { countedSecs } from './counted-time.ts';

/** The version of the definitions of figures: a change of what a figure means makes the next one. */
export const figureDefinitions = 1;

/** How long after its end a month is closed: late samples and corrections still count until then. */
const restMs = 2 * 86_400_000;

/** For how many months the facts are kept. */
const keptMonths = 36;

/** How many monitors are read, and written, before other work has its turn. */
const atOnce = 10;

export interface MonthCloserOptions {
  readonly store: Pick<Store, 'sql' | 'write'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly config: () => Config;
  readonly signal: AbortSignal;
}

export class MonthCloser {
  private readonly options: MonthCloserOptions;

  constructor(options: MonthCloserOptions) {
    this.options = options;
  }

  /**
   * Closes the first month that is due, one at a time. `at`: a present by which things may be deleted, epoch ms. Answers
   * whether there was one.
   */
  async close(at: number): Promise<boolean> {
    const { store, clock, config, signal } = this.options;
    const zone = config().page.timezone;
    const month = nextMonth(store.sql, at, zone);
    const span = month === null ? null : monthWithin(month, zone);
    if (month === null || span === null) return false;
    const watched = watchedWithin(store.sql, config(), span);
    for (let first = 0; first < watched.length; first += atOnce) {
      const kept = watched.slice(first, first + atOnce).flatMap((monitor) => {
        const facts = closedMonitor(store.sql, config(), { monitor, span, nowAt: at });
        return facts === null ? [] : [closedMonths.keep(month, facts)];
      });
      if (kept.length > 0) await store.write(kept, { mustBeDurable: true });
      await clock.sleep(pauseMs, signal);
    }
    const oldest = monthsBefore(month, keptMonths);
    await store.write(
      [
        closedMonths.close({ month, at, definitions: figureDefinitions, zone }),
        ...(closedMonths.list(store.sql).some((closed) => closed.month < oldest)
          ? [closedMonths.forget({ before: oldest })]
          : []),
      ],
      { mustBeDurable: true },
    );
    return true;
  }
}

const pauseMs = 25;

/** The first month on record that is over for long enough and not closed; null: there is none. */
function nextMonth(sql: SqlReader, at: number, zone: string): string | null {
  const oldestHour = sql.get(
    'SELECT min(oldest_hour) AS hour FROM monitors WHERE samples + rewrites > 0',
    [],
    (row) => row.numberOrNull('hour'),
  );
  if (oldestHour === null) return null;
  const last = monthAt(at - restMs, zone);
  const oldest = monthsBefore(last, keptMonths);
  const closed = new Set(closedMonths.list(sql).map(({ month }) => month));
  const first = monthAt(oldestHour * hourSecs * 1000, zone);
  for (let month = first < oldest ? oldest : first; month < last; month = monthsBefore(month, -1))
    if (!closed.has(month)) return month;
  return null;
}

/** The month so many before another; negative: after it. */
function monthsBefore(month: string, count: number): string {
  const [year = 0, index = 1] = month.split('-').map(Number);
  return yearMonthText(Date.UTC(year, index - 1 - count, 1));
}

/** A monitor as the report of a month shows it. */
export interface WatchedInMonth
  extends Pick<ClosedMonitor, 'id' | 'name' | 'group' | 'sloUptimePercent' | 'isPrivate' | 'removedAt'> {
  readonly position: number;
}

/** The monitors of the file in its order, and behind them those that left it after the month began. */
export function watchedWithin(
  sql: SqlReader,
  { monitors }: Pick<Config, 'monitors'>,
  { fromAt, toAt }: Stretch,
): readonly WatchedInMonth[] {
  const configured = monitors.map(
    ({ id, name, group, slo_uptime: sloUptimePercent, public: isPublic }, position) => ({
      id,
      name,
      group,
      sloUptimePercent,
      isPrivate: !isPublic,
      removedAt: null,
      position,
    }),
  );
  const ids = new Set(configured.map(({ id }) => id));
  const removed = storedMonitors
    .list(sql)
    .flatMap(({ id, name, removedAt, firstSeenAt, samples, shown }, index) => {
      const isOfMonth = removedAt !== null && removedAt > fromAt && firstSeenAt < toAt && samples > 0;
      if (!isOfMonth || ids.has(id)) return [];
      const { group = null, sloUptimePercent = null, isPrivate = true } = shown ?? {};
      return [
        { id, name, group, sloUptimePercent, isPrivate, removedAt, position: configured.length + index },
      ];
    });
  return [...configured, ...removed];
}

/** The part of a month before a monitor was removed: the last sample says nothing of the time after that. */
export function watchedSpan(
  { removedAt }: Pick<WatchedInMonth, 'removedAt'>,
  { fromAt, toAt }: Stretch,
): Stretch {
  return { fromAt, toAt: Math.max(fromAt, Math.min(toAt, removedAt ?? toAt)) };
}

interface FactsQuery {
  readonly monitor: WatchedInMonth;
  readonly span: Stretch;
  readonly nowAt: number;
}

/** Null: the file has the monitor no more, and nothing of it in the month is on record. */
function closedMonitor(
  sql: SqlReader,
  config: Config,
  { monitor, span, nowAt }: FactsQuery,
): ClosedMonitor | null {
  const secs = countedSecs(sql, config, { monitor: monitor.id, ...watchedSpan(monitor, span), nowAt });
  const outages = incidents
    .spansWithin(sql, span)
    .filter((outage) => outage.monitor === monitor.id)
    .map(({ startedAt, endedAt }) => ({ startedAt, endedAt }));
  const isEmpty = Object.values(secs).every((each) => each === 0) && outages.length === 0;
  const windows = plannedMaintenance(sql, config, nowAt);
  return isEmpty && monitor.removedAt !== null
    ? null
    : { ...monitor, secs, maintained: maintainedWithin(windows, monitor.id, span), outages };
}
