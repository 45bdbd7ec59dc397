/** Prints one frame and is done. */
import type { PageSummary } from '../../engine/views/page.ts';
import type { Model } from '../../tui/model.ts';
import { initialState, reduce } from '../../tui/state.ts';
import { shortcutLines } from '../../tui/view/sheet.ts';
import type { TerminalLook } from './terminal-look.ts';

export interface OncePrint {
  readonly columns: number;
  readonly nowAt: number;
}

/** The whole table under its header, as text. */
export function onceText(
  model: Model,
  { columns, nowAt }: OncePrint,
  { theme, cells }: TerminalLook,
): string {
  const state = reduce(initialState({ columns, rows: 24 }, nowAt), { kind: 'read', model });
  const lines = shortcutLines(state, { cells, marks: theme.marks });
  return lines.map((line) => `${theme.paint(line).trimEnd()}\n`).join('');
}

/** Only what is wrong; null: nothing is. */
export function onlyWrong(summary: PageSummary): PageSummary | null {
  const monitors = summary.monitors.filter(({ status }) => status !== 'up');
  const channels = (summary.channels ?? []).filter(({ failing }) => failing);
  if (monitors.length + channels.length + summary.incidents.length === 0) return null;
  return { ...summary, monitors, channels };
}
