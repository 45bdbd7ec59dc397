import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { progressLine, showProgress, type ProgressLook } from '../../../src/commands/check/progress.ts';
import { paintWith } from '../../../src/commands/terminal/colour.ts';
import { unicodeGlyphs } from '../../../src/commands/terminal/glyphs.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const look: ProgressLook = {
  paint: paintWith(false),
  glyphs: unicodeGlyphs,
  cells: { measure: (text) => text.length, ellipsis: '…' },
};

const state = {
  done: 34,
  total: 100,
  names: ['api', 'web', 'billing', 'db', 'dns'],
  elapsedMs: 1234,
  frame: 2,
};

function shown(total: number) {
  const writes: string[] = [];
  const clock = new VirtualClock();
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed++) {
      clock.advance(1);
      await turn();
    }
  };
  const progress = showProgress(
    total,
    { clock, write: (text) => writes.push(text), columns: () => 80 },
    look,
  );
  return { writes, advance, progress };
}

test('the line reports how many are done, what is in flight, how long it took', () => {
  assert.equal(progressLine(state, 80, look), '⠹ 34/100 api, web, billing +2 · 1.2 s');
});

test('the line never fills the last column, whatever the width', () => {
  for (let columns = 1; columns < 60; columns++) {
    const { length } = progressLine(state, columns, look);
    assert.ok(length === 0 || length + '^C'.length < columns, `${length} cells in ${columns} columns`);
  }
});

test('nothing is drawn before there is something to wait for', async () => {
  const { writes, progress, advance } = shown(1);
  progress.start('api');
  await advance(50);
  progress.done('api');
  progress.end();
  assert.deepEqual(writes, []);
});

test('the line is redrawn at most twelve times a second', async () => {
  const { writes, progress, advance } = shown(500);
  for (let n = 0; n < 500; n++) {
    progress.start(`m${n}`);
    await advance(2);
    progress.done(`m${n}`);
  }
  progress.end();
  const draws = writes.filter((text) => text !== '\r\u001b[K');
  assert.ok(draws.length >= 10 && draws.length <= 13, `${draws.length} draws in a second`);
});

test('ending takes the line away and nothing comes after it', async () => {
  const { writes, progress, advance } = shown(2);
  progress.start('api');
  await advance(200);
  progress.end();
  assert.equal(writes.at(-1), '\r\u001b[K');
  const count = writes.length;
  await advance(1000);
  assert.equal(writes.length, count);
});

test('clearing makes room for other output until the next redraw', async () => {
  const { writes, progress, advance } = shown(2);
  progress.start('api');
  await advance(100);
  progress.clear();
  assert.equal(writes.at(-1), '\r\u001b[K');
  progress.clear();
  await advance(100);
  assert.match(writes.at(-1) ?? '', /0\/2 api/);
  progress.end();
});
