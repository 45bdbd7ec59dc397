/** Says how much room the contents of the table want. */
import { cleanLine } from '../engine/core/text.ts';
import type { PageSummary } from '../engine/views/page.ts';
import { noteOf } from './cells.ts';
import { cellsOf } from './fitted.ts';
import type { TableRoom } from './layout/columns.ts';

export type TableWants = Pick<TableRoom, 'nameWidth' | 'noteWidth' | 'hasSlo'>;

/** Asked once a reading, since it looks at every monitor. */
export function wantsOf({ monitors, generated_at: now }: PageSummary): TableWants {
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, cellsOf(text)), 0);
  return {
    nameWidth: widest(monitors.map(({ name }) => cleanLine(name))),
    noteWidth: widest(monitors.map((monitor) => noteOf({ monitor, because: null }, now))),
    hasSlo: monitors.some(({ slo_uptime_pct }) => slo_uptime_pct !== null),
  };
}
