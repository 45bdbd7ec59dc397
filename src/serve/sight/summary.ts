/** Builds the summary for one viewer, in steps short enough for the probes not to notice. */
import { monitorView } from '../../engine/views/monitor.ts';
import { frameOf } from './frame.ts';
import { type Asked, gather, type GatherSources } from './gather.ts';

/** As many monitors are put into words in one step. */
const stepSize = 10;

/** The JSON of the summary, as bytes. */
export async function buildSummary(sources: GatherSources, asked: Asked): Promise<Buffer> {
  const { breathe, histories } = sources;
  const { config, visible, reader } = asked;
  const { bars, factsOf, situation } = await gather(sources, asked);
  const cards: Buffer[] = [];
  for (let from = 0; from < visible.length; from += stepSize) {
    const texts = visible.slice(from, from + stepSize).map((monitor) => {
      const view = monitorView(monitor, factsOf(monitor), { reader, situation });
      const shown = (bars.get(monitor.id) ?? []).slice(-config.page.history_days);
      return `${JSON.stringify(view).slice(0, -1)},"history":${histories.textOf(monitor.id, shown)}}`;
    });
    cards.push(Buffer.from(`${from === 0 ? '' : ','}${texts.join(',')}`));
    await breathe();
  }
  const { head, tail } = frameOf(
    sources,
    asked,
    visible.map((monitor) => factsOf(monitor).status),
  );
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"monitors":[`),
    ...cards,
    Buffer.from(`],${JSON.stringify(tail).slice(1)}`),
  ]);
}
