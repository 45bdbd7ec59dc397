/** Builds what the status page shows, whole or of one group, in steps short enough for the probes not to notice. */
import { uptimeShare } from '../../db/read/share.ts';
import { monitorView, type Reader } from '../../engine/views/monitor.ts';
import type { PageFigures, PageMonitor, PageSummary } from '../../engine/views/page.ts';
import type { MonitorViewCache } from './monitor-view-cache.ts';
import { frameOf } from './frame.ts';
import { gather, type GatherRequest, type GatherSources, type MonitorFound, sumsOf } from './gather.ts';

export interface Overview {
  /** Its monitors are the same objects as the last time when nothing in them changed, their latency aside. */
  readonly summary: PageSummary;
  /** By config id. */
  readonly figures: ReadonlyMap<string, PageFigures>;
  /** Of all monitors that may be named, by config id. */
  readonly names: ReadonlyMap<string, string>;
}

/** As many monitors are read in one step. */
const stepSize = 5;

/** Of the monitors of `asked`; what names others is left out of it. */
export async function buildOverview(
  sources: GatherSources & { readonly views: MonitorViewCache },
  gatherRequest: GatherRequest,
): Promise<Overview> {
  const { yieldTurn, histories, views } = sources;
  const { config, visible, known, reader } = gatherRequest;
  const naming: Reader = { ...reader, isVisible: (id) => known.has(id) };
  const { find, situation } = await gather(sources, gatherRequest);
  const monitors: PageMonitor[] = [];
  const allFigures = new Map<string, PageFigures>();
  for (const [index, monitor] of visible.entries()) {
    const monitorFound = find(monitor);
    const figures = new LazyFigures(monitorFound);
    monitors.push(
      views.of({
        view: monitorView(monitor, monitorFound.facts, { reader: naming, situation }),
        history: histories.of(monitor.id, monitorFound.bars.slice(-config.page.history_days)),
        uptimes: figures,
      }),
    );
    allFigures.set(monitor.id, figures);
    if (index % stepSize === stepSize - 1) await yieldTurn();
  }
  const { head, tail } = frameOf(
    sources,
    gatherRequest,
    monitors.map(({ status }) => status),
  );
  const names = new Map([...known].map(([id, { name }]) => [id, name]));
  return { summary: { ...head, monitors, ...tail }, figures: allFigures, names };
}

/** Uptime in hundredths of a percent. The points are read when they are drawn, which is seldom. */
class LazyFigures implements PageFigures {
  readonly day: number | null;
  readonly week: number | null;
  readonly month: number | null;
  readonly quarter: number | null;
  readonly #points: MonitorFound['points'];

  constructor({ day, bars, points }: MonitorFound) {
    this.day = day === null ? null : uptimeShare(day.secs, 10_000);
    const [week = null, month = null, quarter = null] = sumsOf(bars, [7, 30, 90]).map((secs) =>
      uptimeShare(secs, 10_000),
    );
    this.week = week;
    this.month = month;
    this.quarter = quarter;
    this.#points = points;
  }

  get points(): PageFigures['points'] {
    return this.#points();
  }
}
