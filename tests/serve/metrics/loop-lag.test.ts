import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLagMeter } from '../../../src/serve/metrics/loop-lag.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** Two beats of the meter. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 1100));

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('the lag of the event loop', () => {
  it('is what others had to wait, and of the last whole minute once there is one', async () => {
    const clock = new VirtualClock();
    const meter = createLagMeter(clock);
    try {
      await turn();
      // Longer than what else the machine does delays a turn.
      block(2000);
      await turn();
      const before = meter.read();
      assert.ok(before.maxMs >= 60, `${before.maxMs}`);
      assert.ok(before.p50Ms <= before.p99Ms && before.p99Ms <= before.maxMs * 1.01);
      clock.advance(60_000);
      await turn();
      assert.ok(meter.read().maxMs >= 60);
      clock.advance(60_000);
      await turn();
      assert.ok(meter.read().maxMs < before.maxMs);
    } finally {
      meter.stop();
    }
  });
});
