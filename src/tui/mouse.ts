/** Turns mouse events into actions, by position. */
import type { Event } from './state.ts';
import { panesOf } from './layout/regions.ts';
import { keyOfRow } from './rows.ts';
import type { ScreenState } from './screen-state.ts';
import { cursorIn, regionsFor, shownRows } from './selection.ts';

export interface MouseMove {
  readonly kind: 'click' | 'wheelUp' | 'wheelDown';
  /** From 0, at the top left. */
  readonly column: number;
  readonly line: number;
}

/** A report as terminals send it (SGR, mode 1006), without its escape character; null: it is none, or says nothing. */
export function mouseOf(report: string): MouseMove | 'other' | null {
  const [, button = '', x = '', y = '', end = ''] = /^\[<(\d+);(\d+);(\d+)([Mm])$/.exec(report) ?? [];
  if (button === '') return null;
  const at = { column: Number(x) - 1, line: Number(y) - 1 };
  if (button === '64') return { kind: 'wheelUp', ...at };
  if (button === '65') return { kind: 'wheelDown', ...at };
  return button === '0' && end === 'M' ? { kind: 'click', ...at } : 'other';
}

/** Lines that one notch of the wheel moves. */
const notch = 3;

/** A click puts the cursor on a row, and opens what the cursor is on; the wheel moves the cursor, or what is read. */
export function eventsOf(state: ScreenState, mouse: MouseMove): readonly Event[] {
  if (state.prompt !== null) return [];
  const { table } = panesOf(state.size.columns, state.place === 'detail');
  const isOverTable = state.place !== 'help' && mouse.column < table;
  if (mouse.kind !== 'click') {
    const isUp = mouse.kind === 'wheelUp';
    if (state.place === 'detail' && isOverTable) return [command(isUp ? 'previous' : 'next')];
    return Array.from({ length: notch }, () => command(isUp ? 'up' : 'down'));
  }
  const row = isOverTable ? shownRows(state)[mouse.line - firstLineOf(state)] : undefined;
  if (row === undefined) return [];
  const cursor = state.rows[cursorIn(state)];
  const isThere = cursor !== undefined && keyOfRow(cursor) === keyOfRow(row);
  if (isThere) return state.place === 'list' ? [command('open')] : [];
  const picked = { kind: 'picked', key: keyOfRow(row) } as const;
  // What stands beside the table is about a monitor.
  return row.kind === 'group' ? (state.place === 'list' ? [picked, command('open')] : []) : [picked];
}

function command(name: 'up' | 'down' | 'previous' | 'next' | 'open'): Event {
  return { kind: 'command', command: name };
}

/** The line of the first row of the table. */
function firstLineOf(state: ScreenState): number {
  const { headline, channels, banners, incidents } = regionsFor(state);
  // The rules above the incidents and the table, and its heading.
  return headline + channels + banners + (incidents === 0 ? 0 : incidents + 1) + 2;
}
