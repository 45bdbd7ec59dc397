/** Builds the summary for one viewer, in steps short enough for the probes not to notice. */
import { monitorView, readerState } from '../../engine/views/monitor.ts';
import { type MonitorViewCache, createMonitorViewCache } from './monitor-view-cache.ts';
import { headlineOf } from '../../engine/views/verdict.ts';
import { frameOf } from './frame.ts';
import { type GatherRequest, gather, type GatherSources } from './gather.ts';

/** How many monitors are put into words in one step. */
const stepSize = 5;

/** The JSON of the summary in pieces, most of which are those of the summary before. */
export async function summaryPieces(
  sources: GatherSources & { readonly views: MonitorViewCache },
  gatherRequest: GatherRequest,
): Promise<readonly Buffer[]> {
  const { yieldTurn, histories, views } = sources;
  const { config, visible, reader } = gatherRequest;
  const { find, situation } = await gather(sources, gatherRequest);
  const judged: Parameters<typeof frameOf>[2][number][] = [];
  const pieces: Buffer[] = [];
  for (const [index, monitor] of visible.entries()) {
    const { facts, bars, marks } = find(monitor);
    const shown = monitorView(monitor, facts, { reader, situation });
    const view = views.json(shown);
    const cachedHistory = histories.of(monitor.id, bars.slice(-config.page.history_days), marks());
    pieces.push(index === 0 ? view.subarray(2) : view, cachedHistory.json());
    judged.push({ status: facts.status, state: readerState(shown, facts), critical: monitor.critical });
    if (index % stepSize === stepSize - 1) await yieldTurn();
  }
  const { head, tail } = frameOf(sources, gatherRequest, judged);
  // Where many are down, the incidents take as long to be put into words as to be read.
  await yieldTurn();
  const first = Buffer.from(`${JSON.stringify({ ...head, ...headlineOf(head) }).slice(0, -1)},"monitors":[`);
  const last = Buffer.from(`${visible.length === 0 ? '' : '}'}],${JSON.stringify(tail).slice(1)}`);
  await yieldTurn();
  return [first, ...pieces, last];
}

/** The same as one, for who reads it once. */
export async function buildSummary(sources: GatherSources, gatherRequest: GatherRequest): Promise<Buffer> {
  return Buffer.concat(await summaryPieces({ ...sources, views: createMonitorViewCache() }, gatherRequest));
}
