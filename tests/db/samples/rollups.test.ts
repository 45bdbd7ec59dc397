import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findOwner } from '../../../src/db/samples/owner.ts';
import { readRollup } from '../../../src/db/samples/rollups.ts';
import { dayOfHour, hourSecs, slotOf } from '../../../src/db/samples/slots.ts';
import { samplesWithin } from '../../../src/db/samples/stored.ts';
import { dump, type Facts, openFacts } from '../../support/facts.ts';
import {
  anyStep,
  comparable,
  expectedSamples,
  hour0,
  naiveHours,
  operationOf,
  type Step,
  sumNaively,
} from '../../support/histories.ts';
import { checkAsyncProperty } from '../../support/property.ts';
import { casesOf } from '../../support/random.ts';

const firstHour = hour0 - 1100;
const lastHour = hour0 + 1900;

function assertEqualsNaive({ sql }: Facts, steps: readonly Step[]): void {
  const owner = findOwner(sql, 'api');
  const expected = expectedSamples(steps);
  if (owner === null) {
    assert.deepEqual(expected, []);
    return;
  }
  const span = { fromSecs: firstHour * hourSecs, toSecs: lastHour * hourSecs };
  assert.deepEqual(samplesWithin(sql, owner, span), expected);
  const naive = naiveHours(expected);
  for (let hour = firstHour; hour < lastHour; hour++) {
    const stored = readRollup(sql, 'hourly', slotOf(hour, owner.key));
    assert.deepEqual(comparable(stored), comparable(naive.get(hour) ?? null), `hour ${hour}`);
  }
  for (let day = dayOfHour(firstHour); day <= dayOfHour(lastHour); day++) {
    const stored = readRollup(sql, 'daily', slotOf(day, owner.key));
    const packed = sumNaively(naive, (hour) => dayOfHour(hour) === day && hour < owner.packedBefore);
    assert.deepEqual(comparable(stored), comparable(packed), `day ${day}`);
  }
}

describe('rollups', () => {
  it('equal a recomputation from the raw samples, in any order of arrival, packing and bulk', async () => {
    const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
      const facts = await openFacts();
      for (const step of steps) facts.apply(operationOf(step));
      assertEqualsNaive(facts, steps);
      facts.sql.close();
    });
    const runs = casesOf(40, 100);
    await checkAsyncProperty(property, runs);
  });

  it('are the same bytes however the operations were grouped into transactions', async () => {
    const property = fc.asyncProperty(
      fc.array(anyStep, { maxLength: 40 }),
      fc.integer({ min: 2, max: 7 }),
      async (steps, size) => {
        const operations = steps.map((step) => operationOf(step));
        const [single, grouped] = [await openFacts(), await openFacts()];
        for (const operation of operations) single.apply(operation);
        for (let at = 0; at < operations.length; at += size) {
          grouped.apply(...operations.slice(at, at + size));
        }
        assert.equal(dump(grouped.sql), dump(single.sql));
        single.sql.close();
        grouped.sql.close();
      },
    );
    const runs = casesOf(15, 30);
    await checkAsyncProperty(property, runs);
  });

  it('count each of several samples in one second, and its seconds once', async () => {
    const facts = await openFacts();
    const secs = hour0 * hourSecs;
    const at = (offset: number, status: 'up' | 'down') =>
      operationOf({
        kind: 'sample',
        sample: { at: (secs + offset) * 1000, status, latencyMs: null, holdSecs: 120, isHeartbeat: true },
      });
    facts.apply(at(0, 'down'), at(0, 'up'), at(0, 'up'), at(60, 'up'));
    const owner = findOwner(facts.sql, 'api');
    const tally = readRollup(facts.sql, 'hourly', slotOf(hour0, owner?.key ?? 0));
    assert.deepEqual(tally?.counts, { up: 3, degraded: 0, down: 1, unknown: 0 });
    assert.deepEqual(tally.secs, { up: 60, degraded: 0, down: 0, unknown: 0 });
  });

  it('count what comes next in an hour that is packed already, and the time it is credited there', async () => {
    const secs = hour0 * hourSecs;
    const sampleAt = (offset: number): Step => ({
      kind: 'sample',
      sample: {
        at: (secs + offset) * 1000,
        status: 'up',
        latencyMs: 20,
        holdSecs: hourSecs,
        isHeartbeat: false,
      },
    });
    for (const next of [sampleAt(1200), sampleAt(hourSecs + 300)]) {
      const facts = await openFacts();
      const steps: Step[] = [sampleAt(600), { kind: 'pack', hour: hour0 }, next];
      for (const step of steps) facts.apply(operationOf(step));
      assertEqualsNaive(facts, steps);
      facts.sql.close();
    }
  });
});
