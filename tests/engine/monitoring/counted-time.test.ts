import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { planUpkeep } from '../../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../../src/db/tables/retention/retention.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { countedSecs, maintainedBefore } from '../../../src/engine/monitoring/counted-time.ts';
import { type Facts, openFacts } from '../../support/facts.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const midnight = 20_400 * day;
const config = { maintenance: [], peers: [] };

/** Minutes since the first midnight: windows of maintenance, and when checks failed without an outage on record. */
const windows = [
  [day + 100 * minute, day + 190 * minute],
  [3 * day - 45 * minute, 3 * day + 80 * minute],
  [9 * day, 10 * day + 30 * minute],
] as const;
const failing = [
  [day + 110 * minute, day + 130 * minute],
  [3 * day - 20 * minute, 3 * day + 100 * minute],
  [5 * day + 10 * minute, 5 * day + 25 * minute],
  [9 * day + 5 * hour, 9 * day + 7 * hour],
] as const;

const among = (at: number, spans: readonly (readonly [number, number])[]) =>
  spans.some(([from, to]) => at >= midnight + from && at < midnight + to);

/** Twenty days of checks every minute. */
async function worldOf(): Promise<Facts> {
  const facts = await openFacts();
  const history = Array.from({ length: 20 * 1440 }, (_, index) => {
    const at = midnight + index * minute;
    const status = among(at, failing) ? ('down' as const) : ('up' as const);
    return { at, status, latencyMs: null, holdSecs: 90, isHeartbeat: false };
  });
  facts.apply(...samples.addHistory('api', history));
  for (const [index, [from, to]] of windows.entries()) {
    const span = { startAt: midnight + from, endAt: midnight + to, createdAt: midnight };
    facts.apply(maintenances.add({ id: null, uid: `works-${index}`, title: 'Works', monitors: [], ...span }));
  }
  return facts;
}

/** As the daemon does every few minutes; samples are kept for a week. */
function tidy({ sql, apply }: Facts, now: number): void {
  const retention = retentionOf(90, new Map([['api', 7]]));
  for (;;) {
    const steps = planUpkeep(sql, now, { retention, limit: 20 });
    if (steps.length === 0) return;
    for (const step of steps) apply(...maintainedBefore(sql, config, { step, nowAt: now }), step);
  }
}

/** From the definition, minute by minute. */
function expectedOf(fromAt: number, toAt: number) {
  const secs = { up: 0, degraded: 0, down: 0, unknown: 0 };
  for (let at = fromAt; at < toAt; at += minute)
    if (!among(at, windows)) secs[among(at, failing) ? 'down' : 'up'] += 60;
  return secs;
}

const spans = [
  { name: 'a day with maintenance in it', from: day, to: 2 * day },
  { name: 'days with maintenance over midnight', from: 2 * day, to: 4 * day },
  { name: 'all of its days', from: 0, to: 20 * day },
  { name: 'a week with a day of maintenance', from: 8 * day, to: 15 * day },
] as const;

describe('the seconds that count for an uptime', () => {
  it('are the same once samples, and then hourly rollups, are deleted', async () => {
    const facts = await worldOf();
    for (const nowAt of [20, 30, 120, 200].map((days) => midnight + days * day)) {
      tidy(facts, nowAt);
      for (const { name, from, to } of spans) {
        const span = { fromAt: midnight + from, toAt: midnight + to };
        assert.deepEqual(
          countedSecs(facts.sql, config, { monitor: 'api', ...span, nowAt }),
          expectedOf(span.fromAt, span.toAt),
          `${name}, ${(nowAt - midnight) / day} days later`,
        );
      }
    }
    assert.equal(samples.list(facts.sql, 'api', { fromAt: 0, toAt: midnight + 20 * day }).length, 0);
    facts.sql.close();
  });

  it('begin and end within an hour, to the second, as long as its samples are kept', async () => {
    const facts = await worldOf();
    const nowAt = midnight + 20 * day;
    for (const [from, to] of [
      [day + 115 * minute, day + 125 * minute],
      [day + 125 * minute, day + 200 * minute],
      [3 * day + 90 * minute, 5 * day + 12 * minute],
      [13 * day + 7 * minute, 20 * day],
    ] as const) {
      const span = { fromAt: midnight + from, toAt: midnight + to };
      const found = countedSecs(facts.sql, config, { monitor: 'api', ...span, nowAt });
      assert.deepEqual(found, expectedOf(span.fromAt, span.toAt), `${from / minute} to ${to / minute}`);
    }
    facts.sql.close();
  });
});
