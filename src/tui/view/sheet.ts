/** Writes one frame for paper or a pipe: all monitors, no cursor, no keys. */
import { cutLine, emptyLine, type ScreenLine } from '../line.ts';
import { regionsOf } from '../layout/regions.ts';
import { rowsOf } from '../rows.ts';
import type { ScreenState } from '../state.ts';
import { headerLines } from './header.ts';
import { tableColumns, tableHeading, tableRows, type TablePen } from './table.ts';

/** Plenty: nothing above the table is left out. */
const rows = 100_000;

export function shortcutLines(state: ScreenState, tablePen: TablePen): readonly ScreenLine[] {
  const { model, size, isGrouped } = state;
  if (model === null) return [];
  const width = size.columns;
  const view = {
    model,
    rows: rowsOf(model.summary, state),
    selectedId: null,
    columns: tableColumns(model.summary, tablePen, { width, isGrouped }),
  };
  const regions = regionsOf({ rows, banners: rows, channels: rows, incidents: rows });
  const lines = [
    ...headerLines(state, regions, tablePen),
    emptyLine,
    tableHeading(view, tablePen),
    ...tableRows(view, tablePen),
  ];
  return lines.map((one) => cutLine(one, width, tablePen.cells));
}
