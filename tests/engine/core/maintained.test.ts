/** What maintenance takes out of the figures of a monitor: each moment once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maintainedWithin, maintenanceSpans, stretchesMs } from '../../../src/engine/core/maintained.ts';
import type { MaintenanceWindow } from '../../../src/engine/core/mute.ts';

const window = (startAt: number, endAt: number, ...monitors: string[]): MaintenanceWindow => ({
  title: 'Upgrade',
  startAt,
  endAt,
  monitors,
});
const within = (windows: readonly MaintenanceWindow[], fromAt = 0, toAt = 1000) =>
  maintainedWithin(windows, 'web', { fromAt, toAt }).map((each) => [each.fromAt, each.toAt]);

describe('the maintenance of a monitor', () => {
  it('is every window that names it, or names none', () => {
    const windows = [window(10, 20), window(30, 40, 'web', 'db'), window(50, 60, 'db')];
    assert.deepEqual(maintenanceSpans(windows, 'web'), [
      { startedAt: 10, endedAt: 20 },
      { startedAt: 30, endedAt: 40 },
    ]);
  });

  it('counts windows that overlap or follow each other as one, in whatever order they are written', () => {
    const windows = [window(300, 400), window(0, 100), window(50, 150), window(150, 200), window(310, 320)];
    assert.deepEqual(within(windows), [
      [0, 200],
      [300, 400],
    ]);
    assert.deepEqual(within([window(500, 600), window(700, 800), window(750, 760)]), [
      [500, 600],
      [700, 800],
    ]);
  });

  it('is cut to the stretch that is asked about, and leaves out what only touches it', () => {
    assert.deepEqual(within([window(0, 100), window(150, 900)], 50, 200), [
      [50, 100],
      [150, 200],
    ]);
    assert.deepEqual(within([window(0, 50), window(200, 300)], 50, 200), []);
  });

  it('lasts as long as its stretches together', () => {
    assert.equal(
      stretchesMs([
        { fromAt: 10, toAt: 30 },
        { fromAt: 100, toAt: 105 },
      ]),
      25,
    );
    assert.equal(stretchesMs([]), 0);
  });
});
