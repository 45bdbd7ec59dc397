/** Writes one frame for paper or a pipe: all monitors, no cursor, no keys. */
import { cutLine, emptyLine, type Line } from '../line.ts';
import { regionsOf } from '../layout/regions.ts';
import { rowsOf } from '../rows.ts';
import type { State } from '../state.ts';
import { headerLines } from './header.ts';
import { tableColumns, tableHeading, tableRows, type Pen } from './table.ts';

/** Plenty: nothing above the table is left out. */
const rows = 100_000;

export function sheetLines(state: State, pen: Pen): readonly Line[] {
  const { model, size, isGrouped } = state;
  if (model === null) return [];
  const width = size.columns;
  const view = {
    model,
    rows: rowsOf(model.summary, state),
    selectedId: null,
    columns: tableColumns(model.summary, pen, { width, isGrouped }),
  };
  const regions = regionsOf({ rows, banners: rows, channels: rows, incidents: rows });
  const lines = [
    ...headerLines(state, regions, pen),
    emptyLine,
    tableHeading(view, pen),
    ...tableRows(view, pen),
  ];
  return lines.map((one) => cutLine(one, width, pen.cells));
}
