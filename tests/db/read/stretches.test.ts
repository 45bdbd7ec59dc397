import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StretchReader } from '../../../src/db/read/stretches.ts';
import { findShown } from '../../../src/db/read/watched.ts';
import type { SqlReader } from '../../../src/db/store/sql.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { planUpkeep } from '../../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../../src/db/tables/retention/retention.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { type Facts, openFacts } from '../../support/facts.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A UTC midnight. */
const midnight = 20_400 * day;

/** When it was down, since the first midnight: from 2:00 until 2:50, half an hour on the day after, and then a day. */
const outages = [
  [2 * hour, 2 * hour + 50 * minute],
  [day + 7 * hour + 40 * minute, day + 8 * hour + 10 * minute],
  [4 * day, 5 * day],
] as const;

/** Twenty days of checks that are so far apart. */
async function worldOf(everyMs: number): Promise<Facts> {
  const facts = await openFacts();
  const history = Array.from({ length: (20 * day) / everyMs }, (_, index) => {
    const at = midnight + index * everyMs;
    const isDown = outages.some(([from, to]) => at >= midnight + from && at < midnight + to);
    const status = isDown ? ('down' as const) : ('up' as const);
    return { at, status, latencyMs: null, holdSecs: (everyMs / 1000) * 1.5, isHeartbeat: false };
  });
  facts.apply(...samples.addHistory('api', history));
  for (const [index, [from, to]] of outages.entries()) {
    const uid = `outage-${index}`;
    const began = { startedAt: midnight + from, confirmedAt: midnight + from + minute };
    const rest = {
      category: null,
      reason: 'refused',
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    };
    facts.apply(
      incidents.open({ uid, monitor: 'api', name: 'API', ...began, ...rest }),
      incidents.close({ uid, endedAt: midnight + to }),
    );
  }
  return facts;
}

/** Deletes what is too old; samples are kept for a week. */
function tidy({ sql, apply }: Facts, now: number): void {
  const retention = retentionOf(90, new Map([['api', 7]]));
  for (;;) {
    const plan = planUpkeep(sql, now, { retention, limit: 20 });
    if (plan.length === 0) return;
    apply(...plan);
  }
}

function secsOf(sql: SqlReader, fromAt: number, toAt: number) {
  const monitor = findShown(sql, 'api');
  assert.ok(monitor !== null);
  const stretch = { fromAt: midnight + fromAt, toAt: midnight + toAt };
  return new StretchReader().of(sql, monitor, {
    stretches: [stretch],
    now: midnight + 20 * day,
    outages: () => incidents.spansWithin(sql, stretch),
  });
}

const cases = [
  { name: 'of parts of two hours, with an outage in one of them', from: 135, to: 230, down: 35 },
  { name: 'within an hour, after an outage of it', from: 172, to: 180, down: 0 },
  { name: 'in an hour that was up', from: 310, to: 315, down: 0 },
  { name: 'over whole hours, with an outage over their end', from: 31 * 60 + 40, to: 34 * 60, down: 30 },
  {
    name: 'between two checks, a day apart, of which one failed',
    from: 105 * 60 + 5,
    to: 105 * 60 + 50,
    down: 45,
  },
] as const;

describe('what samples add up to within a stretch', () => {
  for (const { name, from, to, down } of cases)
    it(`is the same when the samples of it are gone: ${name}`, async () => {
      const facts = await worldOf(name.includes('a day apart') ? day : minute);
      const wanted = { up: (to - from - down) * 60, degraded: 0, down: down * 60, unknown: 0 };
      assert.deepEqual(secsOf(facts.sql, from * minute, to * minute), wanted);
      tidy(facts, midnight + 20 * day);
      assert.equal(samples.list(facts.sql, 'api', { fromAt: 0, toAt: midnight + 12 * day }).length, 0);
      assert.deepEqual(secsOf(facts.sql, from * minute, to * minute), wanted);
      facts.sql.close();
    });
});
