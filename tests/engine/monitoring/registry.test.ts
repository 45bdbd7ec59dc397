/** What a change of many monitors at once leaves to others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MonitorRegistry } from '../../../src/engine/monitoring/registry.ts';
import { load } from '../../support/config.ts';
import { httpMonitors } from './world.ts';
import { memoryStore } from './memory-store.ts';

const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);

describe('a reload that changes every monitor', () => {
  it('leaves the event loop to others between one monitor and the next', async () => {
    let nowMs = 0;
    // Whatever is done takes longer than work may go on for.
    const clock = { now: () => 1_000_000, monotonic: () => (nowMs += 6), sleep: () => Promise.resolve() };
    const turns: number[] = [];
    let turn = 0;
    const registry = new MonitorRegistry({
      store: await memoryStore(),
      clock,
      watch: () => turns.push(turn),
      unwatch: () => undefined,
      isStandIn: () => false,
    });
    const [before, after] = [
      await load(httpMonitors(ids)),
      await load(httpMonitors(ids, 'timeout_secs = 3')),
    ];
    registry.start(before.config.monitors);
    turns.length = 0;
    let isOver = false;
    const count = () => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const { restarted } = await registry.swap(after.config.monitors, () => undefined);
    isOver = true;
    assert.equal(restarted.length, ids.length);
    assert.ok(new Set(turns).size > ids.length / 2, `all were replaced within ${new Set(turns).size} turns`);
  });
});
