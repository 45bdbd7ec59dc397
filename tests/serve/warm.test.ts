import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { deferred } from '../../src/engine/core/deferred.ts';
import type { HttpReply } from '../../src/serve/http-types.ts';
import { createHourlyReading, createKeptPage, keepWarm, warmUp } from '../../src/serve/warm.ts';

const reply: HttpReply = { status: 200, headers: {}, body: '' };
const nobody = () => null;

describe('reading ahead', () => {
  it('goes step by step until nothing is left, and lets others have their turn before each', async () => {
    const happened: string[] = [];
    const operators = deferred<HttpReply>();
    const { made, done } = warmUp({
      step: () => happened.push('step') > 5,
      ask: ({ target, headers }) => {
        happened.push(`${target} ${headers.authorization ?? 'stranger'}`);
        return headers.authorization === undefined ? reply : operators.promise;
      },
      token: () => ({ reveal: () => 'secret' }),
      yieldTurn: () => Promise.resolve(void happened.push('turn')),
    });
    // Nobody waits for what operators see.
    await made;
    operators.resolve(reply);
    await done;
    const steps = ['turn', 'step', 'turn', 'step', 'turn', 'step'];
    assert.deepEqual(happened, [...steps, '/ stranger', '/ Bearer secret']);
  });

  it('makes no page where none is to be made ahead', async () => {
    const happened: string[] = [];
    await warmUp({
      step: () => happened.push('step') > 2,
      ask: null,
      token: () => ({ reveal: () => 'secret' }),
      yieldTurn: () => Promise.resolve(),
    }).done;
    assert.deepEqual(happened, ['step', 'step', 'step']);
  });

  it('ends when it is stopped', async () => {
    let steps = 0;
    const step = () => {
      steps += 1;
      return false;
    };
    let asked = 0;
    const ask = () => {
      asked += 1;
      return reply;
    };
    const token = () => ({ reveal: () => 'secret' });
    const { done, stop } = warmUp({ step, ask, token, yieldTurn: () => turn() });
    await turn();
    await turn();
    stop();
    await done;
    assert.ok(steps > 0 && steps < 4, String(steps));
    assert.equal(asked, 0);
  });

  it('ends when there is nothing to read, without output', async () => {
    const step = () => {
      throw new Error('broken');
    };
    const yieldTurn = () => Promise.resolve();
    await warmUp({ step, ask: () => reply, token: nobody, yieldTurn }).done;
    const ask = () => Promise.reject(new Error('broken'));
    await warmUp({ step: () => true, ask, token: nobody, yieldTurn }).done;
  });
});

describe('keeping warm', () => {
  it('makes it anew every fifteen seconds, one after the other, until it is called off', async () => {
    const stopping = new AbortController();
    const slept: number[] = [];
    let made = 0;
    const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
      slept.push(ms);
      return signal?.aborted === true ? Promise.reject(new Error('called off')) : turn();
    };
    const make = async () => {
      await turn();
      made += 1;
      if (made === 3) stopping.abort();
    };
    await assert.rejects(keepWarm({ clock: { sleep }, make }, stopping.signal), /called off/);
    assert.equal(made, 3);
    assert.deepEqual(slept, [15_000, 15_000, 15_000, 15_000]);
  });
});

describe('the page that is kept made', () => {
  const minuteMs = 60_000;
  const keptPage = (monitorCount: number) => {
    let nowMs = 0;
    let made = 0;
    const { noteReader, make } = createKeptPage({
      clock: { monotonic: () => nowMs },
      monitors: () => Array.from({ length: monitorCount }),
      ask: () => (made += 1),
    });
    return {
      noteReader,
      /** How often it was made `minutes` later, when it was to be made once. */
      madeAfter: async (minutes: number) => {
        nowMs += minutes * minuteMs;
        made = 0;
        await make();
        return made;
      },
    };
  };

  it('is made for ten minutes after it was asked for, and not before', async () => {
    const page = keptPage(1999);
    assert.equal(await page.madeAfter(1), 0);
    page.noteReader();
    assert.equal(await page.madeAfter(1), 1);
    assert.equal(await page.madeAfter(9), 1);
    assert.equal(await page.madeAfter(1), 0);
    page.noteReader();
    assert.equal(await page.madeAfter(60), 1);
  });

  it('is made as long as the daemon runs where it is one of thousands of monitors', async () => {
    const page = keptPage(2000);
    for (let hour = 0; hour < 5; hour += 1) assert.equal(await page.madeAfter(60), 1);
  });
});

describe('the figures of an hour', () => {
  it('are read once in it, of every monitor, after what holds for all', async () => {
    const happened: string[] = [];
    let now = 7_200_000;
    const figures = {
      refresh: () => happened.push('all') > 1,
      ofManyAt: (at: number) => {
        assert.equal(at, now);
        return { of: (id: string) => (happened.push(id), null), bars: () => [], within: () => assert.fail() };
      },
    };
    const readHour = createHourlyReading(figures, {
      clock: { now: () => now, monotonic: () => 0 },
      monitors: () => [{ id: 'a' }, { id: 'b' }],
    });
    await readHour();
    const once = ['all', 'all', 'a', 'b'];
    assert.deepEqual(happened, once);
    now += 3_599_999;
    await readHour();
    assert.deepEqual(happened, once);
    now += 1;
    happened.length = 0;
    await readHour();
    assert.deepEqual(happened, once);
  });
});
