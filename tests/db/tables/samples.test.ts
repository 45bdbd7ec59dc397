import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { samples, type NewSample } from '../../../src/db/tables/samples.ts';
import { heatmapOf } from '../../../src/db/read/heatmap.ts';
import { latencySeries } from '../../../src/db/read/series.ts';
import { planUpkeep } from '../../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../../src/db/tables/retention/retention.ts';
import { openFacts } from '../../support/facts.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const midnight = 20_400 * day;

function sampleAt(at: number, over: Partial<NewSample> = {}): NewSample {
  return {
    monitor: 'api',
    at,
    status: 'up',
    latencyMs: 20,
    holdSecs: 120,
    isHeartbeat: false,
    category: null,
    message: null,
    ...over,
  };
}

const always = { fromAt: 0, toAt: midnight + 400 * day };

describe('samples', () => {
  it('are kept to the second and the millisecond; what cannot be a latency is none', async () => {
    const { sql, apply } = await openFacts();
    apply(
      samples.add(sampleAt(midnight + 999, { latencyMs: 12.6 })),
      samples.add(sampleAt(midnight + 1000, { latencyMs: NaN })),
      samples.add(sampleAt(midnight + 2000, { latencyMs: 1e12 })),
      samples.add(sampleAt(midnight + 3000, { latencyMs: -3, holdSecs: 1e9 })),
    );
    assert.deepEqual(
      samples.list(sql, 'api', always).map(({ at, latencyMs }) => [at - midnight, latencyMs]),
      [
        [0, 13],
        [1000, null],
        [2000, 2 ** 31],
        [3000, 0],
      ],
    );
  });

  it('are all there when several came in one second, in the order they came', async () => {
    const { sql, apply } = await openFacts();
    for (let ping = 0; ping < 5; ping++) {
      apply(samples.add(sampleAt(midnight, { latencyMs: ping, isHeartbeat: true })));
    }
    apply(samples.add(sampleAt(midnight - minute)));
    apply(samples.add(sampleAt(midnight, { latencyMs: 5 })));
    assert.deepEqual(
      samples.list(sql, 'api', always).map(({ latencyMs }) => latencyMs),
      [20, 0, 1, 2, 3, 4, 5],
    );
    assert.deepEqual(
      samples.recent(sql, 'api', { limit: 3, hours: 2 }).map(({ latencyMs }) => latencyMs),
      [3, 4, 5],
    );
    assert.equal(monitors.find(sql, 'api')?.samples, 7);
  });

  it('show the one that came last as the last, though its clock had stepped back', async () => {
    const { sql, apply } = await openFacts();
    apply(samples.add(sampleAt(midnight + hour)));
    apply(
      samples.add(
        sampleAt(midnight, { status: 'down', latencyMs: null, category: 'timeout', message: 'late' }),
      ),
    );
    assert.deepEqual(monitors.find(sql, 'api')?.last, {
      at: midnight,
      status: 'down',
      latencyMs: null,
      category: 'timeout',
      message: 'late',
    });
  });

  it('keep a reason once for as long as it stays the same', async () => {
    const { sql, apply } = await openFacts();
    const failed = (at: number, message: string) =>
      apply(samples.add(sampleAt(at, { status: 'down', latencyMs: null, category: 'timeout', message })));
    failed(midnight, 'no answer');
    failed(midnight + minute, 'no answer');
    failed(midnight + 2 * minute, 'refused');
    apply(samples.add(sampleAt(midnight + 3 * minute)));
    failed(midnight + 4 * minute, 'refused');
    assert.deepEqual(
      samples
        .remarks(sql, 'api', always)
        .map(({ at, category, message }) => [(at - midnight) / minute, category, message]),
      [
        [0, 'timeout', 'no answer'],
        [2, 'timeout', 'refused'],
        [4, 'timeout', 'refused'],
      ],
    );
    assert.deepEqual(samples.remarks(sql, 'nobody', always), []);
  });

  it('take under 55 characters of a record each', () => {
    assert.ok(JSON.stringify(samples.add(sampleAt(midnight, { monitor: 'shop-frontend' }))).length < 55);
  });

  it('of an unknown monitor are none', async () => {
    const { sql } = await openFacts();
    assert.deepEqual(samples.list(sql, 'nobody', always), []);
    assert.deepEqual(samples.recent(sql, 'nobody', { limit: 9, hours: 9 }), []);
    assert.deepEqual(latencySeries(sql, 'nobody', { now: midnight, hours: 24, maxPoints: 2000 }), []);
    assert.equal(heatmapOf(sql, 'nobody', { now: midnight, days: 28 }).medianMs, null);
  });

  it('in a block that was damaged refuse late ones and say so when read, and harm nothing else', async () => {
    const { sql, apply } = await openFacts();
    apply(...samples.addHistory('api', [sampleAt(midnight), sampleAt(midnight + minute)]));
    sql.run("UPDATE packed_hours SET block = x'01ff'");
    assert.deepEqual(apply(samples.add(sampleAt(midnight + 30_000))), [false]);
    assert.throws(() => samples.list(sql, 'api', always), { name: 'DamagedBytesError' });
    assert.deepEqual(apply(samples.add(sampleAt(midnight + 2 * hour))), [true]);
  });

  it('in a block that was damaged are a gap in the series of latencies and in the last samples', async () => {
    const { sql, apply } = await openFacts();
    for (const index of [0, 1, 2]) {
      const first = midnight + index * hour;
      apply(...samples.addHistory('api', [sampleAt(first), sampleAt(first + minute)]));
    }
    const view = { now: midnight + 3 * hour, hours: 24, maxPoints: 2000 };
    assert.equal(latencySeries(sql, 'api', view).length, 6);
    sql.run("UPDATE packed_hours SET block = x'01ff' WHERE slot / 1048576 = ?", midnight / hour + 1);
    const secs = [0, minute, 2 * hour, 2 * hour + minute].map((ms) => (midnight + ms) / 1000);
    assert.deepEqual(
      latencySeries(sql, 'api', view).map(({ t }) => t),
      secs,
    );
    assert.deepEqual(
      samples.recent(sql, 'api', { limit: 9, hours: 9 }).map(({ at }) => at / 1000),
      secs,
    );
  });
});

describe('the list of monitors', () => {
  it('is brought in line with a config by what changed alone', async () => {
    const { sql, apply } = await openFacts();
    const config = [
      { id: 'api', name: 'API' },
      { id: 'web', name: 'Web' },
    ];
    const names = (operations: readonly (readonly unknown[])[]) =>
      operations.map(([name, id]) => `${String(name)} ${String(id)}`);
    const first = monitors.sync(sql, config, midnight);
    assert.deepEqual(names(first), ['monitor.see api', 'monitor.see web']);
    apply(...first);
    assert.deepEqual(monitors.sync(sql, config, midnight + 1), []);
    const second = monitors.sync(sql, [{ id: 'web', name: 'Shop' }], midnight + 2);
    assert.deepEqual(names(second), ['monitor.see web', 'monitor.remove api']);
    apply(...second);
    assert.deepEqual(
      monitors.list(sql).map(({ id, name, removedAt }) => [id, name, removedAt]),
      [
        ['api', 'API', midnight + 2],
        ['web', 'Shop', null],
      ],
    );
    apply(...monitors.sync(sql, config, midnight + 3));
    assert.deepEqual(monitors.find(sql, 'api')?.removedAt, null);
    assert.deepEqual(monitors.find(sql, 'api')?.firstSeenAt, midnight);
  });
});

describe('the latency series', () => {
  it('is every sample while there are few, and averages over equal buckets when there are many', async () => {
    const { sql, apply } = await openFacts();
    const now = midnight + 48 * hour;
    const history = Array.from({ length: 48 * 60 }, (_, index) =>
      sampleAt(midnight + index * minute, { latencyMs: index % 2 === 0 ? 10 : 30 }),
    );
    apply(...samples.addHistory('api', history));
    const short = latencySeries(sql, 'api', { now, hours: 24, maxPoints: 2000 });
    assert.equal(short.length, 24 * 60 - 1);
    assert.deepEqual(short[0], { t: (now - 24 * hour + minute) / 1000, latency_ms: 30 });
    const long = latencySeries(sql, 'api', { now, hours: 48, maxPoints: 240 });
    assert.ok(long.length <= 240 && long.length >= 239);
    assert.ok(long.every(({ latency_ms }) => latency_ms >= 19 && latency_ms <= 21));
    assert.deepEqual(
      long.map(({ t }) => t),
      long.map(({ t }) => t).toSorted((a, b) => a - b),
    );
  });

  it('leaves out what failed, as percentiles, the heatmap and the hourly averages do', async () => {
    const { sql, apply } = await openFacts();
    const now = midnight + hour;
    const failed = { status: 'down', latencyMs: 9000 } as const;
    const untold = { status: 'unknown', latencyMs: 1 } as const;
    const slow = { status: 'degraded', latencyMs: 60 } as const;
    apply(
      ...samples.addHistory('api', [
        sampleAt(midnight, { latencyMs: 40 }),
        sampleAt(midnight + minute, failed),
        sampleAt(midnight + 2 * minute, untold),
        sampleAt(midnight + 3 * minute, slow),
      ]),
    );
    // A sample that is not packed yet.
    apply(samples.add(sampleAt(midnight + 4 * minute, { status: 'down', latencyMs: 2 })));
    const shown = latencySeries(sql, 'api', { now, hours: 24, maxPoints: 2000 });
    assert.deepEqual(
      shown.map(({ latency_ms }) => latency_ms),
      [40, 60],
    );
  });

  it('leaves out samples without a latency, and falls back to hourly averages where samples were pruned', async () => {
    const { sql, apply } = await openFacts();
    const now = midnight + 10 * day;
    const history = Array.from({ length: 10 * 24 * 4 }, (_, index) =>
      sampleAt(
        midnight + index * 15 * minute,
        index % 4 === 0 ? { status: 'down', latencyMs: null } : { latencyMs: 40 },
      ),
    );
    apply(...samples.addHistory('api', history));
    const retentionStep = retentionOf(90, new Map([['api', 3]]));
    for (;;) {
      const plan = planUpkeep(sql, now, { retention: retentionStep, limit: 10 });
      if (plan.length === 0) break;
      apply(...plan);
    }
    const series = latencySeries(sql, 'api', { now, hours: 240, maxPoints: 2000 });
    assert.equal(series.length, 7 * 24 - 1 + 3 * 24 * 3);
    assert.ok(series.every(({ latency_ms }) => latency_ms === 40));
  });
});

describe('the heatmap', () => {
  it('is a row a day and a cell an hour, with the median of it all', async () => {
    const { sql, apply } = await openFacts();
    const now = midnight + 27 * day + 5 * hour + 30 * minute;
    apply(
      ...samples.addHistory('api', [
        sampleAt(midnight + 3 * hour, { latencyMs: 100 }),
        sampleAt(midnight + 3 * hour + minute, { latencyMs: 51 }),
        sampleAt(midnight + 27 * day + 5 * hour, { latencyMs: 60 }),
        sampleAt(midnight + 27 * day + 5 * hour + minute, { latencyMs: 9000, status: 'down' }),
      ]),
    );
    const { days, medianMs } = heatmapOf(sql, 'api', { now, days: 28 });
    assert.equal(days.length, 28);
    assert.ok(days.every((cells) => cells.length === 24));
    assert.deepEqual(days[0]?.[3], { at: midnight + 3 * hour, averageMs: 76 });
    assert.deepEqual(days[27]?.[5], { at: midnight + 27 * day + 5 * hour, averageMs: 60 });
    assert.equal(days.flat().filter(({ averageMs }) => averageMs !== null).length, 2);
    assert.equal(medianMs, 60);
  });
});
