import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsOf, mouseOf, type MouseMove } from '../../src/tui/mouse.ts';
import { selectedId } from '../../src/tui/selection.ts';
import { type Event, reduce, type ScreenState } from '../../src/tui/state.ts';
import { createTheme } from '../../src/tui/theme.ts';
import { screenLines } from '../../src/tui/view/screen.tsx';
import { liveOf, modelOf, stateWith, troubled } from './facts.ts';

const read: readonly Event[] = [
  { kind: 'read', model: modelOf(troubled()) },
  { kind: 'glanced', live: liveOf(troubled()) },
];
const command = (name: Extract<Event, { kind: 'command' }>['command']): Event => ({
  kind: 'command',
  command: name,
});
const pointed = (state: ScreenState, mouse: MouseMove) => eventsOf(state, mouse).reduce(reduce, state);
const click = (line: number, column = 5): MouseMove => ({ kind: 'click', line, column });

/** The line of the screen that a monitor stands on. */
function lineOf(state: ScreenState, name: string): number {
  const lines = screenLines(state, createTheme('none', true));
  return lines.findIndex((line) => line.includes(name) && line.includes('✓✓'));
}

describe('the mouse', () => {
  it('is read from the reports of the terminal, and from nothing else', () => {
    assert.deepEqual(mouseOf('[<0;10;5M'), { kind: 'click', column: 9, line: 4 });
    assert.deepEqual(mouseOf('[<64;1;1M'), { kind: 'wheelUp', column: 0, line: 0 });
    assert.deepEqual(mouseOf('[<65;200;60M'), { kind: 'wheelDown', column: 199, line: 59 });
    for (const report of ['[<0;10;5m', '[<2;1;1M', '[<35;4;4M']) assert.equal(mouseOf(report), 'other');
    for (const typed of ['', 'q', '[A', 'm', '[<0;10M']) assert.equal(mouseOf(typed), null);
  });

  it('puts the cursor on the row it clicks, at every size, and opens it with another click', () => {
    for (const [columns, rows] of [
      [60, 24],
      [80, 24],
      [120, 40],
      [200, 60],
    ] as const) {
      const state = stateWith(columns, rows, ...read);
      const line = lineOf(state, 'Website');
      assert.notEqual(line, -1, `${columns}x${rows}`);
      const there = pointed(state, click(line));
      assert.equal(selectedId(there), 'web', `${columns}x${rows}`);
      assert.equal(there.place, 'list');
      assert.equal(pointed(there, click(line)).place, 'detail');
    }
  });

  it('folds the group it clicks', () => {
    const state = stateWith(120, 40, ...read, command('group'));
    const line = screenLines(state, createTheme('none', true)).findIndex((text) => text.includes('▾ Edge'));
    assert.ok(pointed(state, click(line)).folded.has('Edge'));
  });

  it('moves the cursor with the wheel, and scrolls the help', () => {
    const state = stateWith(80, 24, ...read);
    const down: MouseMove = { kind: 'wheelDown', line: 3, column: 3 };
    assert.equal(selectedId(pointed(state, down)), 'db');
    const help = { ...reduce(state, command('help')), mostScroll: 20 };
    assert.equal(pointed(help, down).scroll, 3);
    assert.equal(pointed(pointed(help, down), { ...down, kind: 'wheelUp' }).scroll, 0);
  });

  it('goes to another monitor over the table beside an open one, and scrolls over its pane', () => {
    const state = { ...stateWith(160, 40, ...read, command('open')), mostScroll: 20 };
    assert.equal(selectedId(pointed(state, { kind: 'wheelDown', line: 20, column: 4 })), 'search');
    assert.equal(pointed(state, { kind: 'wheelDown', line: 20, column: 150 }).scroll, 3);
  });

  it('does nothing where there is no row, or while something is typed', () => {
    const state = stateWith(80, 24, ...read);
    assert.equal(pointed(state, click(0)), state);
    assert.equal(pointed(state, click(23)), state);
    const typing = reduce(state, command('silence'));
    assert.equal(pointed(typing, click(lineOf(state, 'Website'))), typing);
  });
});
