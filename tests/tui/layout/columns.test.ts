import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsFor, gap, gutter } from '../../../src/tui/layout/columns.ts';
import { regionsOf, scrolledTo } from '../../../src/tui/layout/regions.ts';

const room = { nameWidth: 18, groupWidth: 10, isGrouped: false, hasError: true };

function namesAt(width: number, given: Partial<typeof room> = {}): readonly string[] {
  return columnsFor({ ...room, ...given, width }).map(({ name }) => name);
}

describe('the columns', () => {
  it('are never wider than the terminal', () => {
    for (let width = 12; width <= 300; width++) {
      const tableColumns = columnsFor({ ...room, width });
      const used = tableColumns.reduce((sum, tableColumn) => sum + gap + tableColumn.width, gutter - gap);
      assert.ok(used <= width, `${used} of ${width}`);
    }
  });

  it('come in the order of their worth as there is room', () => {
    assert.deepEqual(namesAt(42), ['status', 'name', 'uptime']);
    assert.deepEqual(namesAt(50), ['status', 'name', 'uptime', 'p95']);
    assert.deepEqual(namesAt(80), ['status', 'name', 'uptime', 'p95', 'trend', 'error']);
    assert.deepEqual(namesAt(120), [
      'status',
      'name',
      'group',
      'uptime',
      'p50',
      'p95',
      'p99',
      'trend',
      'error',
    ]);
  });

  it('leave out what says nothing', () => {
    assert.ok(!namesAt(200, { isGrouped: true }).includes('group'));
    assert.ok(!namesAt(200, { groupWidth: 0 }).includes('group'));
    assert.ok(!namesAt(200, { hasError: false }).includes('error'));
  });
});

describe('the regions', () => {
  it('always leave lines for the table', () => {
    for (let rows = 1; rows <= 80; rows++) {
      const { body } = regionsOf({ rows, banners: 50, channels: 50, incidents: 50 });
      assert.ok(body >= Math.min(3, Math.max(1, rows - 4)), String(rows));
    }
  });

  it('say at least that a channel is broken, however small the terminal', () => {
    assert.equal(regionsOf({ rows: 8, banners: 3, channels: 2, incidents: 4 }).channels, 1);
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
