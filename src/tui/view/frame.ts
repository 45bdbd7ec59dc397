/** Draws the whole screen: as many lines as it has, none wider than it. */
import { cutLine, emptyLine, line, span, type Line } from '../line.ts';
import { currentRows, regionsFor, selectedIn, type State } from '../state.ts';
import { detailLines } from './detail.ts';
import { footerLine } from './footer.ts';
import { headerLines } from './header.ts';
import { helpLines } from './help.ts';
import { tableColumns, tableHeading, tableRows, type Pen } from './table.ts';

export interface Frame {
  readonly lines: readonly Line[];
  /** How far the detail or the help can be scrolled. */
  readonly mostScroll: number;
}

export function drawFrame(state: State, pen: Pen): Frame {
  const { rows, columns } = state.size;
  const { above, body, mostScroll } = contentOf(state, pen);
  const height = Math.max(0, rows - above.length - 1);
  const filling = Array.from({ length: Math.max(0, height - body.length) }, () => emptyLine);
  const lines = [...above, ...body.slice(0, height), ...filling, footerLine(state, pen)].slice(-rows);
  return { lines: lines.map((one) => cutLine(one, columns, pen.cells)), mostScroll };
}

interface Content {
  /** Stays where it is. */
  readonly above: readonly Line[];
  readonly body: readonly Line[];
  readonly mostScroll: number;
}

function contentOf(state: State, pen: Pen): Content {
  const regions = regionsFor(state);
  const above = headerLines(state, regions, pen);
  switch (state.place) {
    case 'list':
      return {
        above: regions.hasGap ? [...above, emptyLine] : above,
        body: listLines(state, regions.body, pen),
        mostScroll: 0,
      };
    case 'detail':
      return scrollable([...above.slice(0, 1), emptyLine], monitorLines(state, pen), state);
    case 'help':
      return scrollable([], helpLines(pen), state);
  }
}

function scrollable(above: readonly Line[], whole: readonly Line[], { scroll, size }: State): Content {
  const room = Math.max(1, size.rows - above.length - 1);
  const mostScroll = Math.max(0, whole.length - room);
  return { above, body: whole.slice(Math.min(scroll, mostScroll)), mostScroll };
}

function listLines(state: State, height: number, pen: Pen): Line[] {
  const { model, selectedId, size, isGrouped, top } = state;
  if (model === null) return [];
  const rows = currentRows(state);
  const view = {
    model,
    rows: rows.slice(top, top + height),
    selectedId: selectedIn(rows, selectedId),
    columns: tableColumns(model.summary, pen, { width: size.columns, isGrouped }),
  };
  if (rows.length === 0) {
    const why = state.filter.trim() === '' ? 'there are no monitors' : 'no monitor matches the filter';
    return [tableHeading(view, pen), line(span(`  ${why}`, 'dim'))];
  }
  return [tableHeading(view, pen), ...tableRows(view, pen).map((one) => padSelected(one, size.columns, pen))];
}

/** The cursor is as wide as the screen. */
function padSelected(one: Line, width: number, { cells }: Pen): Line {
  if (one.isSelected !== true) return one;
  const used = one.spans.reduce((sum, { text }) => sum + cells.measure(text), 0);
  return { ...one, spans: [...one.spans, span(' '.repeat(Math.max(0, width - used)))] };
}

function monitorLines(state: State, pen: Pen): Line[] {
  const { model, detail, nowAt, size } = state;
  const id = selectedIn(currentRows(state), state.selectedId);
  const monitor = model?.summary.monitors.find((one) => one.id === id);
  if (model === null || monitor === undefined)
    return [line(span('there is no such monitor any more', 'dim'))];
  const chartHeight = Math.min(10, Math.max(4, Math.floor(size.rows / 4)));
  const own = detail?.id === monitor.id ? detail : null;
  return detailLines({ model, monitor, detail: own, nowAt, width: size.columns, chartHeight }, pen);
}
