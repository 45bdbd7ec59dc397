/** Builds what the status page shows, whole or of one group, in steps short enough for the probes not to notice. */
import { uptimeShare } from '../../db/read/share.ts';
import type { DayView } from '../../engine/views/day.ts';
import { monitorView } from '../../engine/views/monitor.ts';
import type { PageFigures, PageMonitor, PageSummary } from '../../engine/views/page.ts';
import { frameOf } from './frame.ts';
import { type Asked, gather, type Gathered, type GatherSources, sumOf } from './gather.ts';

export interface Overview {
  readonly summary: PageSummary;
  /** By config id. */
  readonly figures: ReadonlyMap<string, PageFigures>;
}

/** As many monitors are read in one step. */
const stepSize = 20;

/** Of the monitors of `asked`; what tells of others is left out of it. */
export async function buildOverview(sources: GatherSources, asked: Asked): Promise<Overview> {
  const { breathe, histories } = sources;
  const { config, visible, reader } = asked;
  const gathered = await gather(sources, asked);
  const { bars, factsOf, situation } = gathered;
  const latencies = sources.figures.latencies(reader.nowAt);
  await breathe();
  const monitors: PageMonitor[] = [];
  const figures = new Map<string, PageFigures>();
  for (const [index, monitor] of visible.entries()) {
    const { id } = monitor;
    const shown = (bars.get(id) ?? []).slice(-config.page.history_days);
    const history: readonly DayView[] = histories.viewsOf(id, shown);
    monitors.push({ ...monitorView(monitor, factsOf(monitor), { reader, situation }), history });
    figures.set(id, { ...uptimes(id, gathered), points: latencies.get(id) ?? [] });
    if (index % stepSize === stepSize - 1) await breathe();
  }
  const { head, tail } = frameOf(
    sources,
    asked,
    monitors.map(({ status }) => status),
  );
  return { summary: { ...head, monitors, ...tail }, figures };
}

/** In hundredths of a percent. */
function uptimes(id: string, { days, bars }: Gathered): Omit<PageFigures, 'points'> {
  const own = bars.get(id) ?? [];
  const day = days.get(id);
  const shareOf = (count: number) => uptimeShare(sumOf(own, count), 10_000);
  return {
    day: day === undefined ? null : uptimeShare(day.secs, 10_000),
    week: shareOf(7),
    month: shareOf(30),
    quarter: shareOf(90),
  };
}
