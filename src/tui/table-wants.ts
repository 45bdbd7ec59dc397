/** Measures how much width the contents of the table need. */
import { cleanLine } from '../engine/core/text.ts';
import type { PageSummary } from '../engine/views/page.ts';
import { noteOf } from './cells.ts';
import { cellsOf } from './fitted.ts';
import { acknowledgedIn } from './rows.ts';
import type { TableRoom } from './layout/columns.ts';

export type TableWants = Pick<TableRoom, 'nameWidth' | 'noteWidth' | 'hasSlo'>;

/** As wide as the branch before what stands below its cause. */
const nested = '  ';

/** Asked once a reading, since it looks at every monitor. */
export function wantsOf(summary: PageSummary): TableWants {
  const { monitors, generated_at: now } = summary;
  const acknowledged = acknowledgedIn(summary);
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, cellsOf(text)), 0);
  return {
    nameWidth: widest(monitors.map(({ name, cause }) => `${cause === null ? '' : nested}${cleanLine(name)}`)),
    noteWidth: widest(
      monitors.map((monitor) =>
        noteOf({ monitor, because: null, acknowledged: acknowledged.get(monitor.id) ?? null }, now),
      ),
    ),
    hasSlo: monitors.some(({ slo_uptime_pct }) => slo_uptime_pct !== null),
  };
}
