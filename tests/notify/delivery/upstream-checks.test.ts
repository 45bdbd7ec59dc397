import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UpstreamChecks } from '../../../src/notify/delivery/upstream-checks.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const second = 1000;

/** Checks that take so long, in ms; what was asked for, and when each question was answered, ms after the beginning. */
function checksOf(tookMs: number) {
  const clock = new VirtualClock();
  const startAt = clock.now();
  const asked: string[] = [];
  const answered: number[] = [];
  const stopping = new AbortController();
  const checks = new UpstreamChecks({
    clock,
    signal: stopping.signal,
    check: async (ids) => {
      asked.push(ids.join(' '));
      await clock.sleep(tookMs);
      throw new Error('what came of it is nothing to wait for');
    },
  });
  const ask = (ids: readonly string[], untilMs = Infinity) => {
    void checks.ask(ids, startAt + untilMs).then(() => answered.push(clock.now() - startAt));
  };
  return {
    clock,
    checks,
    stopping,
    asked,
    answered,
    ask,
    since: (at: number | null) => (at ?? NaN) - startAt,
  };
}

describe('checks out of turn', () => {
  it('are waited for until they end, a minute at most, and until the given moment in any case', async () => {
    for (const [tookMs, untilMs, expected] of [
      [3 * second, Infinity, 3 * second],
      [3 * second, 10 * second, 3 * second],
      [20 * second, 10 * second, 10 * second],
      [3600 * second, Infinity, 60 * second],
      [3600 * second, 90 * second, 60 * second],
    ] as const) {
      const { clock, ask, answered } = checksOf(tookMs);
      ask(['db'], untilMs);
      await clock.run(120 * second);
      assert.deepEqual(answered, [expected]);
    }
  });

  it('are not asked for while each of them is under way', async () => {
    const { clock, ask, asked, answered } = checksOf(5 * second);
    ask(['db', 'proxy']);
    await clock.run(2 * second);
    ask(['db']);
    ask(['proxy', 'db']);
    await clock.run(10 * second);
    assert.deepEqual(asked, ['db proxy']);
    assert.deepEqual(answered, [5 * second, 5 * second, 5 * second]);
  });

  it('are made once for all who ask meanwhile, and again for who asks later', async () => {
    const { clock, ask, asked, answered, checks, since } = checksOf(5 * second);
    assert.equal(checks.lastAt('db'), null);
    ask(['db']);
    await clock.run(2 * second);
    ask(['db', 'proxy']);
    await clock.run(10 * second);
    assert.deepEqual(asked, ['db', 'proxy']);
    assert.deepEqual(answered, [5 * second, 7 * second]);
    assert.equal(since(checks.lastAt('db')), 7 * second);
    ask(['db']);
    await clock.run(10 * second);
    assert.deepEqual(asked, ['db', 'proxy', 'db']);
    assert.equal(since(checks.lastAt('db')), 17 * second);
  });

  it('count from when they were asked for, and from when they were given up', async () => {
    const { clock, ask, checks, since } = checksOf(20 * second);
    await clock.run(second);
    ask(['db']);
    await clock.run(10 * second);
    assert.equal(checks.lastBegunAt('db'), null);
    ask(['db'], 15 * second);
    await clock.run(5 * second);
    assert.equal(since(checks.lastBegunAt('db')), 15 * second);
    await clock.run(10 * second);
    assert.equal(since(checks.lastBegunAt('db')), second);
  });

  it('are not waited for once everything stops', async () => {
    const { clock, ask, answered, stopping } = checksOf(3600 * second);
    ask(['db']);
    await clock.run(4 * second);
    stopping.abort(new Error('the daemon stops'));
    await clock.run(second);
    assert.deepEqual(answered, [4 * second]);
  });

  it('lie as far back as before when the clock is set', async () => {
    const { clock, ask, checks, since } = checksOf(5 * second);
    ask(['db']);
    await clock.run(10 * second);
    checks.shift((at) => at - 3600 * second);
    assert.equal(since(checks.lastAt('db')), -3595 * second);
  });
});
