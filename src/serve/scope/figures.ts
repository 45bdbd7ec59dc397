/** Figures over time of all monitors, remembered between readings. Time under maintenance does not count. */
import type { DayBar } from '../../db/read/bar-days.ts';
import { BarReader } from '../../db/read/bars.ts';
import { DayReader, type DayFigures } from '../../db/read/day.ts';
import { FollowedMonitors } from '../../db/read/followed.ts';
import { OutageReader, type OutageSpan } from '../../db/read/outages.ts';
import { coverageShare, uptimeShare } from '../../db/read/share.ts';
import { ElapsedReader } from '../../db/read/elapsed.ts';
import { ZoneBarReader } from '../../db/read/zone-bars.ts';
import { addSecs, StretchReader } from '../../db/read/stretches.ts';
import { findShown, readWatched, type MonitorWithLatest, type StoredMonitor } from '../../db/read/watched.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Store } from '../../db/store/store.ts';
import type { Config } from '../../engine/config/config.ts';
import {
  maintainedWithin,
  maintenanceSpans,
  type Stretch,
  stretchesMs,
} from '../../engine/core/maintained.ts';
import { type CalendarDay, lastDays } from '../../engine/core/calendar.ts';
import { rollingFrom } from '../../engine/core/instant.ts';
import type { MaintenanceWindow } from '../../engine/core/mute.ts';
import { withoutSecs } from '../../engine/monitoring/counted-time.ts';
import { shownDays } from '../../engine/config/shown-days.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { type DayMarks, type DayRecord, marksOf } from '../../engine/views/day.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';

/** What is known of one monitor, all of it at the same instant. */
interface MonitorFigures {
  readonly last: MonitorWithLatest['last'];
  /** Of the last 24 hours. */
  readonly day: DayFigures;
  /** Of as many days as anything asks for, today last. */
  readonly bars: readonly DayBar[];
  /** What the record says of these days, by the start of the day, read when it is asked for. */
  readonly marks: () => ReadonlyMap<number, DayMarks>;
  /** The seconds of the last N times 24 hours, to the minute, for each N of `days`. */
  readonly rolling: (days: readonly number[]) => readonly StatusSecs[];
}

/** The figures of many monitors as of one instant: what holds for all of them is read once, when it begins. */
export interface FiguresAt {
  /** By config id; null: there is no such monitor. */
  readonly of: (monitor: string) => MonitorFigures | null;
  /** Of as many days as anything asks for, today last; empty: there is no such monitor. */
  readonly bars: (monitor: string) => readonly DayBar[];
  /** What maintenance takes of a stretch of time: how long it lasted, and the seconds credited meanwhile. */
  readonly within: (monitor: string, stretch: Stretch) => MaintainedTime;
}

export interface Figures {
  readonly at: (now: number) => FiguresAt;
  /** The same for many monitors: their rows are those of the last `refresh` and the samples since. */
  readonly ofManyAt: (now: number) => FiguresAt;
  /** Reads a part of the rows of all monitors, where they are not known. Answers whether nothing is left. */
  readonly refresh: () => boolean;
  /** Takes note of what was just changed: with a sample, what is remembered of its monitor goes on. */
  readonly note: (operations: readonly Operation[]) => void;
  /** Of the last 24 hours, up to a second old: for what shows one monitor and is asked for often. */
  readonly recentDay: (monitor: string, now: number) => DayFigures | null;
  /** Reads a little ahead, so that no reading has to do it all. Answers whether nothing is left. */
  readonly warm: (now: number) => boolean;
}

type Marks = ReadonlyMap<number, DayMarks>;

interface ShownDays {
  readonly now: number;
  readonly count: number;
  /** The days of the time zone of the page; absent: they are those of UTC. */
  readonly days?: readonly CalendarDay[] | undefined;
}

const noMarksAtAll: Marks = new Map();
const noOutages: readonly OutageSpan[] = [];

/** Makes the marks of days: the same object as long as all they are made of is over and the same. */
function createMarks() {
  const known = new WeakMap<readonly OutageSpan[], { readonly fromAt: number; readonly marks: Marks }>();
  return (record: DayRecord & { readonly outages: readonly OutageSpan[] }, view: ShownDays) => {
    const { outages, maintenance } = record;
    const { days } = view;
    const fromAt = days?.[0]?.fromAt ?? firstDayAt(view);
    const span = { fromAt, nowAt: view.now, days };
    if (maintenance.length > 0) return marksOf(record, span);
    if (outages.length === 0) return noMarksAtAll;
    const before = known.get(outages);
    if (before?.fromAt === fromAt) return before.marks;
    const marks = marksOf(record, span);
    const isOver = outages.every(({ endedAt }) => endedAt !== null && endedAt <= view.now);
    if (isOver) known.set(outages, { fromAt, marks });
    return marks;
  };
}

const recentMs = 1000;

export function createFigures(store: Pick<Store, 'sql'>, config: () => Config): Figures {
  const { sql } = store;
  const days = new DayReader();
  const bars = new BarReader();
  const outages = new OutageReader();
  const stretches = new StretchReader();
  const elapsed = new ElapsedReader();
  const zoned = new ZoneBarReader(elapsed);
  const shortened: Shortened = new WeakMap();
  const recent = { at: 0, figures: new Map<string, DayFigures | null>() };
  let seen = { config: config(), days: shownDays(config()) };
  const longest = () => {
    if (seen.config !== config()) {
      seen = { config: config(), days: shownDays(config()) };
      const watched = readWatched(sql);
      days.keep(watched);
      bars.keep(watched);
      elapsed.keep(watched);
      zoned.keep(watched);
    }
    return seen.days;
  };
  const followed = new FollowedMonitors();
  const marks = createMarks();
  const findOne = (id: string) => findShown(sql, id);
  const findAmongMany = (id: string) => followed.find(id) ?? findOne(id);
  const reading = (now: number, find: typeof findOne): FiguresAt => {
    const view = { now, days: longest() };
    const zone = config().page.timezone;
    // The first UTC day lies before the first day of any zone.
    const count = zone === 'UTC' ? view.days : view.days - 1;
    const shown = { now, count, ...(zone !== 'UTC' && { days: lastDays(now, count, zone) }) };
    const windows = plannedMaintenance(sql, config(), now);
    let spans: ReturnType<OutageReader['read']> | null = null;
    const outagesOf = (id: string) => (spans ??= outages.read(sql, view)).get(id) ?? noOutages;
    /** `counted`: the days of UTC without maintenance. */
    const barsShown = (monitor: StoredMonitor, whole: readonly DayBar[], counted: readonly DayBar[]) => {
      const { days } = shown;
      if (days === undefined) return counted;
      const outagesOfIt = () => outagesOf(monitor.id);
      return excluding.bars(
        monitor,
        zoned.of(sql, monitor, { bars: whole, days, now, outages: outagesOfIt }),
      );
    };
    const excluding = createExcluding(sql, { windows, now, outagesOf, stretches, shortened });
    return {
      of: (id) => {
        const monitor = find(id);
        if (monitor === null) return null;
        const whole = bars.of(sql, monitor, view);
        const counted = excluding.bars(monitor, whole);
        return {
          last: monitor.last,
          day: excluding.day(monitor, days.of(sql, monitor, now)),
          bars: barsShown(monitor, whole, counted),
          rolling: (spans) =>
            spans.map((count) => {
              const fromAt = rollingFrom(now, count);
              const first = whole.findIndex(({ at }) => at > fromAt - dayMs);
              const bar = whole[first];
              if (bar === undefined) return noSecs;
              const sum = sumOf(counted.slice(first));
              if (bar.at >= fromAt) return sum;
              const before = elapsed.of(sql, monitor, { bar, at: fromAt, outages: () => outagesOf(id) });
              const maintained = excluding.within(monitor, { fromAt: bar.at, toAt: fromAt });
              return withoutSecs(sum, withoutSecs(before, maintained.secs));
            }),
          marks: () => marks({ outages: outagesOf(id), maintenance: maintenanceSpans(windows, id) }, shown),
        };
      },
      bars: (id) => {
        const monitor = find(id);
        if (monitor === null) return [];
        const whole = bars.of(sql, monitor, view);
        return barsShown(monitor, whole, shown.days === undefined ? excluding.bars(monitor, whole) : []);
      },
      within: (id, stretch) => {
        const monitor = windows.length === 0 ? null : find(id);
        return monitor === null ? nothingMaintained : excluding.within(monitor, stretch);
      },
    };
  };
  const at = (now: number) => reading(now, findOne);
  return {
    at,
    ofManyAt: (now) => reading(now, findAmongMany),
    refresh: () =>
      followed.refresh(sql, (key) => {
        days.distrust(key);
        bars.distrust(key);
      }),
    note: (operations) => {
      for (const [name, table, before] of operations) {
        if (name !== 'rollups.prune' || table !== 'hourly') continue;
        bars.prunedBefore(Number(before));
        zoned.prunedBefore(Number(before));
      }
      followed.note(operations, (added) => {
        days.note(added);
        bars.note(added);
      });
    },
    recentDay: (id, now) => {
      if (now < recent.at || now - recent.at >= recentMs) {
        recent.figures.clear();
        recent.at = now;
      }
      const known = recent.figures.get(id);
      if (known !== undefined) return known;
      const figures = at(now).of(id)?.day ?? null;
      recent.figures.set(id, figures);
      return figures;
    },
    warm: (now) => {
      if (!days.warm(sql, now)) return false;
      return bars.warm(sql, { now, days: longest() });
    },
  };
}

interface MaintainedTime {
  readonly ms: number;
  readonly secs: Readonly<StatusSecs>;
}

const nothingMaintained: MaintainedTime = { ms: 0, secs: { up: 0, degraded: 0, down: 0, unknown: 0 } };

/** Bars without the time under maintenance: the same object as long as the bar and what is taken from it are the same. */
type Shortened = WeakMap<DayBar, { readonly secs: Readonly<StatusSecs>; readonly bar: DayBar }>;

interface Excluding {
  readonly windows: readonly MaintenanceWindow[];
  readonly now: number;
  readonly outagesOf: (monitor: string) => readonly OutageSpan[];
  readonly stretches: StretchReader;
  readonly shortened: Shortened;
}

/** Takes the time under maintenance out of figures. What has none comes back as it is. */
function createExcluding(
  sql: SqlReader,
  { windows, now, outagesOf, stretches: reader, shortened }: Excluding,
) {
  const within = (monitor: StoredMonitor, { fromAt, toAt }: Stretch): MaintainedTime => {
    if (windows.length === 0) return nothingMaintained;
    const stretches = maintainedWithin(windows, monitor.id, { fromAt, toAt: Math.min(toAt, now) });
    if (stretches.length === 0) return nothingMaintained;
    const spans = () => outagesOf(monitor.id);
    return { ms: stretchesMs(stretches), secs: reader.of(sql, monitor, { stretches, now, outages: spans }) };
  };
  return {
    within,
    bars: (monitor: StoredMonitor, bars: readonly DayBar[]): readonly DayBar[] => {
      if (maintenanceSpans(windows, monitor.id).length === 0) return bars;
      return bars.map((bar) => {
        const { ms, secs } = within(monitor, { fromAt: bar.at, toAt: bar.toAt ?? bar.at + dayMs });
        if (ms === 0) return bar;
        const before = shortened.get(bar);
        if (before !== undefined && isSameSecs(before.secs, secs)) return before.bar;
        const rest = { ...bar, secs: withoutSecs(bar.secs, secs) };
        shortened.set(bar, { secs, bar: rest });
        return rest;
      });
    },
    day: (monitor: StoredMonitor, day: DayFigures): DayFigures => {
      const fromAt = rollingFrom(now, 1);
      const { ms, secs } = within(monitor, { fromAt, toAt: now });
      if (ms === 0) return day;
      const rest = withoutSecs(day.secs, secs);
      const spanSecs = Math.floor((now - fromAt - ms) / 1000);
      return {
        ...day,
        secs: rest,
        uptimePermille: uptimeShare(rest),
        coveragePermille: coverageShare(rest, spanSecs),
      };
    },
  };
}

function isSameSecs(a: Readonly<StatusSecs>, b: Readonly<StatusSecs>): boolean {
  return a.up === b.up && a.degraded === b.degraded && a.down === b.down && a.unknown === b.unknown;
}

function firstDayAt({ now, count }: ShownDays): number {
  return (Math.floor(now / dayMs) - count + 1) * dayMs;
}

const noSecs: StatusSecs = { up: 0, degraded: 0, down: 0, unknown: 0 };

function sumOf(bars: readonly DayBar[]): StatusSecs {
  const sum = { ...noSecs };
  for (const { secs } of bars) addSecs(sum, secs);
  return sum;
}

const dayMs = 86_400_000;
