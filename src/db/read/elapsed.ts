/**
 * The seconds that a UTC day was credited before an instant in it: the part of the first day that a rolling span leaves
 * out. Whole hours are remembered. Apart from read/stretches.ts, which remembers stretches that do not move.
 */
import { findOwner } from '../samples/owner.ts';
import { DailyRollups, HourlyRollups, oldestRolledHour } from '../samples/kept-rollups.ts';
import { daySecs, hourOf, hourSecs } from '../samples/slots.ts';
import type { SecondsSpan } from '../samples/stored.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import type { DayBar } from './bar-days.ts';
import type { OutageSpan } from './outages.ts';
import { addSecs, addShare, downSecs, secsOf, shareOfOne } from './stretches.ts';
import { addTail } from './tail.ts';
import type { StoredMonitor } from './watched.ts';

interface ElapsedQuery {
  /** The whole day, with maintenance and with the time that the latest sample covers. */
  readonly bar: DayBar;
  /** Epoch ms of a whole second, in the day. */
  readonly at: number;
  readonly outages: () => readonly OutageSpan[];
}

/** The hours of a day before `hour`, added up. */
interface Elapsed {
  readonly day: number;
  readonly rewrites: number;
  hour: number;
  readonly secs: ByStatus;
}

/** As many days of a monitor are remembered: those in which the spans of a page, the window of its SLO and the last days begin. */
const mostDays = 8;

/** One for the life of a process that serves pages. */
export class ElapsedReader {
  readonly #remembered = new Map<number, Elapsed[]>();

  of(sql: SqlReader, monitor: StoredMonitor, { bar, at, outages }: ElapsedQuery): ByStatus {
    const span = { fromSecs: bar.at / 1000, toSecs: at / 1000 };
    const whole = shareOfOne(bar.secs, { of: daySecs, part: span.toSecs - span.fromSecs });
    if (whole !== null) return whole;
    if (!areHoursKept(sql, bar.at)) return shareOfDay(bar.secs, { ...span, outages });
    const hour = hourOf(span.toSecs);
    const secs = this.#hoursBefore(monitor, hour, new HourlyRollups(sql, monitor.key));
    const owner = findOwner(sql, monitor.id);
    const part = { fromSecs: hour * hourSecs, toSecs: span.toSecs, outages };
    if (owner !== null) addSecs(secs, secsOf(sql, owner, part));
    return secs;
  }

  /** Forgets monitors that are not among these. */
  keep(watched: readonly StoredMonitor[]): void {
    const keys = new Set(watched.map(({ key }) => key));
    for (const key of this.#remembered.keys()) if (!keys.has(key)) this.#remembered.delete(key);
  }

  /** Hours before that of the latest sample are changed by late samples only, which count as rewrites. */
  #hoursBefore(monitor: StoredMonitor, hour: number, rollups: HourlyRollups): ByStatus {
    const day = Math.floor(hour / 24);
    const settled = Math.min(hour, hourOf((monitor.tail?.at ?? 0) / 1000));
    const known = this.#of(monitor, { day, hour });
    for (; known.hour < settled; known.hour += 1) addSecs(known.secs, rollups.readSecs(known.hour));
    const secs = { ...known.secs };
    for (let each = known.hour; each < hour; each += 1) addSecs(secs, rollups.readSecs(each));
    addTail(secs, monitor.tail, { fromSecs: day * daySecs, toSecs: hour * hourSecs });
    return secs;
  }

  #of(
    { key, rewrites }: StoredMonitor,
    { day, hour }: { readonly day: number; readonly hour: number },
  ): Elapsed {
    const days = this.#remembered.get(key) ?? [];
    const known = days.find((each) => each.day === day);
    if (known?.rewrites === rewrites && known.hour <= hour) return known;
    const anew = { day, rewrites, hour: day * 24, secs: { up: 0, degraded: 0, down: 0, unknown: 0 } };
    this.#remembered.set(key, [anew, ...days.filter((each) => each !== known)].slice(0, mostDays));
    return anew;
  }
}

type PartOfDay = SecondsSpan & Pick<ElapsedQuery, 'outages'>;

/** Whether the hourly rollups of the UTC day of an instant (epoch ms) are still kept. */
export function areHoursKept(sql: SqlReader, at: number): boolean {
  const endHour = (Math.floor(at / 1000 / daySecs) + 1) * 24;
  return endHour > (oldestRolledHour(sql) ?? Infinity);
}

/** The seconds credited within a part of one UTC day, to the second as long as its hourly rollups are kept. */
export function creditedWithin(sql: SqlReader, monitor: StoredMonitor, part: PartOfDay): ByStatus {
  const owner = findOwner(sql, monitor.id);
  if (owner === null || part.toSecs <= part.fromSecs) return { up: 0, degraded: 0, down: 0, unknown: 0 };
  const day = Math.floor(part.fromSecs / daySecs);
  if (areHoursKept(sql, part.fromSecs * 1000)) return secsOf(sql, owner, part);
  const whole = new DailyRollups(sql, owner.key).readSecs(day) ?? { up: 0, degraded: 0, down: 0, unknown: 0 };
  return shareOfDay(whole, part);
}

/** Outages are known to the second; the rest is taken to be spread evenly over the day. */
function shareOfDay(whole: Readonly<ByStatus>, { outages, ...span }: PartOfDay): ByStatus {
  const secs = { up: 0, degraded: 0, down: 0, unknown: 0 };
  addShare(secs, whole, { of: daySecs, down: downSecs(outages(), span), ...span });
  return secs;
}
