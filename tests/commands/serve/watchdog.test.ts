import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feedWatchdog, statusLine, type WatchdogOptions } from '../../../src/commands/serve/watchdog.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Lets a beat pass for each answer to whether there was progress. */
async function beats(progress: readonly boolean[], over: Partial<WatchdogOptions> = {}) {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const notified: string[][] = [];
  const logged: string[] = [];
  let beat = 0;
  const pulse = feedWatchdog({
    clock,
    log: ({ event }) => logged.push(event),
    signal: stopping.signal,
    report: (...assignments) => {
      notified.push([...assignments]);
      return Promise.resolve();
    },
    watchdogMs: 5000,
    hasProgressed: () => progress[beat++] ?? false,
    status: () => '1 up',
    ...over,
  });
  for (let count = 0; count < progress.length; count += 1) {
    await turn();
    clock.advance(over.watchdogMs === null ? 10_000 : 5000);
  }
  await turn();
  stopping.abort();
  await pulse;
  return { notified, logged };
}

describe('the pulse', () => {
  it('feeds the watchdog while there is progress, and says when there is none', async () => {
    const { notified, logged } = await beats([true, true, false, false, true]);
    assert.deepEqual(notified, [['STATUS=1 up'], ['WATCHDOG=1'], ['WATCHDOG=1'], ['WATCHDOG=1']]);
    assert.deepEqual(logged, ['watchdog.starved', 'watchdog.fed']);
  });

  it('without a watchdog reports the status when it is another one', async () => {
    const lines = ['1 up', '1 up', '1 down', '1 down', '1 down'];
    const { notified, logged } = await beats([true, false, false, false], {
      watchdogMs: null,
      status: () => lines.shift() ?? '',
    });
    assert.deepEqual(notified, [['STATUS=1 up'], ['STATUS=1 down']]);
    assert.deepEqual(logged, []);
  });
});

describe('the status line', () => {
  it('counts the monitors of each status, the good ones first', () => {
    assert.equal(
      statusLine(['down', 'up', 'unknown', 'up', 'degraded']),
      '2 up, 1 degraded, 1 down, 1 unknown',
    );
    assert.equal(statusLine([]), 'no monitors');
  });
});
