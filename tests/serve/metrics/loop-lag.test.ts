import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLagMeter } from '../../../src/serve/metrics/loop-lag.ts';

/** A clock on which only what sleeps takes time; `lateMs` is by how much the sleeps that come end late, then it stands. */
function lateClock(lateMs: number[]) {
  let nowMs = 0;
  return {
    monotonic: () => nowMs,
    sleep: (ms: number) => {
      const late = lateMs.shift();
      if (late === undefined) return new Promise<never>(() => undefined);
      nowMs += ms + late;
      return Promise.resolve();
    },
  };
}

const allDone = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('the lag of the event loop', () => {
  it('is by how much its beats come late, from the start on', async () => {
    const meter = createLagMeter(lateClock([0, 3, 1, 40]));
    assert.deepEqual(meter.read(), { p50Ms: 0, p99Ms: 0, maxMs: 0 });
    await allDone();
    assert.deepEqual(meter.read(), { p50Ms: 1, p99Ms: 40, maxMs: 40 });
    meter.stop();
  });

  it('is of the last whole minute once there is one, regardless of readers meanwhile', async () => {
    const minute = (worst: number) => [2, worst, ...Array.from({ length: 58 }, () => 0)];
    const lateMs = [...minute(30), ...minute(7), 500];
    const meter = createLagMeter(lateClock(lateMs));
    await allDone();
    assert.equal(lateMs.length, 0);
    assert.deepEqual([meter.read().p50Ms, meter.read().maxMs], [0, 7]);
    meter.stop();
  });

  it('is felt once a second, at the beats of whatever else wakes an idle daemon', async () => {
    const waits: number[] = [];
    let nowMs = 1234.25;
    const meter = createLagMeter({
      monotonic: () => nowMs,
      sleep: (ms) => {
        waits.push(ms);
        nowMs += ms;
        return waits.length < 4 ? Promise.resolve() : new Promise(() => undefined);
      },
    });
    await allDone();
    assert.deepEqual(waits, [766, 1000, 1000, 1000]);
    meter.stop();
  });
});
