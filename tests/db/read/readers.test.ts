import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { removeMonitor } from '../../../src/db/tables/monitors.ts';
import { planMoves } from '../../../src/db/tables/retention/move.ts';
import { packHours } from '../../../src/db/tables/samples.ts';
import { BarReader } from '../../../src/db/read/bars.ts';
import { DayReader } from '../../../src/db/read/day.ts';
import { coverageShare, uptimeShare } from '../../../src/db/read/share.ts';
import { tallyWithin } from '../../../src/db/read/within.ts';
import { bucketOf, percentiles } from '../../../src/db/samples/histogram.ts';
import { findOwner } from '../../../src/db/samples/owner.ts';
import { daySecs, hourOf, hourSecs } from '../../../src/db/samples/slots.ts';
import { denseHistogram } from '../../../src/db/read/heatmap.ts';
import { openFacts } from '../../support/facts.ts';
import {
  anyStep,
  comparable,
  expectedSamples,
  hour0,
  naiveHours,
  naiveSpan,
  operationOf,
  sumNaively,
} from '../../support/histories.ts';
import { checkAsyncProperty } from '../../support/property.ts';

/** A history with the clock read after each step: only samples up to then count. */
const anyReading = fc.array(fc.tuple(anyStep, fc.integer({ min: 0, max: 5 * hourSecs })), { maxLength: 40 });
const startSecs = (hour0 + 40) * hourSecs;

describe('readers that remember', () => {
  it('answer what a recomputation from the raw samples answers, after every step', async () => {
    const property = fc.asyncProperty(anyReading, async (history) => {
      const facts = await openFacts();
      const day = new DayReader();
      const bars = new BarReader();
      let nowSecs = startSecs;
      let isWarm = false;
      for (const [index, [step, pause]] of history.entries()) {
        nowSecs += pause;
        facts.apply(operationOf(step));
        const kept = expectedSamples(history.slice(0, index + 1).map(([each]) => each));
        if (kept.length === 0) continue;
        const hours = naiveHours(kept, nowSecs);
        const thisHour = hourOf(nowSecs);
        const fromSecs = Math.floor(nowSecs / 60 - 24 * 60) * 60;
        const window = naiveSpan(kept, { fromSecs, toSecs: (thisHour + 1) * hourSecs, nowSecs });

        // Half of the readings stand in the middle of reading ahead.
        const ahead = { now: nowSecs * 1000, days: 10 };
        for (let ran = 0; ran < 7 && !isWarm; ran += 1) {
          const isDayWarm = day.warm(facts.sql, ahead.now);
          isWarm = bars.warm(facts.sql, ahead) && isDayWarm;
        }
        if (index % 2 === 0 && !isWarm) continue;

        const figures = day.read(facts.sql, nowSecs * 1000).get('api');
        const [p50, p95, p99] = percentiles(denseHistogram(window.latency.histogram), [0.5, 0.95, 0.99]);
        assert.deepEqual(figures, {
          secs: window.secs,
          counts: window.counts,
          uptimePermille: uptimeShare(window.secs),
          coveragePermille: coverageShare(window.secs, nowSecs - fromSecs),
          p50Ms: p50,
          p95Ms: p95,
          p99Ms: p99,
        });

        // An hour to come holds seconds only when the clock was wrong; once packed, it counts in its day.
        const packedBefore = findOwner(facts.sql, 'api')?.packedBefore ?? 0;
        const today = Math.floor(nowSecs / daySecs);
        const expectedBars = Array.from({ length: 10 }, (_, back) => {
          const dayNumber = today - 9 + back;
          const { secs } = sumNaively(
            hours,
            (hour) => Math.floor(hour / 24) === dayNumber && (hour <= thisHour || hour < packedBefore),
          );
          return { at: dayNumber * daySecs * 1000, secs };
        });
        assert.deepEqual(bars.read(facts.sql, nowSecs * 1000, 10).get('api'), expectedBars);

        const fromHour = thisHour - 70;
        const stretch = { fromAt: fromHour * hourSecs * 1000, toAt: nowSecs * 1000 + 1, now: nowSecs * 1000 };
        const within = sumNaively(hours, (hour) => hour >= fromHour && hour <= thisHour);
        assert.deepEqual(comparable(tallyWithin(facts.sql, 'api', stretch)), comparable(within));
      }
      facts.sql.close();
    });
    await checkAsyncProperty(property, 60);
  });

  it('go on after hours in which nobody read, although samples and rollups were moved meanwhile', async () => {
    for (const gapHours of [1, 2, 3, 20, 49]) {
      const facts = await openFacts();
      const day = new DayReader();
      let nowSecs = startSecs;
      for (const until = nowSecs + 72 * hourSecs; nowSecs < until; ) {
        for (const end = nowSecs + gapHours * hourSecs; nowSecs < end; nowSecs += 600) {
          const status = nowSecs % 1800 === 0 ? ('down' as const) : ('up' as const);
          const latencyMs = 20 + (Math.floor(nowSecs / hourSecs) % 90);
          const rest = { latencyMs, holdSecs: 900, isHeartbeat: false };
          facts.apply(operationOf({ kind: 'sample', sample: { at: nowSecs * 1000, status, ...rest } }));
        }
        facts.apply(packHours({ monitor: 'api', hour: hourOf(nowSecs) - 1 }));
        // The least that `storage.history_hours` can be.
        const before = hourOf(nowSecs) - 26;
        const moves = planMoves(facts.sql, { before, hours: 500, monitors: 1, keptHoursOf: () => [] });
        facts.apply(...moves.map(({ operation }) => operation));
        const read = day.read(facts.sql, nowSecs * 1000);
        assert.deepEqual(read, new DayReader().read(facts.sql, nowSecs * 1000), `${gapHours} h`);
        assert.ok((read.get('api')?.secs.down ?? 0) > 0);
      }
      facts.sql.close();
    }
  });

  it('leave removed monitors out', async () => {
    const facts = await openFacts();
    const at = startSecs * 1000;
    const sample = { at, status: 'up' as const, latencyMs: 5, holdSecs: 60, isHeartbeat: false };
    const day = new DayReader();
    facts.apply(operationOf({ kind: 'sample', sample }, 'a'), operationOf({ kind: 'sample', sample }, 'b'));
    assert.deepEqual([...day.read(facts.sql, at).keys()], ['a', 'b']);
    facts.apply(removeMonitor({ id: 'a', at }));
    assert.deepEqual([...day.read(facts.sql, at).keys()], ['b']);
    assert.deepEqual([...new BarReader().read(facts.sql, at, 2).keys()], ['b']);
  });

  it('can be warmed an hour and a day at a time', async () => {
    const facts = await openFacts();
    const sample = {
      at: startSecs * 1000,
      status: 'up' as const,
      latencyMs: 5,
      holdSecs: 60,
      isHeartbeat: false,
    };
    for (const id of ['a', 'b', 'c']) facts.apply(operationOf({ kind: 'sample', sample }, id));
    const [now, view] = [startSecs * 1000, { now: startSecs * 1000, days: 90 }];
    const [day, bars] = [new DayReader(), new BarReader()];
    const steps = { day: 0, bars: 0 };
    while (!day.warm(facts.sql, now)) steps.day += 1;
    while (!bars.warm(facts.sql, view)) steps.bars += 1;
    assert.ok(steps.day < 25 && steps.bars <= 90, JSON.stringify(steps));
    assert.deepEqual(day.read(facts.sql, now), new DayReader().read(facts.sql, now));
    assert.deepEqual(bars.read(facts.sql, now, 90), new BarReader().read(facts.sql, now, 90));
  });
});

describe('shares of time', () => {
  it('never round up: 99.996 % is 9999 of 10 000, and a second down is never all', () => {
    const secs = { up: 99_996, degraded: 0, down: 4, unknown: 0 };
    assert.equal(uptimeShare(secs, 10_000), 9999);
    assert.equal(uptimeShare({ up: 10_000_000, degraded: 0, down: 1, unknown: 0 }), 999);
    assert.equal(uptimeShare({ up: 0, degraded: 86_400, down: 0, unknown: 0 }), 1000);
  });

  it('leave time without samples and unknown time out of uptime, and in no coverage', () => {
    const secs = { up: 50, degraded: 25, down: 25, unknown: 100 };
    assert.equal(uptimeShare(secs), 750);
    assert.equal(coverageShare(secs, 1000), 100);
    assert.equal(uptimeShare({ up: 0, degraded: 0, down: 0, unknown: 9 }), null);
  });
});

describe('percentiles', () => {
  it('are the nearest rank, exact below 128 ms and within 0.8 % above, up to 2^31 ms', () => {
    for (const latencyMs of [0, 1, 127, 128, 129, 255, 256, 1000, 65_535, 1_000_000, 2 ** 31]) {
      const [found] = percentiles(denseHistogram(new Map([[bucketOf(latencyMs), 1]])), [0.5]);
      const tolerance = latencyMs < 128 ? 0 : latencyMs * 0.008;
      assert.ok(
        Math.abs((found ?? NaN) - latencyMs) <= tolerance,
        `${latencyMs} ms became ${found ?? 'nothing'}`,
      );
    }
    const hundred = new Map(Array.from({ length: 100 }, (_, index) => [index + 1, 1]));
    assert.deepEqual(percentiles(denseHistogram(hundred), [0.5, 0.95, 0.99, 1]), [50, 95, 99, 100]);
    assert.deepEqual(percentiles(denseHistogram(new Map()), [0.5]), [null]);
  });
});
