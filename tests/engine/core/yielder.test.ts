import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../src/engine/core/clock.ts';
import { paced, Yielder } from '../../../src/engine/core/yielding.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { httpMonitors, openWorld, up } from '../monitoring/world.ts';

/** One before and one after the moment at which a turn is counted, a millisecond a piece; a few may come together. */
const twoSlices = 20;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How much each turn of the event loop brought while `work` went on. */
async function byTurn(work: Promise<unknown>, count: () => number): Promise<number[]> {
  const state = { isDone: false };
  void work.finally(() => {
    state.isDone = true;
  });
  const turns: number[] = [];
  while (!state.isDone) {
    const before = count();
    await turn();
    turns.push(count() - before);
  }
  return turns;
}

/** Pieces of work that take a millisecond each, half of it after they waited for something. */
async function work(
  pieces: number,
  yielder: Yielder,
  { spend, done }: { readonly spend: (ms: number) => void; readonly done: number[] },
): Promise<void> {
  const one = async (index: number) => {
    await yielder.pass();
    spend(0.5);
    await Promise.resolve();
    await Promise.resolve();
    spend(0.5);
    done.push(index);
  };
  await Promise.all(Array.from({ length: pieces }, (_, index) => one(index)));
}

describe('slices', () => {
  it('let pieces go on at once while there are few', async () => {
    const yielder = new Yielder(() => 0, 3);
    for (let count = 0; count < 3; count += 1) assert.equal(yielder.pass(), undefined);
    assert.notEqual(yielder.pass(), undefined, 'what follows from the others comes first');
    await turn();
    assert.equal(yielder.pass(), undefined);
  });

  it('let what follows from a piece that waited happen before the next one begins', async () => {
    const yielder = new Yielder(() => 0, 3);
    const seen: string[] = [];
    for (let count = 0; count < 3; count += 1) assert.equal(yielder.pass(), undefined);
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      await yielder.pass();
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} goes on`);
    });
    await Promise.all(waiting);
    assert.deepEqual(
      seen,
      ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} goes on`]),
    );
  });

  it('give everything else its turn between many that came at once, and keep their order', async () => {
    let ms = 0;
    const done: number[] = [];
    const spend = (spent: number) => {
      ms += spent;
    };
    const working = work(200, new Yielder(() => ms), { spend, done });
    const turns = await byTurn(working, () => done.length);
    assert.ok(Math.max(...turns) <= twoSlices, `${Math.max(...turns)} pieces in one turn`);
    assert.deepEqual(
      done,
      Array.from({ length: 200 }, (_, index) => index),
    );
  });

  it('do everything in one turn while no time passes: control, and what virtual time relies on', async () => {
    const done: number[] = [];
    const turns = await byTurn(
      work(200, new Yielder(() => 0), { spend: () => undefined, done }),
      () => done.length,
    );
    assert.deepEqual(turns, [200]);
  });

  it('start over in the next turn, without a caller waiting', async () => {
    let ms = 0;
    const yielder = new Yielder(() => ms);
    assert.equal(yielder.pass(), undefined);
    ms += 100;
    await Promise.resolve();
    assert.notEqual(yielder.pass(), undefined, 'the time of this turn is used up');
    await turn();
    await turn();
    assert.equal(yielder.pass(), undefined);
  });
});

describe('long work', () => {
  it('leaves the event loop to others once 5 ms are over, and counts anew from there', async () => {
    let ms = 100;
    let turns = 0;
    const yieldTurn = paced(() => ms);
    const pause = async (spentMs: number) => {
      ms += spentMs;
      let isOver = false;
      setImmediate(() => {
        if (!isOver) turns += 1;
      });
      await yieldTurn();
      isOver = true;
      await turn();
      return turns;
    };
    assert.equal(await pause(4.9), 0);
    assert.equal(await pause(0.1), 1, '5 ms');
    assert.equal(await pause(4.9), 1);
    assert.equal(await pause(0.2), 2);
  });
});

describe('a storm', () => {
  const ids = Array.from({ length: 300 }, (_, index) => `m${index}`);

  /** Has all of them fail at once, a millisecond of this process each; answers how many a turn of the event loop. */
  async function storm(clock: VirtualClock, timeOfEngine: Clock): Promise<number[]> {
    let kept = 0;
    const world = await openWorld(httpMonitors(ids, 'fail_threshold = 1'), {
      clock,
      engine: {
        clock: timeOfEngine,
        check: () => {
          const { result } = up();
          clock.stall(1);
          kept += 1;
          const reason = { category: 'status', message: 'answered 503' } as const;
          return Promise.resolve({
            startedAt: clock.now(),
            attempts: 1,
            result: { ...result, outcome: 'failed', latencyMs: null, reason },
          });
        },
      },
    });
    const turns = await byTurn(world.engine.checkNow(ids), () => kept);
    assert.equal(world.openIncidents().length, ids.length);
    await clock.until(world.engine.stop());
    return turns;
  }

  it('leaves the event loop to others between a few checks', async () => {
    const clock = new VirtualClock();
    const most = Math.max(...(await storm(clock, clock)));
    assert.ok(most <= twoSlices, `${most} checks in one turn`);
  });

  it('control: holds everything up when its work is not cut into slices', async () => {
    const clock = new VirtualClock();
    const { now, sleep } = clock;
    const most = Math.max(...(await storm(clock, { now, sleep, monotonic: () => 0 })));
    assert.equal(most, ids.length);
  });
});
