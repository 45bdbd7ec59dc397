import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../../src/engine/config/secret.ts';
import { TimerQueue } from '../../../src/engine/monitoring/timer-queue.ts';
import { Mutex } from '../../../src/engine/core/mutex.ts';
import { isSame } from '../../../src/engine/monitoring/same.ts';
import { secsWithin } from '../../../src/engine/monitoring/windows.ts';
import { printedSeed, randomOf } from '../../support/random.ts';
import { loadWith } from './world.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** What timers threw. */
const faults: unknown[] = [];
const onFault = (error: unknown) => {
  faults.push(error);
};

describe('the agenda', () => {
  it('calls what waits in the order of its time, what is arranged earlier than a sleep too', async () => {
    const random = randomOf(printedSeed());
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    const timers = new TimerQueue({ clock, signal, beatMs: 1000, onWake: () => undefined, onFault });
    timers.start();
    const called: [dueMs: number, atMs: number, firstDueMs: number][] = [];
    const waiting: number[] = [];
    const arrange = (inMs: number) => {
      const dueMs = clock.monotonic() + inMs;
      waiting.push(dueMs);
      timers.at(dueMs, () => {
        called.push([dueMs, clock.monotonic(), Math.min(...waiting)]);
        waiting.splice(waiting.indexOf(dueMs), 1);
        if (called.length < 2000) arrange(random.below(5000));
      });
    };
    for (let count = 0; count < 50; count += 1) arrange(random.below(90_000));
    await clock.run(40_000);
    for (let count = 0; count < 50; count += 1) arrange(random.below(300));
    await clock.run(400_000);
    assert.ok(called.length >= 2000);
    assert.ok(called.every(([dueMs, atMs]) => Math.abs(atMs - dueMs) <= 1));
    assert.deepEqual(
      called.map(([dueMs]) => dueMs),
      called.map(([, , firstDueMs]) => firstDueMs),
    );
    assert.deepEqual(waiting, []);
  });

  it('drops cancelled timers, and all timers once it is stopped', async () => {
    const clock = new VirtualClock();
    const stopping = new AbortController();
    const timers = new TimerQueue({
      clock,
      signal: stopping.signal,
      beatMs: 1000,
      onWake: () => undefined,
      onFault,
    });
    timers.start();
    const called: string[] = [];
    timers.cancel(timers.after(10, () => called.push('cancelled')));
    timers.after(20, () => {
      called.push('kept');
      stopping.abort(new Error('over'));
    });
    timers.after(30, () => called.push('after the end'));
    await clock.run(5000);
    assert.deepEqual(called, ['kept']);
    assert.equal(timers.overdueMs() > 4000, true);
  });

  it('goes on with the other timers when one throws, or answers with a promise that is rejected', async () => {
    faults.length = 0;
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    const timers = new TimerQueue({ clock, signal, beatMs: 1000, onWake: () => undefined, onFault });
    timers.start();
    const called: string[] = [];
    timers.after(10, () => {
      throw new Error('thrown');
    });
    timers.after(10, () => Promise.reject(new Error('rejected')));
    timers.after(10, () => called.push('the same wake'));
    timers.after(20, () => called.push('a later wake'));
    await clock.run(5000);
    assert.deepEqual(called, ['the same wake', 'a later wake']);
    assert.deepEqual(faults.map(String), ['Error: thrown', 'Error: rejected']);
  });

  it('leaves no timer behind: one at a time, and none once it is stopped', () => {
    const clock = new VirtualClock();
    const stopping = new AbortController();
    let running = 0;
    const after = () => {
      running += 1;
      return () => {
        running -= 1;
      };
    };
    const timers = new TimerQueue({
      clock: Object.assign(clock, { after }),
      signal: stopping.signal,
      beatMs: 1000,
      onWake: () => undefined,
      onFault,
    });
    timers.start();
    for (const ms of [900, 700, 500, 800]) timers.after(ms, () => undefined);
    assert.equal(running, 1);
    stopping.abort(new Error('over'));
    timers.after(100, () => undefined);
    assert.equal(running, 0);
  });
});

describe('a mutex', () => {
  it('does one thing after the other, and goes on after one that failed', async () => {
    const mutex = new Mutex();
    const order: string[] = [];
    const slow = mutex.run(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('slow');
      throw new Error('no luck');
    });
    const next = mutex.run(() => {
      order.push('next');
      return undefined;
    });
    await assert.rejects(slow, /no luck/);
    await next;
    await mutex.idle();
    assert.deepEqual(order, ['slow', 'next']);
    assert.equal(
      mutex.run(() => undefined),
      undefined,
      'at once when nothing is under way',
    );
  });
});

describe('comparing settings', () => {
  it('finds them equal when they were loaded twice, and sees every change, secrets included', async () => {
    const toml = (token: string) =>
      `[[monitors]]\nid = "a"\nkind = "push"\npush_token = "${token}"\n` +
      `[[monitors]]\nid = "b"\ntarget = "https://b.example/"\nexpected_status = [200, "300-304"]\n`;
    const [one, same, other] = await Promise.all(['one', 'one', 'two'].map((token) => loadWith(toml(token))));
    assert.equal(isSame(one?.config.monitors, same?.config.monitors), true);
    assert.equal(isSame(one?.config.monitors, other?.config.monitors), false);
    assert.equal(isSame(new Secret('x'), 'x'), false);
    assert.equal(isSame({ a: 1 }, { b: 1 }), false);
    assert.equal(isSame([], {}), false);
    assert.equal(isSame(null, {}), false);
  });
});

describe('the seconds of a window', () => {
  it('are those its samples cover, cut at its ends', () => {
    const sample = (secs: number, status: 'up' | 'down', holdSecs = 60) => ({
      at: secs * 1000,
      status,
      latencyMs: null,
      holdSecs,
      isHeartbeat: false,
    });
    const samples = [sample(0, 'up'), sample(40, 'down'), sample(70, 'up', 10), sample(200, 'down')];
    assert.deepEqual(secsWithin(samples, { fromAt: 30_000, toAt: 210_000 }), {
      up: 10 + 10,
      degraded: 0,
      down: 30 + 10,
      unknown: 0,
    });
    assert.deepEqual(secsWithin([], { fromAt: 0, toAt: 1000 }), { up: 0, degraded: 0, down: 0, unknown: 0 });
  });
});
