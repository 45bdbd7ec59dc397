import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sumDays } from '../../../src/db/read/day-sums.ts';
import { heatmapOf } from '../../../src/db/read/heatmap.ts';
import { createLatencyHours } from '../../../src/db/read/latency-hours.ts';
import { tallyWithin } from '../../../src/db/read/within.ts';
import { packHours, samples } from '../../../src/db/tables/samples.ts';
import { findOwner } from '../../../src/db/samples/owner.ts';
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
  before(async () => {
    facts = await openFacts();
    facts.apply(...monitors.sync(facts.sql, (await load(config)).config.monitors, startAt));
    const random = randomOf(printedSeed());
    const operations = ['a', 'b'].flatMap((monitor) =>
      Array.from({ length: 9 * 24 * 2 }, (_, index) =>
        samples.add({
          monitor,
          at: startAt - 9 * day + index * (hour / 2),
          status: random.pick(['up', 'up', 'up', 'degraded', 'down']),
          latencyMs: random.below(5) === 0 ? null : random.below(1000),
          holdSecs: 900,
          isHeartbeat: false,
          category: null,
          message: null,
        }),
      ),
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

  it('of the latency of a day are the averages of the heatmap, also when they are remembered', () => {
    const { sql } = facts;
    const hours = createLatencyHours(sql);
    while (!hours.warm(startAt));
    const compare = (now: number) => {
      const cells = heatmapOf(sql, 'a', { now, days: 2 }).days.flat();
      const expected = cells.filter(
        ({ at, averageMs }) => averageMs !== null && at >= Math.floor(now / hour) * hour - day,
      );
      const read = hours.of({ key: findOwner(sql, 'a')?.key ?? 0 }, now);
      const onTheHour = read.filter(({ t }) => t % 3600 === 0);
      assert.deepEqual(
        onTheHour.map(({ t, latency_ms }) => [t * 1000, Math.round(latency_ms)]),
        expected.map(({ at, averageMs }) => [at, averageMs]),
      );
      assert.ok(read.every(({ t }) => t * 1000 <= now));
      assert.ok(onTheHour.length > 10);
    };
    compare(startAt);
    facts.apply(
      samples.add({
        monitor: 'a',
        at: startAt + 60_000,
        status: 'up',
        latencyMs: 4000,
        holdSecs: 60,
        isHeartbeat: false,
        category: null,
        message: null,
      }),
    );
    compare(startAt + 2 * 60_000);
    compare(startAt + 90 * 60_000);
  });
});
