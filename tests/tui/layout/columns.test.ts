import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsFor, gap, gutter, headingOf } from '../../../src/tui/layout/columns.ts';
import { panesOf, regionsOf, scrolledTo } from '../../../src/tui/layout/regions.ts';

const room = { nameWidth: 18, noteWidth: 40, hasSlo: true, checks: 30, hours: 24, days: 90 };

function namesAt(width: number, given: Partial<typeof room> = {}): readonly string[] {
  return columnsFor({ ...room, ...given, width }).map(({ name }) => name);
}

describe('the columns', () => {
  it('are never wider than the terminal, and their headings never wider than they are', () => {
    for (let width = 20; width <= 300; width++) {
      const tableColumns = columnsFor({ ...room, width });
      const used = tableColumns.reduce((sum, tableColumn) => sum + gap + tableColumn.width, gutter - gap);
      assert.ok(used <= width, `${used} of ${width}`);
      for (const column of tableColumns)
        assert.ok(headingOf(column, room.days).length <= column.width, headingOf(column, room.days));
    }
  });

  it('come in the order of their worth as there is room', () => {
    assert.deepEqual(namesAt(40), ['name', 'now', 'uptime']);
    assert.deepEqual(namesAt(60), ['name', 'now', 'uptime', 'p95', 'checks']);
    assert.deepEqual(namesAt(80), ['name', 'now', 'uptime', 'p95', 'checks', 'note']);
    const all = ['name', 'now', 'uptime', 'slo', 'p95', 'checks', 'latency', 'note', 'days'];
    assert.deepEqual(namesAt(120), all);
    assert.deepEqual(namesAt(120, { nameWidth: 30 }), all.toSpliced(7, 1));
    assert.deepEqual(namesAt(160), all);
  });

  it('leave out what says nothing', () => {
    assert.ok(!namesAt(200, { noteWidth: 0 }).includes('note'));
    assert.ok(!namesAt(200, { hasSlo: false }).includes('slo'));
    assert.ok(!namesAt(200, { checks: 0 }).includes('checks'));
  });

  it('give the note of a new daemon the width that its past would have', () => {
    const young = columnsFor({ ...room, noteWidth: 90, checks: 4, hours: 0, days: 0, width: 160 });
    assert.deepEqual(
      young.map(({ name }) => name),
      ['name', 'now', 'uptime', 'slo', 'p95', 'checks', 'note'],
    );
    assert.ok((young.at(-1)?.width ?? 0) >= 80, String(young.at(-1)?.width));
  });

  it('leave out a nearly empty day of latency where a name or a note needs its width', () => {
    const young = { ...room, nameWidth: 30, noteWidth: 20, hours: 2, days: 0 };
    for (let width = 40; width <= 240; width++) {
      const found = new Map(columnsFor({ ...young, width }).map((column) => [column.name, column.width]));
      if (!found.has('latency')) continue;
      assert.ok((found.get('name') ?? 0) >= 33, `name at ${width}`);
      assert.ok((found.get('note') ?? 0) >= 20, `note at ${width}`);
    }
    assert.ok(namesAt(160, young).includes('latency'));
    assert.ok(!namesAt(118, young).includes('latency'));
    assert.ok(namesAt(118, { ...young, hours: 12 }).includes('latency'));
  });

  it('cut no name beside empty space', () => {
    const columns = columnsFor({ ...room, nameWidth: 60, noteWidth: 10, hours: 0, days: 0, width: 160 });
    assert.equal(columns[0]?.width, 63);
  });

  it('say how many checks and days they hold', () => {
    for (const width of [120, 160, 200, 260]) {
      for (const days of [90, 30]) {
        const headings = columnsFor({ ...room, days, width }).map((column) => headingOf(column, days));
        assert.ok(headings.includes(`${days} DAYS`), headings.join());
      }
    }
    const headings = columnsFor({ ...room, width: 200 }).map((column) => headingOf(column, 90));
    assert.ok(headings.includes('LAST 30 CHECKS'));
    assert.ok(!columnsFor({ ...room, days: 0, width: 300 }).some(({ name }) => name === 'days'));
  });
});

describe('the regions', () => {
  it('always leave lines for the table', () => {
    for (let rows = 1; rows <= 80; rows++) {
      const { body } = regionsOf({
        rows,
        columns: 80,
        banners: 50,
        channels: 50,
        incidents: 50,
        dialog: 3,
        table: 5,
        events: 40,
      });
      assert.ok(body >= Math.min(3, Math.max(1, rows - 5)), String(rows));
    }
  });

  it('say at least that a channel is broken, however small the terminal', () => {
    const needs = {
      rows: 9,
      columns: 80,
      banners: 3,
      channels: 2,
      incidents: 4,
      dialog: 0,
      table: 100,
      events: 0,
    };
    assert.equal(regionsOf(needs).channels, 1);
  });
});

describe('the panes', () => {
  it('show a monitor beside the table from 160 columns on, and instead of it below', () => {
    assert.deepEqual(panesOf(159, true), { table: 0, pane: 159 });
    const { table, pane } = panesOf(160, true);
    assert.ok(table >= 80 && pane >= 60 && table + pane === 160);
    assert.deepEqual(panesOf(200, false), { table: 200, pane: 0 });
  });
});

describe('scrolling', () => {
  it('moves no more than it has to', () => {
    const view = { body: 10, count: 100 };
    assert.equal(scrolledTo(5, 0, view), 0);
    assert.equal(scrolledTo(10, 0, view), 1);
    assert.equal(scrolledTo(50, 60, view), 50);
    assert.equal(scrolledTo(99, 0, view), 90);
  });

  it('leaves no empty lines at the end', () => {
    assert.equal(scrolledTo(3, 40, { body: 10, count: 5 }), 0);
  });
});
