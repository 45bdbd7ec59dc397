/** Figures over time of all monitors, remembered between readings. What is under maintenance counts for none of them. */
import { BarReader, type DayBar } from '../../db/read/bars.ts';
import { DayReader, type DayFigures } from '../../db/read/day.ts';
import { OutageReader } from '../../db/read/outages.ts';
import { coverageShare, uptimeShare } from '../../db/read/share.ts';
import { StretchReader } from '../../db/read/stretches.ts';
import { findShown, readWatched, type MonitorWithLatest, type StoredMonitor } from '../../db/read/watched.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Store } from '../../db/store/store.ts';
import type { Config } from '../../engine/config/config.ts';
import {
  maintainedWithin,
  maintenanceSpans,
  type Stretch,
  stretchesMs,
} from '../../engine/core/maintained.ts';
import { withoutSecs } from '../../engine/monitoring/counted-time.ts';
import { shownDays } from '../../engine/config/shown-days.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { type DayMarks, marksOf } from '../../engine/views/day.ts';
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
}

export interface Figures {
  /** By config id; null: there is no such monitor. */
  readonly of: (monitor: string, now: number) => MonitorFigures | null;
  /** Of the last 24 hours, up to a second old: for what shows one monitor and is asked for often. */
  readonly recentDay: (monitor: string, now: number) => DayFigures | null;
  /** Of as many days as anything asks for, today last; empty: there is no such monitor. */
  readonly bars: (monitor: string, now: number) => readonly DayBar[];
  /** What maintenance takes of a stretch of time: how long it lasted, and the seconds credited meanwhile. */
  readonly within: (monitor: string, stretch: Stretch, now: number) => MaintainedTime;
  /** Reads a little ahead, so that no reading has to do it all. Answers whether nothing is left. */
  readonly warm: (now: number) => boolean;
}

const recentMs = 1000;

export function createFigures(store: Pick<Store, 'sql'>, config: () => Config): Figures {
  const { sql } = store;
  const days = new DayReader();
  const bars = new BarReader();
  const outages = new OutageReader();
  const excluding = createExcluding(sql, config, outages);
  const recent = { at: 0, figures: new Map<string, DayFigures | null>() };
  let seen = { config: config(), days: shownDays(config()) };
  const longest = () => {
    if (seen.config !== config()) {
      seen = { config: config(), days: shownDays(config()) };
      const watched = readWatched(sql);
      days.keep(watched);
      bars.keep(watched);
    }
    return seen.days;
  };
  return {
    of: (id, now) => {
      const monitor = findShown(sql, id);
      if (monitor === null) return null;
      return {
        last: monitor.last,
        day: excluding.day(monitor, days.of(sql, monitor, now), now),
        bars: excluding.bars(monitor, bars.of(sql, monitor, { now, days: longest() }), now),
        marks: () => {
          const view = { now, days: longest() };
          const record = {
            outages: outages.read(sql, view).get(id) ?? [],
            maintenance: maintenanceSpans(plannedMaintenance(sql, config(), now), id),
          };
          return marksOf(record, { fromAt: firstDayAt(view), nowAt: now });
        },
      };
    },
    recentDay: (id, now) => {
      if (now < recent.at || now - recent.at >= recentMs) {
        recent.figures.clear();
        recent.at = now;
      }
      const known = recent.figures.get(id);
      if (known !== undefined) return known;
      const monitor = findShown(sql, id);
      const figures = monitor === null ? null : excluding.day(monitor, days.of(sql, monitor, now), now);
      recent.figures.set(id, figures);
      return figures;
    },
    bars: (id, now) => {
      const monitor = findShown(sql, id);
      if (monitor === null) return [];
      return excluding.bars(monitor, bars.of(sql, monitor, { now, days: longest() }), now);
    },
    within: excluding.within,
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

/** Takes the time under maintenance out of figures. What has none comes back as it is. */
function createExcluding(sql: SqlReader, config: () => Config, outages: OutageReader) {
  const reader = new StretchReader();
  const known = new WeakMap<DayBar, { readonly secs: Readonly<StatusSecs>; readonly bar: DayBar }>();
  const maintained = (monitor: StoredMonitor, { fromAt, toAt }: Stretch, now: number): MaintainedTime => {
    const windows = plannedMaintenance(sql, config(), now);
    if (windows.length === 0) return nothingMaintained;
    const stretches = maintainedWithin(windows, monitor.id, { fromAt, toAt: Math.min(toAt, now) });
    if (stretches.length === 0) return nothingMaintained;
    const days = Math.floor(now / dayMs) - Math.floor(fromAt / dayMs) + 1;
    const spans = () => outages.read(sql, { now, days }).get(monitor.id) ?? [];
    return { ms: stretchesMs(stretches), secs: reader.of(sql, monitor, { stretches, now, outages: spans }) };
  };
  return {
    within: (id: string, stretch: Stretch, now: number) => {
      const monitor = findShown(sql, id);
      return monitor === null ? nothingMaintained : maintained(monitor, stretch, now);
    },
    bars: (monitor: StoredMonitor, bars: readonly DayBar[], now: number): readonly DayBar[] =>
      bars.map((bar) => {
        const { ms, secs } = maintained(monitor, { fromAt: bar.at, toAt: bar.at + dayMs }, now);
        if (ms === 0) return bar;
        const before = known.get(bar);
        if (before !== undefined && isSameSecs(before.secs, secs)) return before.bar;
        const rest = { at: bar.at, secs: withoutSecs(bar.secs, secs) };
        known.set(bar, { secs, bar: rest });
        return rest;
      }),
    day: (monitor: StoredMonitor, day: DayFigures, now: number): DayFigures => {
      const fromAt = (Math.floor(now / hourMs) - 24) * hourMs;
      const { ms, secs } = maintained(monitor, { fromAt, toAt: now }, now);
      if (ms === 0) return day;
      const rest = withoutSecs(day.secs, secs);
      const spanSecs = Math.floor((now - fromAt - ms) / 1000);
      return {
        ...day,
        secs: rest,
        uptimePermille: uptimeShare(rest),
        coveragePermille: spanSecs <= 0 ? 1000 : coverageShare(rest, spanSecs),
      };
    },
  };
}

function isSameSecs(a: Readonly<StatusSecs>, b: Readonly<StatusSecs>): boolean {
  return a.up === b.up && a.degraded === b.degraded && a.down === b.down && a.unknown === b.unknown;
}

function firstDayAt({ now, days }: { readonly now: number; readonly days: number }): number {
  return (Math.floor(now / dayMs) - days + 1) * dayMs;
}

const hourMs = 3_600_000;
const dayMs = 86_400_000;
