import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTimings, type Outcome, type ProbeResult } from '../../../src/engine/core/probe.ts';
import { inFamilies } from '../../../src/engine/probes/probe-families.ts';

function result(outcome: Outcome, latencyMs: number | null, message = 'it broke'): ProbeResult {
  return {
    outcome,
    reason: outcome === 'healthy' ? null : { category: 'connection', message },
    latencyMs,
    timings: noTimings,
    answer: null,
    assertions: [],
    certificate: null,
    address: null,
  };
}

const both = (ipv4: ProbeResult, ipv6: ProbeResult) =>
  inFamilies(true, (families) => Promise.resolve(families.includes(4) ? ipv4 : ipv6));

describe('a probe over both families', () => {
  it('is one probe over either when both are not asked for', async () => {
    const asked: (readonly number[])[] = [];
    await inFamilies(false, (families) => {
      asked.push(families);
      return Promise.resolve(result('healthy', 1));
    });
    assert.deepEqual(asked, [[4, 6]]);
  });

  it('is as slow as the slower when both answer', async () => {
    assert.equal((await both(result('healthy', 10), result('healthy', 20))).latencyMs, 20);
    assert.equal((await both(result('healthy', 30), result('healthy', 20))).latencyMs, 30);
  });

  for (const silent of ['failed', 'unknown'] as const) {
    it(`is degraded when one answers and the other is ${silent}, with the latency of the one`, async () => {
      const one = await both(result('healthy', 10), result(silent, null, 'no route'));
      assert.equal(one.outcome, 'degraded');
      assert.equal(one.latencyMs, 10);
      assert.deepEqual(one.reason, {
        category: 'address_family',
        message: 'it answers over IPv4 only; over IPv6, no route',
      });
      const other = await both(result(silent, null, 'refused'), result('healthy', 10));
      assert.equal(other.reason?.message, 'it answers over IPv6 only; over IPv4, refused');
    });
  }

  it('is degraded when one is, for the reason of that one', async () => {
    const one = await both(result('degraded', 10, 'another key'), result('healthy', 20));
    assert.equal(one.outcome, 'degraded');
    assert.equal(one.reason?.message, 'another key');
  });

  it('names the missing family when the other is degraded', async () => {
    const one = await both(result('degraded', 10, 'another key'), result('failed', null, 'refused'));
    assert.equal(one.outcome, 'degraded');
    assert.equal(one.reason?.category, 'address_family');
  });

  it('fails when both do, and names both reasons', async () => {
    const one = await both(result('failed', null, 'refused'), result('failed', null, 'no route'));
    assert.equal(one.outcome, 'failed');
    assert.equal(one.reason?.message, 'over IPv4, refused; over IPv6, no route');
    const same = await both(result('failed', null, 'refused'), result('failed', null, 'refused'));
    assert.equal(same.reason?.message, 'refused');
  });

  it('fails when one does and nothing is known of the other', async () => {
    const one = await both(result('unknown', null, 'no descriptors'), result('failed', null, 'refused'));
    assert.equal(one.outcome, 'failed');
    assert.equal(one.reason?.message, 'over IPv6, refused; over IPv4, no descriptors');
  });

  it('knows nothing when nothing is known of either', async () => {
    const one = await both(result('unknown', null, 'x'), result('unknown', null, 'x'));
    assert.equal(one.outcome, 'unknown');
  });

  it('is silent only when both families are', async () => {
    const silent = { ...result('failed', null, 'no route'), isSilence: true };
    const refused = result('failed', null, 'refused');
    assert.equal((await both(silent, { ...silent })).isSilence, true);
    assert.notEqual((await both(silent, refused)).isSilence, true);
    assert.notEqual((await both(refused, silent)).isSilence, true);
    assert.notEqual((await both(result('healthy', 1), silent)).isSilence, true);
  });
});
