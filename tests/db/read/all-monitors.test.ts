import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sumDays } from '../../../src/db/read/day-sums.ts';
import { heatmapOf } from '../../../src/db/read/heatmap.ts';
import { dailyLatency, hourlyLatency } from '../../../src/db/read/latency-rollups.ts';
import { tallyWithin } from '../../../src/db/read/within.ts';
import { packHours, samples } from '../../../src/db/tables/samples.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { load } from '../../support/config.ts';
import { type Facts, openFacts } from '../../support/facts.ts';
import { printedSeed, randomOf } from '../../support/random.ts';

const config = `
[[monitors]]
id = "a"
target = "https://a.example.com"

[[monitors]]
id = "b"
target = "https://b.example.com"

[[monitors]]
id = "c"
target = "https://c.example.com"
`;

const startAt = Date.UTC(2026, 5, 7, 12);
const hour = 3_600_000;
const day = 24 * hour;

describe('sums over all monitors', () => {
  let facts: Facts;
  /** What `a` answered that was not down: `at` epoch ms, `latencyMs`. */
  const measured: { readonly at: number; readonly latencyMs: number }[] = [];
  before(async () => {
    facts = await openFacts();
    facts.apply(...monitors.sync(facts.sql, (await load(config)).config.monitors, startAt));
    const random = randomOf(printedSeed());
    const operations = ['a', 'b'].flatMap((monitor) =>
      Array.from({ length: 9 * 24 * 2 }, (_, index) => {
        const at = startAt - 9 * day + index * (hour / 2);
        const status = random.pick(['up', 'up', 'up', 'degraded', 'down'] as const);
        const latencyMs = random.below(5) === 0 ? null : random.below(1000);
        if (monitor === 'a' && latencyMs !== null && status !== 'down') measured.push({ at, latencyMs });
        const rest = { holdSecs: 900, isHeartbeat: false, category: null, message: null };
        return samples.add({ monitor, at, status, latencyMs, ...rest });
      }),
    );
    facts.apply(...operations);
    facts.apply(
      ...['a', 'b'].map((monitor) => packHours({ monitor, hour: Math.floor((startAt - day) / hour) })),
    );
  });

  it('of whole days are what each monitor adds up to alone', () => {
    const { sql } = facts;
    const midnight = Math.floor(startAt / day) * day;
    for (const [from, to] of [
      [7, 2],
      [3, 2],
      [400, 2],
    ] as const) {
      const span = { fromAt: midnight - from * day, toAt: midnight - to * day };
      const sums = sumDays(sql, span);
      for (const monitor of ['a', 'b']) {
        assert.deepEqual(sums.get(monitor), tallyWithin(sql, monitor, { ...span, now: startAt }).secs);
      }
      assert.equal(sums.get('c'), undefined);
    }
  });

  it('of latency by the hour are the averages of the heatmap', () => {
    const { sql } = facts;
    const expected = heatmapOf(sql, 'a', { now: startAt, days: 7 })
      .days.flat()
      .filter(({ at, averageMs }) => averageMs !== null && at > startAt - 6 * day);
    const read = hourlyLatency(sql, 'a', { now: startAt, hours: 6 * 24 });
    assert.deepEqual(
      read.map(({ t, latency_ms }) => [t * 1000 - hour / 2, latency_ms]),
      expected.map(({ at, averageMs }) => [at, averageMs]),
    );
    assert.ok(read.length > 100);
    assert.deepEqual(hourlyLatency(sql, 'nobody', { now: startAt, hours: 24 }), []);
  });

  it('of latency by the day have a point for each day that was packed', () => {
    const points = dailyLatency(facts.sql, 'a', { now: startAt, hours: 24 * 90 });
    assert.ok(points.length > 0);
    assert.ok(points.every(({ t }) => t % 86_400 === 43_200));
    for (const { t, latency_ms } of points) {
      const fromAt = t * 1000 - day / 2;
      const ofDay = measured.filter(({ at }) => at >= fromAt && at < fromAt + day);
      const sumMs = ofDay.reduce((sum, { latencyMs }) => sum + latencyMs, 0);
      assert.equal(latency_ms, Math.round(sumMs / ofDay.length));
    }
  });

  it('of latency by the day have today in the first hour of a monitor', () => {
    const sample = { monitor: 'c', status: 'up', holdSecs: 60, isHeartbeat: false } as const;
    const rest = { category: null, message: null };
    facts.apply(
      samples.add({ ...sample, ...rest, at: startAt, latencyMs: 10 }),
      samples.add({ ...sample, ...rest, at: startAt + 60_000, latencyMs: 30 }),
      samples.add({ ...sample, ...rest, at: startAt + 120_000, latencyMs: null }),
    );
    assert.deepEqual(
      dailyLatency(facts.sql, 'c', { now: startAt + 130_000, hours: 24 * 90 }).map(
        ({ latency_ms: ms }) => ms,
      ),
      [20],
    );
  });
});
