/** Selects from the state what is on the screen: the row under the cursor, the rows that fit. */
import type { LiveView } from '../engine/views/live.ts';
import type { PageSummary } from '../engine/views/page.ts';
import { incidentBlocks } from './incidents.ts';
import { panesOf, regionsOf, wideColumns, type Regions } from './layout/regions.ts';
import { bannersOf, ownTroubles } from './notices.ts';
import { keyOfRow, type TableRow } from './rows.ts';
import type { ScreenState } from './screen-state.ts';
import { createTheme } from './theme.ts';

/** The row the cursor stands on: where it was put, else the first monitor. -1: there is no row. */
export function cursorIn({ rows, selectedKey }: Pick<ScreenState, 'rows' | 'selectedKey'>): number {
  const index = selectedKey === null ? -1 : rows.findIndex((row) => keyOfRow(row) === selectedKey);
  if (index !== -1) return index;
  const first = rows.findIndex(({ kind }) => kind === 'monitor');
  return first === -1 ? rows.length - 1 : first;
}

/**
 * The monitor that is open, else the one under the cursor; null: there is none. One that is open stays so when it leaves
 * the list, because it matches the filter no more or its group is folded.
 */
export function selectedId(state: ScreenState): string | null {
  const { place, placeBefore, selectedKey, model } = state;
  const isOpen = (place === 'help' ? placeBefore : place) === 'detail';
  if (isOpen && selectedKey !== null)
    return model?.summary.monitors.some(({ id }) => id === selectedKey) === true ? selectedKey : null;
  const row = state.rows[cursorIn(state)];
  return row?.kind === 'monitor' ? row.monitor.id : null;
}

/** Where the cursor goes when the row it stood on leaves the list: to the one that is in its place now. */
export function keptCursor(before: ScreenState, rows: readonly TableRow[]): string | null {
  const { selectedKey } = before;
  const index = before.rows.findIndex((row) => keyOfRow(row) === selectedKey);
  const isLost = index !== -1 && !rows.some((row) => keyOfRow(row) === selectedKey);
  const row = isLost && before.place === 'list' ? rows[Math.min(index, rows.length - 1)] : undefined;
  return row === undefined ? selectedKey : keyOfRow(row);
}

/** The rows on the screen. */
export function shownRows(state: ScreenState): readonly TableRow[] {
  const { table } = panesOf(state.size.columns, state.place === 'detail');
  return table === 0 || state.place === 'help'
    ? []
    : state.rows.slice(state.top, state.top + regionsFor(state).body);
}

/** The monitors whose last checks are seen: those on the screen, and the one that is open. */
export function seenIds(state: ScreenState): readonly string[] {
  const shown = shownRows(state).flatMap((row) => (row.kind === 'monitor' ? [row.monitor.id] : []));
  const open = state.place === 'detail' ? selectedId(state) : null;
  return open === null || shown.includes(open) ? shown : [...shown, open];
}

const plainMarks = createTheme('none', true).marks;

/** Asked several times a frame, and the same as long as nothing was read. */
const incidentLinesOf = new WeakMap<PageSummary, { live: LiveView | null; isWide: boolean; lines: number }>();

/** The lines that open incidents would take. */
function incidentLines({ model, live, size, nowAt }: ScreenState): number {
  if (model === null) return 0;
  const { summary } = model;
  const isWide = size.columns >= wideColumns;
  const known = incidentLinesOf.get(summary);
  if (known?.live === live && known.isWide === isWide) return known.lines;
  const blocks = incidentBlocks({ summary, live, aheadMs: 0, nowAt }, plainMarks);
  const lines = blocks.reduce(
    (sum, { sent, more }) => sum + (more.length > 0 || (!isWide && sent.length > 0) ? 2 : 1),
    0,
  );
  incidentLinesOf.set(summary, { live, isWide, lines });
  return lines;
}

/** Lines of the dialog of each prompt, above the line that is typed. */
export const dialogLines = 3;

export function regionsFor(state: ScreenState): Regions {
  const { model, size, prompt, live } = state;
  return regionsOf({
    ...size,
    banners: model === null ? 0 : bannersOf(model.summary).length,
    channels: model === null ? 0 : ownTroubles(model.summary).length,
    incidents: incidentLines(state),
    table: state.rows.length,
    events: live?.feed.length ?? 0,
    dialog: prompt === null || prompt.kind === 'filter' ? 0 : dialogLines,
  });
}
