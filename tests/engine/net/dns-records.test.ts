import assert from 'node:assert/strict';
import { promises } from 'node:dns';
import { describe, it } from 'node:test';
import { askRecords } from '../../../src/engine/net/dns-records.ts';

/** Answers CAA records as Node 20 and 22 do, or as Node 24 does. */
function resolverOf(records: readonly object[]): promises.Resolver {
  return Object.assign(new promises.Resolver(), { resolveCaa: () => Promise.resolve(records) });
}

describe('CAA records', () => {
  const expected = ['0 issue ca.example', '128 iodef mailto:security@example.com', '0 type other'];
  const records = [
    { critical: 0, issue: 'ca.example' },
    { critical: 128, iodef: 'mailto:security@example.com' },
    { critical: 0, type: 'other' },
  ];

  it('are a line each', async () => {
    assert.deepEqual(await askRecords(resolverOf(records), 'example.com', 'CAA'), expected);
  });

  it('are the same where Node says of what type they are', async () => {
    const typed = records.map((record) => ({ type: 'CAA', ...record }));
    assert.deepEqual(await askRecords(resolverOf(typed), 'example.com', 'CAA'), expected);
  });
});
