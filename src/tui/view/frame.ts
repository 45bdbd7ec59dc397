/** Draws the whole screen: as many lines as it has, none wider than it. */
import { cutLine, emptyLine, line, span, type ScreenLine } from '../line.ts';
import { currentRows, regionsFor, selectedIn, type ScreenState } from '../state.ts';
import { detailLines } from './detail.ts';
import { footerLine } from './footer.ts';
import { headerLines } from './header.ts';
import { helpLines } from './help.ts';
import { tableColumns, tableHeading, tableRows, type TablePen } from './table.ts';

export interface ScreenFrame {
  readonly lines: readonly ScreenLine[];
  /** How far the detail or the help can be scrolled. */
  readonly mostScroll: number;
}

export function drawFrame(state: ScreenState, tablePen: TablePen): ScreenFrame {
  const { rows, columns } = state.size;
  const { above, body, mostScroll } = contentOf(state, tablePen);
  const height = Math.max(0, rows - above.length - 1);
  const filling = Array.from({ length: Math.max(0, height - body.length) }, () => emptyLine);
  const lines = [...above, ...body.slice(0, height), ...filling, footerLine(state, tablePen)].slice(-rows);
  return { lines: lines.map((one) => cutLine(one, columns, tablePen.cells)), mostScroll };
}

interface Content {
  /** Stays where it is. */
  readonly above: readonly ScreenLine[];
  readonly body: readonly ScreenLine[];
  readonly mostScroll: number;
}

function contentOf(state: ScreenState, tablePen: TablePen): Content {
  const regions = regionsFor(state);
  const above = headerLines(state, regions, tablePen);
  switch (state.place) {
    case 'list':
      return {
        above: regions.hasGap ? [...above, emptyLine] : above,
        body: listLines(state, regions.body, tablePen),
        mostScroll: 0,
      };
    case 'detail':
      return scrollable([...above.slice(0, 1), emptyLine], monitorLines(state, tablePen), state);
    case 'help':
      return scrollable([], helpLines(tablePen), state);
  }
}

function scrollable(
  above: readonly ScreenLine[],
  whole: readonly ScreenLine[],
  { scroll, size }: ScreenState,
): Content {
  const room = Math.max(1, size.rows - above.length - 1);
  const mostScroll = Math.max(0, whole.length - room);
  return { above, body: whole.slice(Math.min(scroll, mostScroll)), mostScroll };
}

function listLines(state: ScreenState, height: number, tablePen: TablePen): ScreenLine[] {
  const { model, selectedId, size, isGrouped, top } = state;
  if (model === null) return [];
  const rows = currentRows(state);
  const view = {
    model,
    rows: rows.slice(top, top + height),
    selectedId: selectedIn(rows, selectedId),
    columns: tableColumns(model.summary, tablePen, { width: size.columns, isGrouped }),
  };
  if (rows.length === 0) {
    const why = state.filter.trim() === '' ? 'there are no monitors' : 'no monitor matches the filter';
    return [tableHeading(view, tablePen), line(span(`  ${why}`, 'dim'))];
  }
  return [
    tableHeading(view, tablePen),
    ...tableRows(view, tablePen).map((one) => padSelected(one, size.columns, tablePen)),
  ];
}

/** The cursor is as wide as the screen. */
function padSelected(one: ScreenLine, width: number, { cells }: TablePen): ScreenLine {
  if (one.isSelected !== true) return one;
  const used = one.spans.reduce((sum, { text }) => sum + cells.measure(text), 0);
  return { ...one, spans: [...one.spans, span(' '.repeat(Math.max(0, width - used)))] };
}

function monitorLines(state: ScreenState, tablePen: TablePen): ScreenLine[] {
  const { model, detail, nowAt, size } = state;
  const id = selectedIn(currentRows(state), state.selectedId);
  const monitor = model?.summary.monitors.find((one) => one.id === id);
  if (model === null || monitor === undefined)
    return [line(span('there is no such monitor any more', 'dim'))];
  const chartHeight = Math.min(10, Math.max(4, Math.floor(size.rows / 4)));
  const own = detail?.id === monitor.id ? detail : null;
  return detailLines({ model, monitor, detail: own, nowAt, width: size.columns, chartHeight }, tablePen);
}
