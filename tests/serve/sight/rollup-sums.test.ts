import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { heatmapOf } from '../../../src/db/read/heatmap.ts';
import { tallyWithin } from '../../../src/db/read/within.ts';
import { packHours } from '../../../src/db/ops/samples.ts';
import { samples } from '../../../src/db/topics/samples.ts';
import { createLatencyHours, sumDays } from '../../../src/serve/sight/rollup-sums.ts';
import { printedSeed, randomOf } from '../../support/random.ts';
import { openWorld, startAt, type World } from '../world.ts';

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

const hour = 3_600_000;
const day = 24 * hour;

describe('sums over all monitors', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
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
    await world.store.write(operations);
    await world.store.write(
      ['a', 'b'].map((monitor) => packHours({ monitor, hour: Math.floor((startAt - day) / hour) })),
    );
  });
  after(() => world.close());

  it('of whole days are what each monitor adds up to alone', () => {
    const { sql } = world.store;
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

  it('of the latency of a day are the averages of the heatmap, also when they are remembered', async () => {
    const { sql } = world.store;
    const hours = createLatencyHours(sql);
    while (!hours.warm(startAt));
    const compare = (now: number) => {
      const cells = heatmapOf(sql, 'a', { now, days: 2 }).days.flat();
      const expected = cells.filter(
        ({ at, averageMs }) => averageMs !== null && at >= Math.floor(now / hour) * hour - day,
      );
      const read = hours.read(now).get('a') ?? [];
      const onTheHour = read.filter(({ t }) => t % 3600 === 0);
      assert.deepEqual(
        onTheHour.map(({ t, latency_ms }) => [t * 1000, Math.round(latency_ms)]),
        expected.map(({ at, averageMs }) => [at, averageMs]),
      );
      assert.ok(read.every(({ t }) => t * 1000 <= now));
      assert.ok(onTheHour.length > 10);
    };
    compare(startAt);
    await world.store.write([
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
    ]);
    compare(startAt + 2 * 60_000);
    compare(startAt + 90 * 60_000);
  });
});
