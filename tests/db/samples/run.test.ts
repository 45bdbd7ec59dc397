import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hourSecs } from '../../../src/db/samples/slots.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { dump, openFacts } from '../../support/facts.ts';
import { hour0 } from '../../support/histories.ts';
import { checkAsyncProperty } from '../../support/property.ts';
import { casesOf } from '../../support/random.ts';

const startAt = hour0 * hourSecs * 1000;

/** Of three monitors, in two hours, in no order: late ones, several of a second, reasons and heartbeats among them. */
const anySample = fc
  .record({
    monitor: fc.constantFrom('a', 'b', 'c'),
    secs: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 * hourSecs })),
    status: fc.constantFrom('up', 'degraded', 'down', 'unknown'),
    latencyMs: fc.option(fc.integer({ min: 0, max: 5000 })),
    holdSecs: fc.constantFrom(0, 60, 3600),
    message: fc.constantFrom(null, 'one', 'two'),
    isHeard: fc.boolean(),
  })
  .map(({ secs, isHeard, ...sample }) => {
    const at = startAt + secs * 1000;
    return samples.add({ ...sample, at, isHeartbeat: isHeard, category: null, heardAt: isHeard ? at : null });
  });

describe('samples that are taken in together', () => {
  it('leave the same bytes as one after the other', async () => {
    const property = fc.asyncProperty(fc.array(anySample, { maxLength: 40 }), async (operations) => {
      const [single, together] = [await openFacts(), await openFacts()];
      const answers = operations.flatMap((operation) => single.apply(operation));
      assert.deepEqual(together.apply(...operations), answers);
      assert.equal(dump(together.sql), dump(single.sql));
      single.sql.close();
      together.sql.close();
    });
    await checkAsyncProperty(property, casesOf(30, 200));
  });
});
