import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClockShift } from '../../../../src/engine/core/clock-shift.ts';
import { SteadyClock } from '../../../../src/engine/monitoring/clock/steady-clock.ts';
import { alertStates } from '../../../../src/db/tables/alert-states.ts';
import { memoryStore, type MemoryStore } from '../memory-store.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

interface Held {
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly steady: SteadyClock;
  readonly shifts: ClockShift[];
  /** Beats once a second for a while. */
  readonly beat: (ms: number) => Promise<void>;
}

async function hold(clock = new VirtualClock(), store?: MemoryStore): Promise<Held> {
  const kept = store ?? (await memoryStore());
  const steady = new SteadyClock({ clock, store: kept, log: () => undefined });
  const shifts: ClockShift[] = [];
  steady.onShift = (shift) => shifts.push(shift);
  await steady.begin();
  const beat = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += second) {
      await clock.run(second);
      steady.observe();
    }
    await clock.run(0);
  };
  return { clock, store: kept, steady, shifts, beat };
}

describe('the clock of the daemon', () => {
  it('waits by timers where the clock under it has some', async () => {
    const asked: number[] = [];
    const after = (ms: number) => {
      asked.push(ms);
      return () => undefined;
    };
    const steady = new SteadyClock({
      clock: Object.assign(new VirtualClock(), { after }),
      store: await memoryStore(),
      log: () => undefined,
    });
    steady.clock.after?.(20, () => undefined);
    steady.trusted.after?.(30, () => undefined);
    assert.deepEqual(asked, [20, 30]);
    const { now, monotonic, sleep } = new VirtualClock();
    const without = { clock: { now, monotonic, sleep }, store: await memoryStore(), log: () => undefined };
    assert.equal(new SteadyClock(without).clock.after, undefined);
  });

  it('is the wall clock while nobody sets it, also when that drifts a little', async () => {
    const { clock, steady, shifts, beat } = await hold();
    for (let count = 0; count < 500; count += 1) {
      clock.step(8);
      await beat(second);
      assert.equal(steady.now(), clock.now());
    }
    assert.deepEqual(shifts, []);
  });

  it('goes on as it did until what was measured on it has moved, then it follows', async () => {
    const { clock, steady, shifts, beat } = await hold();
    await beat(minute);
    const before = steady.now();
    clock.step(-hour);
    assert.equal(steady.now(), before, 'nobody has noticed yet');
    steady.observe();
    assert.equal(steady.now(), before, 'it is being written down');
    assert.deepEqual(shifts, []);
    await beat(second);
    assert.deepEqual(
      shifts.map(({ byMs }) => byMs),
      [-hour],
    );
    assert.equal(steady.now(), clock.now());
  });

  for (const [how, byMs] of [
    ['back', -hour],
    ['ahead', hour],
  ] as const)
    it(`moves a state that is kept in the moment in which it is set ${how}`, async () => {
      const { clock, steady, store, beat } = await hold();
      await beat(minute);
      const heardAt = steady.now();
      clock.step(byMs);
      steady.observe();
      steady.store.record([alertStates.save({ monitor: 'web', state: { heardAt }, at: heardAt })]);
      await beat(second);
      assert.deepEqual(alertStates.find(store.sql, 'web'), { heardAt: heardAt + byMs });
    });

  it('notices many small steps in one direction together', async () => {
    for (const stepMs of [-1500, 1500]) {
      const { clock, steady, shifts, beat } = await hold();
      for (let count = 0; count < 20; count += 1) {
        clock.step(stepMs);
        await beat(5 * second);
      }
      const byMs = shifts.reduce((sum, shift) => sum + shift.byMs, 0);
      assert.ok(Math.abs(byMs - 20 * stepMs) <= 4 * second, `${byMs} ms of ${20 * stepMs} ms`);
      assert.equal(steady.now(), clock.now());
    }
  });

  it('takes no machine that slept for a clock that was set', async () => {
    const { clock, steady, shifts, beat } = await hold();
    await beat(minute);
    clock.suspend(8 * hour);
    await beat(second);
    assert.equal(steady.now(), clock.now());
    assert.deepEqual(shifts, []);
    clock.suspend(8 * hour);
    clock.step(-hour);
    await beat(2 * second);
    assert.deepEqual(
      shifts.map(({ byMs }) => byMs),
      [-hour],
      'and tells the two apart when both happen',
    );
    assert.equal(steady.now(), clock.now());
  });

  it('tries again when a step cannot be written down', async () => {
    const clock = new VirtualClock();
    const store = await memoryStore();
    let isRefusing = false;
    const write: MemoryStore['write'] = (operations, options) =>
      isRefusing ? Promise.reject(new Error('refused')) : store.write(operations, options);
    const { steady, shifts, beat } = await hold(clock, { ...store, write });
    await beat(minute);
    isRefusing = true;
    clock.step(hour);
    const before = steady.now();
    await beat(5 * second);
    assert.ok(Math.abs(steady.now() - before - 5 * second) <= 10);
    isRefusing = false;
    await beat(2 * second);
    assert.equal(shifts.length, 1);
    assert.equal(steady.now(), clock.now());
  });

  it('starts with what a clock that was set back meanwhile takes with it', async () => {
    const { clock, store, steady, beat } = await hold();
    await beat(10 * minute);
    steady.save();
    clock.step(-3 * hour);
    await hold(clock, store);
    const shift = store.taken.find(([name]) => name === 'clock.shift');
    assert.equal(shift?.[1], -3 * hour);
  });
});

describe('how far the daemon trusts the clock', () => {
  it('stays with what monotonic time vouches for, for a day', async () => {
    const { clock, steady, beat } = await hold();
    clock.stall(25 * hour);
    await beat(second);
    assert.equal(steady.deletableAt(), clock.now());
    const rightAt = clock.now();
    clock.step(400 * day);
    await beat(minute);
    assert.ok(Math.abs((steady.deletableAt() ?? 0) - rightAt - minute) <= 3 * second);
    assert.ok(Math.abs(steady.trusted.now() - rightAt - minute) <= 3 * second);
    clock.step(-400 * day);
    await beat(minute);
    assert.ok((steady.deletableAt() ?? Infinity) <= clock.now());
    assert.equal(steady.trusted.now(), clock.now());
  });

  it('deletes by no clock that was set back', async () => {
    const { clock, steady, beat } = await hold();
    clock.stall(25 * hour);
    await beat(second);
    clock.step(-10 * day);
    await beat(2 * second);
    assert.equal(steady.deletableAt(), clock.now());
  });

  it('follows a jump once the clock ran for a day', async () => {
    const { clock, steady, beat } = await hold();
    clock.stall(25 * hour);
    await beat(second);
    clock.step(90 * day);
    await beat(2 * second);
    clock.stall(23 * hour);
    await beat(second);
    assert.ok((steady.deletableAt() ?? Infinity) < clock.now() - 80 * day);
    clock.stall(hour);
    await beat(second);
    assert.equal(steady.deletableAt(), clock.now());
  });

  it('believes a stop of weeks where nothing is deleted, and no clock that jumped while it ran', async () => {
    for (const [stoppedMs, isBelieved] of [
      [3 * day, true],
      [60 * day, true],
      [91 * day, false],
    ] as const) {
      const { clock, steady, store, beat } = await hold();
      clock.stall(25 * hour);
      await beat(second);
      steady.save();
      clock.advance(stoppedMs);
      const { steady: next, beat: beatNext } = await hold(clock, store);
      assert.equal(next.trusted.now() === clock.now(), isBelieved, `after ${stoppedMs / day} days`);
      assert.ok((next.deletableAt() ?? Infinity) < clock.now() - stoppedMs + minute, 'nothing is deleted');
      if (!isBelieved) continue;
      await beatNext(minute);
      clock.step(400 * day);
      await beatNext(minute);
      assert.ok(next.trusted.now() < clock.now() - 300 * day, 'a jump is none');
      clock.step(-400 * day);
      await beatNext(minute);
      assert.equal(next.trusted.now(), clock.now());
    }
  });

  it('counts corrections of a few seconds as none', async () => {
    const { clock, steady, beat } = await hold();
    for (let count = 0; count < 26; count += 1) {
      clock.stall(hour);
      clock.step(count % 2 === 0 ? 3 * second : -3 * second);
      await beat(2 * second);
    }
    assert.notEqual(steady.deletableAt(), null);
  });
});
