import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addPastDays, maxPastDays, type PastDay } from '../../../src/db/tables/past-days.ts';
import { BarReader } from '../../../src/db/read/bars.ts';
import { tallyWithin } from '../../../src/db/read/within.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { planUpkeep } from '../../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../../src/db/tables/retention/retention.ts';
import { dump, openFacts, type Facts } from '../../support/facts.ts';

const dayMs = 86_400_000;
const today = 20_400;
const now = today * dayMs + 12 * 3_600_000;

const pastDays = (days: readonly PastDay[], monitor = 'api') =>
  addPastDays({ monitor, name: 'API', at: now, days });

const good: PastDay = [today - 2, 86_400, 0, 1440, 0];
const bad: PastDay = [today - 1, 86_000, 400, 1433, 7];

const barsOf = ({ sql }: Facts, days: number, reader = new BarReader()) =>
  (reader.read(sql, now, days).get('api') ?? []).map(({ secs }) => [secs.up, secs.down]);

/** A sample a minute for the whole of a day. */
const measured = (day: number) =>
  samples.addHistory(
    'api',
    Array.from({ length: 1440 }, (_, minute) => ({
      at: day * dayMs + minute * 60_000,
      status: 'up' as const,
      latencyMs: 10,
      holdSecs: 120,
      isHeartbeat: false,
    })),
  );

describe('addPastDays', () => {
  it('shows in the bars of a monitor that was never measured, which begins today', async () => {
    const facts = await openFacts();
    assert.deepEqual(facts.apply(pastDays([good, bad])), [2]);
    assert.deepEqual(barsOf(facts, 4), [
      [0, 0],
      [86_400, 0],
      [86_000, 400],
      [0, 0],
    ]);
    assert.equal(monitors.find(facts.sql, 'api')?.firstSeenAt, now);
    const month = { fromAt: (today - 30) * dayMs, toAt: today * dayMs, now };
    assert.equal(tallyWithin(facts.sql, 'api', month).secs.down, 400);
  });

  it('changes nothing when it is repeated', async () => {
    const facts = await openFacts();
    facts.apply(pastDays([good, bad]));
    const before = dump(facts.sql);
    assert.deepEqual(facts.apply(pastDays([good, bad])), [0]);
    assert.equal(dump(facts.sql), before);
  });

  it('never overwrites a day that was measured here, nor one that is not over', async () => {
    const facts = await openFacts();
    facts.apply(...measured(today - 1));
    const all = { fromAt: 0, toAt: now, now };
    const before = tallyWithin(facts.sql, 'api', all).secs;
    assert.deepEqual(facts.apply(pastDays([bad, [today, 0, 86_400, 0, 10]])), [0]);
    assert.deepEqual(tallyWithin(facts.sql, 'api', all).secs, before);
    assert.deepEqual(facts.apply(pastDays([good])), [1]);
    assert.equal(tallyWithin(facts.sql, 'api', all).secs.up, before.up + 86_400);
  });

  it('is seen by a reader that remembers the days before', async () => {
    const facts = await openFacts();
    facts.apply(...measured(today - 1));
    const reader = new BarReader();
    assert.deepEqual(barsOf(facts, 3, reader)[0], [0, 0]);
    facts.apply(pastDays([good]));
    assert.deepEqual(barsOf(facts, 3, reader)[0], [86_400, 0]);
  });

  it('lasts a year and is pruned like what was measured', async () => {
    const facts = await openFacts();
    const year = Array.from({ length: 365 }, (_, index): PastDay => [today - 365 + index, 86_400, 0, 1, 0]);
    facts.apply(pastDays(year));
    const tidy = (at: number) => {
      const retentionStep = retentionOf(90, new Map());
      for (let round = 0; round < 500; round++) {
        const steps = planUpkeep(facts.sql, at, { retention: retentionStep, limit: 20 });
        if (steps.length === 0) return;
        facts.apply(...steps);
      }
      assert.fail('upkeep never ends');
    };
    tidy(now);
    assert.equal(barsOf(facts, 366).filter(([up]) => up === 86_400).length, 365);
    tidy(now + 100 * dayMs);
    assert.equal(barsOf(facts, 366).filter(([up]) => up === 86_400).length, 265);
  });

  it('refuses more than a year, and days that are longer than a day', () => {
    assert.throws(() => pastDays([[today, 86_400, 1, 1, 1]]), /no more seconds than a day has/);
    assert.throws(() => pastDays(Array.from({ length: maxPastDays + 1 }, () => good)), /a list of at most/);
    assert.throws(() => pastDays([[-1, 0, 0, 0, 0]]), /whole number/);
  });
});
