/** Detection of unstable monitors, against an oracle that looks at the whole list of checks each time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  followStability,
  freshStability,
  isCalm,
  type JudgedCheck,
  quietMsOf,
  readStability,
  type Stability,
  type StabilityFacts,
  stabilityFields,
  windowMsOf,
} from '../../../../src/engine/monitoring/confirm/unstable.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../../support/random.ts';

const minute = 60_000;
const facts: StabilityFacts = {
  isOn: true,
  intervalMs: 10_000,
  isMuted: () => false,
  upstreams: () => [],
  toldSince: () => 0,
};

interface Truth extends JudgedCheck {
  readonly isMuted: boolean;
}

/** Checks of a monitor that is confirmed down by the first failure, with stretches of its own kind one after the other. */
function historyOf(random: Random, intervalMs: number): Truth[] {
  const checks: Truth[] = [];
  let isDown = false;
  let at = Date.UTC(2026, 0, 1) + random.below(minute);
  for (let stretch = 0; stretch < 6; stretch += 1) {
    const failing = random.pick([0, 0, 0, 0, 20, 50, 55, 70, 80, 100]);
    const unknown = random.pick([0, 0, 0, 30]);
    const isMuted = random.below(6) === 0;
    const length = 10 + random.below(120);
    for (let index = 0; index < length; index += 1) {
      at += intervalMs;
      const isFailed = random.below(100) < unknown ? null : random.below(100) < failing;
      const now: boolean = isFailed ?? isDown;
      checks.push({
        at,
        isFailed,
        isDown: now,
        hasOpened: now && !isDown,
        hasRecovered: isDown && !now,
        isMuted,
      });
      isDown = now;
    }
  }
  return checks;
}

/** The share of failed checks and the recoveries of the window that ends with the last check, counted one by one. */
function countsOf(counted: readonly Truth[], [fromAt, toAt]: readonly [number, number]) {
  const within = counted.filter(({ at }) => at > fromAt && at <= toAt);
  return {
    checks: within.length,
    failed: within.filter(({ isFailed }) => isFailed).length,
    recoveries: within.filter(({ hasRecovered }) => hasRecovered).length,
  };
}

const isOften = ({ checks, failed, recoveries }: ReturnType<typeof countsOf>) =>
  failed >= 5 && 2 * failed >= checks && recoveries >= 3;

describe('whether a monitor is unstable', () => {
  it('begins and ends as counting every check says, within the minute by which checks are kept', () => {
    const random = randomOf(printedSeed());
    let [begun, ended] = [0, 0];
    for (let index = 0; index < casesOf(60, 2000); index += 1) {
      const intervalMs = random.pick([1000, 5000, 10_000, 30_000, 60_000, 600_000]);
      const [windowMs, quietMs] = [windowMsOf(intervalMs), quietMsOf(intervalMs)];
      const slackMs = windowMs / 10;
      const checks = historyOf(random, intervalMs);
      let stability: Stability = freshStability;
      const counted: Truth[] = [];
      let troubleAt = 0;
      let lastAt = -Infinity;
      let sinceAt = Infinity;
      let endedAt = 0;
      for (const check of checks) {
        const { at } = check;
        // Nobody asks whether a mute covers a healthy check as long as nothing fails.
        const isMuted = check.isMuted && (check.isFailed === true || !isCalm(stability));
        const isCounted = check.isFailed !== null && !isMuted;
        if (isCounted) counted.push(check);
        // After so long a pause the checks before it are not known to belong to the same time.
        if (isCounted && at - lastAt > windowMs - slackMs) sinceAt = at;
        if (isCounted) lastAt = at;
        const wasUnstable = stability.unstable !== null;
        const next = followStability(stability, check, {
          ...facts,
          intervalMs,
          isMuted: () => check.isMuted,
        });
        const { news } = next;
        // Checks are kept by the minute, so the window begins with one of the checks of its first minute or two.
        const known = counted.filter((one) => one.at > Math.max(at - windowMs, endedAt));
        const firsts = known.filter((one) => one.at <= at - windowMs + 2 * slackMs);
        // Behind a pause it begins with the check that ends that.
        const later = known.filter((one) => one.at > at - windowMs + slackMs);
        const windows = [...firsts, ...known.slice(0, 1), ...later.slice(0, 1)].map((first) =>
          countsOf(known, [first.at - 1, at]),
        );
        if (news?.kind === 'began') {
          begun += 1;
          assert.ok(windows.some(isOften), `it began at ${at} without a window that says so`);
          // It has to be quiet from there on.
          troubleAt = at;
        }
        if (news?.kind === 'ended') {
          ended += 1;
          assert.ok(at - troubleAt >= quietMs, `it ended after ${at - troubleAt} ms`);
          sinceAt = at;
          endedAt = at;
        }
        if (!isCounted || check.isDown || check.hasRecovered) troubleAt = at;
        if (!wasUnstable && news === null && isCounted && at - sinceAt >= windowMs)
          assert.ok(!windows.every(isOften), `it is unstable at ${at}, and was not found to be`);
        if (wasUnstable && news === null && isCounted && !check.isFailed)
          assert.ok(
            at - troubleAt < quietMs + intervalMs,
            `it was quiet for ${at - troubleAt} ms and did not end`,
          );
        ({ stability } = next);
        assert.ok(stability.slots.length <= 33, `${stability.slots.length} slots are kept`);
        assert.deepEqual(readStability(JSON.parse(JSON.stringify(stabilityFields(stability)))), stability);
      }
    }
    console.log(`  ${begun} times unstable, ${ended} times stable again`);
    assert.ok(begun > 10 && ended > 2);
  });

  const sample = (at: number, isDown: boolean, wasDown: boolean): JudgedCheck => ({
    at,
    isFailed: isDown,
    isDown,
    hasOpened: isDown && !wasDown,
    hasRecovered: wasDown && !isDown,
  });

  /** Up, down and up again by turns of 30 s, for 15 minutes. */
  function flapped(options: Partial<StabilityFacts>, fromAt = 0): Stability {
    let stability: Stability = freshStability;
    for (let at = 0; at < 15 * minute; at += 10_000) {
      const isDown = at >= fromAt && at % minute >= 30_000;
      const wasDown = at - 10_000 >= fromAt && (at - 10_000) % minute >= 30_000;
      ({ stability } = followStability(stability, sample(at, isDown, wasDown), { ...facts, ...options }));
    }
    return stability;
  }

  it('does not count what an upstream explains that failed at the same time, or is unstable itself', () => {
    const upstream = flapped({});
    assert.notEqual(upstream.unstable, null);
    assert.equal(flapped({ upstreams: () => [upstream] }).unstable, null);
    assert.equal(flapped({ upstreams: () => [{ ...upstream, unstable: null }] }).unstable, null);
    assert.equal(flapped({ upstreams: () => [{ ...upstream, slots: [] }] }).unstable, null);
    assert.notEqual(flapped({ upstreams: () => [freshStability] }).unstable, null);
  });

  it('is none while it is turned off', () => {
    assert.equal(flapped({ isOn: false }).unstable, null);
  });

  it('is what was told down three times, asked from the end of the last time on, half an hour back at most', () => {
    const asked: number[] = [];
    const toldSince = (at: number) => asked.push(at) + 2;
    const before = { ...freshStability, endedAt: 90 * minute };
    const recovered = sample(100 * minute, false, true);
    const { news } = followStability(before, recovered, { ...facts, toldSince });
    assert.deepEqual(news?.kind === 'began' && news.found, {
      downPercent: null,
      outages: 3,
      spanMs: 30 * minute,
    });
    followStability(before, sample(200 * minute, false, true), { ...facts, toldSince });
    followStability(before, sample(200 * minute, false, false), { ...facts, toldSince });
    assert.deepEqual(asked, [90 * minute, 170 * minute]);
  });

  it('keeps what failed for a write, and nothing of what was healthy all along', () => {
    const healthy = flapped({}, Infinity);
    assert.equal(isCalm(healthy), true);
    assert.ok(healthy.slots.length <= 11);
    assert.equal(isCalm(flapped({})), false);
  });

  it('reads what it cannot read as nothing', () => {
    for (const stored of [
      null,
      7,
      {},
      { unstable: 'yes', checkSlots: [{ startAt: 'x' }], countedSinceAt: [] },
    ])
      assert.deepEqual(readStability(stored), freshStability);
  });
});
