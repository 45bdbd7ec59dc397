/** Builds the summary for one viewer, in steps short enough for the probes not to notice. */
import { monitorView } from '../../engine/views/monitor.ts';
import type { Status } from '../../engine/core/status.ts';
import { type Cards, createCards } from './cards.ts';
import { frameOf } from './frame.ts';
import { type Asked, gather, type GatherSources } from './gather.ts';

/** As many monitors are put into words in one step. */
const stepSize = 5;

/** The JSON of the summary in pieces, most of which are those of the summary before. */
export async function summaryPieces(
  sources: GatherSources & { readonly cards: Cards },
  asked: Asked,
): Promise<readonly Buffer[]> {
  const { breathe, histories, cards } = sources;
  const { config, visible, reader } = asked;
  const { find, situation } = await gather(sources, asked);
  const statuses: Status[] = [];
  const pieces: Buffer[] = [];
  for (const [index, monitor] of visible.entries()) {
    const { facts, bars } = find(monitor);
    const view = cards.json(monitorView(monitor, facts, { reader, situation }));
    const history = histories.of(monitor.id, bars.slice(-config.page.history_days));
    pieces.push(index === 0 ? view.subarray(2) : view, history.json());
    statuses.push(facts.status);
    if (index % stepSize === stepSize - 1) await breathe();
  }
  const { head, tail } = frameOf(sources, asked, statuses);
  return [
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"monitors":[`),
    ...pieces,
    Buffer.from(`${visible.length === 0 ? '' : '}'}],${JSON.stringify(tail).slice(1)}`),
  ];
}

/** The same as one, for who reads it once. */
export async function buildSummary(sources: GatherSources, asked: Asked): Promise<Buffer> {
  return Buffer.concat(await summaryPieces({ ...sources, cards: createCards() }, asked));
}
