import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fractionOf } from '../../../src/engine/core/fraction.ts';
import {
  decideTick,
  firstTick,
  nextTick,
  type Schedule,
  scheduleOf,
  type Tick,
  windowsOf,
} from '../../../src/engine/monitoring/schedule.ts';
import { randomOf } from '../../support/random.ts';

const minute = 60_000;

/** The schedule of one of `count` monitors of the same interval, all started at `nowMs`. */
function scheduled(id: string, intervalMs: number, { nowMs = 0, count = 1 } = {}): Schedule {
  return scheduleOf({ id, intervalMs }, nowMs, windowsOf(new Array<number>(count).fill(intervalMs), nowMs));
}

/** Chi-squared of names over 100 equal parts: 99 degrees of freedom, 0.1 % of even spreads exceed 149. */
function unevenness(ids: readonly string[], place: (id: string) => number): number {
  const counts = new Array<number>(100).fill(0);
  for (const id of ids) {
    const part = Math.floor(place(id) * 100);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  const expected = ids.length / 100;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('the first tick', () => {
  const families: Readonly<Record<string, (n: number) => string>> = {
    'numbered from 1': (n) => `web-${n}`,
    'numbered with zeros': (n) => `node${String(n).padStart(5, '0')}`,
    'numbered in front': (n) => `${n}_api`,
  };
  for (const [family, idOf] of Object.entries(families)) {
    it(`of ids ${family} is spread evenly over the interval`, () => {
      const ids = Array.from({ length: 10_000 }, (_, n) => idOf(n));
      assert.ok(unevenness(ids, fractionOf) < 149, String(unevenness(ids, fractionOf)));
    });
  }

  it('would not pass for even if it hung on the first letter', () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => `web-${n}`);
    assert.ok(unevenness(ids, (id) => (id.charCodeAt(0) % 100) / 100) > 149);
  });

  it('lies within one interval, at the same place on every start', () => {
    for (const id of ['a', 'api', 'web-1', 'x'.repeat(64)]) {
      const first = (nowMs: number) => firstTick(scheduled(id, minute, { nowMs }), nowMs).dueMs;
      assert.ok(first(1000) >= 1000 && first(1000) < 1000 + minute);
      assert.ok(Math.abs(first(5000) - 5000 - (first(1000) - 1000)) < 0.001);
    }
  });

  it('comes within a minute even when the interval is long, without disturbing the spread', () => {
    for (const id of ['a', 'api', 'web-1']) {
      const daily = scheduled(id, 1440 * minute, { nowMs: 1000 });
      const early = firstTick(daily, 1000);
      assert.ok(early.dueMs >= 1000 && early.dueMs < 1000 + minute);
      const { index, dueMs } = nextTick(daily, early, early.dueMs + 50);
      assert.equal(index, 0);
      assert.ok(Math.abs(dueMs - (1000 + fractionOf(id) * 1440 * minute)) < 100);
    }
  });

  it('stays where earlier versions put it', () => {
    assert.deepEqual(
      ['api', 'web-1', 'web-2'].map((id) => Math.floor(fractionOf(id) * 1e6)),
      [304461, 74990, 240076],
    );
  });
});

describe('monitors of one configuration', () => {
  const ids = Array.from({ length: 1000 }, (_, n) => `web-${n}`);
  const interval = 20_000;
  /** How far the ticks numbered `index` lie from where a window of 100 ms begins. */
  const placesOf = (schedules: readonly Schedule[], index: number) =>
    schedules.map((schedule) => {
      const { dueMs } = nextTick(schedule, { index: index - 1, dueMs: 0 }, 0);
      return (dueMs - 5000) % 100;
    });

  it('are checked in the first 10 of every 100 ms where 50 checks a second are due, for ever', () => {
    const schedules = ids.map((id) => scheduled(id, interval, { nowMs: 5000, count: 1000 }));
    for (const index of [0, 1, 1_000_000]) {
      const places = placesOf(schedules, index);
      assert.ok(Math.max(...places) < 10 && Math.min(...places) >= 0, String(Math.max(...places)));
      // In each tenth of these 10 ms about a tenth of the checks: six standard deviations of 1,000 begin beyond 157.
      for (let part = 0; part < 10; part += 1) {
        const inPart = places.filter((place) => Math.floor(place) === part).length;
        assert.ok(inPart > 43 && inPart < 157, `${inPart} in the part ${part}`);
      }
    }
  });

  it('are checked less than a window from an even spread, and in its order', () => {
    const placed = ids.map((id) => ({
      evenMs: 5000 + fractionOf(id) * interval,
      dueMs: firstTick(scheduled(id, interval, { nowMs: 5000, count: 1000 }), 5000).dueMs,
    }));
    for (const { evenMs, dueMs } of placed) assert.ok(dueMs <= evenMs && dueMs > evenMs - 100);
    const byEven = placed.toSorted((a, b) => a.evenMs - b.evenMs);
    assert.deepEqual(
      byEven.map(({ dueMs }) => dueMs),
      placed.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b),
    );
  });

  it('stay where they are where 500 checks a second and more are due', () => {
    for (const id of ids) {
      const { dueMs } = firstTick(scheduled(id, interval, { nowMs: 5000, count: 10_000 }), 5000);
      assert.ok(Math.abs(dueMs - (5000 + fractionOf(id) * interval)) < 0.001);
    }
  });

  it('share the windows of those that were started before', () => {
    const windows = windowsOf(new Array<number>(1000).fill(interval), 5000);
    for (const nowMs of [5000, 5037, 6_000_099.9]) {
      const schedules = ids.map((id) => scheduleOf({ id, intervalMs: interval }, nowMs, windows));
      for (const { firstMs } of schedules) {
        assert.ok(firstMs >= nowMs && firstMs < nowMs + interval, String(firstMs - nowMs));
        assert.ok((firstMs - 5000) % 100 < 10.001, String((firstMs - 5000) % 100));
      }
    }
  });

  it('that are rarely checked are gathered in their first minute, too', () => {
    const daily = 1440 * minute;
    const places = ids.map((id) => {
      const { dueMs } = firstTick(scheduled(id, daily, { nowMs: 5000, count: 1000 }), 5000);
      assert.ok(dueMs >= 5000 && dueMs < 5000 + minute);
      return (dueMs - 5000) % 100;
    });
    assert.ok(Math.max(...places) < 3.34, String(Math.max(...places)));
  });
});

describe('the next tick', () => {
  it('does not drift over 1,000,000 ticks, however late each one ends', () => {
    const seed = Number(process.env['STATUSD_SEED'] ?? Date.now() % 2 ** 31);
    console.log(`  seed ${seed}`);
    const random = randomOf(seed);
    const schedule = scheduled('api', minute, { nowMs: 123.456 });
    let tick = firstTick(schedule, 123.456);
    for (let count = 0; count < 1_000_000; count++)
      tick = nextTick(schedule, tick, tick.dueMs + random.below(minute));
    assert.equal(tick.index, 1_000_000);
    assert.ok(Math.abs(tick.dueMs - (schedule.firstMs + 1_000_000 * minute)) < 0.001, `seed ${seed}`);
  });

  it('leaves out what a long check has overrun', () => {
    const schedule = scheduled('api', 1000);
    const tick = firstTick(schedule, 0);
    assert.equal(nextTick(schedule, tick, tick.dueMs + 999).index, 1);
    assert.equal(nextTick(schedule, tick, tick.dueMs + 3500).index, 4);
  });

  it('never comes before one that was already run', () => {
    const schedule = scheduled('api', minute);
    assert.equal(nextTick(schedule, { index: 7, dueMs: 0 }, 0).index, 8);
  });
});

describe('a tick whose time has come', () => {
  const schedule = scheduled('api', minute);
  const tick = firstTick(schedule, 0);

  it('is waited for until it is due', () => {
    assert.deepEqual(decideTick(schedule, tick, tick.dueMs - 40), { kind: 'wait', waitMs: 40 });
  });

  it('is run when a busy moment held it up, which says by how much', () => {
    assert.deepEqual(decideTick(schedule, tick, tick.dueMs), { kind: 'run', latenessMs: 0 });
    assert.deepEqual(decideTick(schedule, tick, tick.dueMs + 900), { kind: 'run', latenessMs: 900 });
  });

  it('is skipped after a suspend, together with all that were missed', () => {
    const decision = decideTick(schedule, tick, tick.dueMs + 10 * minute + 1);
    assert.deepEqual(decision, {
      kind: 'skip',
      latenessMs: 10 * minute + 1,
      skipped: 11,
      next: { index: 11, dueMs: tick.dueMs + 11 * minute },
    });
  });

  it('is put off by less than a minute after a suspend when the next one is far', () => {
    const daily = scheduled('api', 1440 * minute);
    const early = firstTick(daily, 0);
    const late = nextTick(daily, early, early.dueMs);
    const nowMs = late.dueMs + 30 * minute;
    const decision = decideTick(daily, late, nowMs);
    assert.ok(decision.kind === 'put_off');
    assert.equal(decision.next.index, 0);
    assert.ok(decision.next.dueMs >= nowMs && decision.next.dueMs < nowMs + minute);
    assert.equal(decideTick(daily, decision.next, decision.next.dueMs).kind, 'run');
    assert.deepEqual(nextTick(daily, decision.next, decision.next.dueMs), {
      index: 1,
      dueMs: late.dueMs + 1440 * minute,
    });
  });

  for (const [name, suspendMs] of [
    ['20 seconds', 20_000],
    ['10 minutes', 10 * minute],
    ['3 days', 4320 * minute],
  ] as const) {
    for (const intervalMs of [1000, minute, 60 * minute]) {
      it(`makes no burst of 2,000 monitors every ${intervalMs / 1000} s after a suspend of ${name}`, () => {
        const usual = 2000 / Math.min(intervalMs / 1000, 60);
        const runs = runsAfterSuspend(intervalMs, suspendMs);
        const tolerated = (2000 * Math.min(5000, intervalMs)) / intervalMs;
        assert.ok(Math.max(...runs) <= tolerated + 2 * usual, `${Math.max(...runs)} in one second`);
        if (intervalMs < 60 * minute) assert.ok(runs.reduce((sum, count) => sum + count) >= 1900);
      });
    }
  }
});

/** How many checks start in each second of the minute after a suspend. */
function runsAfterSuspend(intervalMs: number, suspendMs: number): number[] {
  const asleepMs = 2 * intervalMs;
  const awakeMs = asleepMs + suspendMs;
  const runs = new Array<number>(60).fill(0);
  for (let n = 0; n < 2000; n++) {
    const schedule = scheduled(`web-${n}`, intervalMs, { count: 2000 });
    let tick: Tick = firstTick(schedule, 0);
    while (tick.dueMs < asleepMs) tick = nextTick(schedule, tick, tick.dueMs);
    for (let nowMs = Math.max(tick.dueMs, awakeMs); nowMs < awakeMs + minute; ) {
      const decision = decideTick(schedule, tick, nowMs);
      if (decision.kind === 'run') {
        const second = Math.floor((nowMs - awakeMs) / 1000);
        runs[second] = (runs[second] ?? 0) + 1;
        tick = nextTick(schedule, tick, nowMs);
      } else if (decision.kind !== 'wait') tick = decision.next;
      nowMs = Math.max(nowMs, tick.dueMs);
    }
  }
  return runs;
}
