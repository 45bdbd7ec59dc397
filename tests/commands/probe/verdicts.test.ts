import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verdictsOn } from '../../../src/commands/probe/verdicts.ts';
import type { Assertion, ProbeResult } from '../../../src/engine/core/probe.ts';
import { noTimings } from '../../../src/engine/core/probe.ts';
import { aMonitor } from '../../support/probing.ts';

const result = (parts: Partial<ProbeResult>): ProbeResult => ({
  outcome: 'healthy',
  reason: null,
  latencyMs: 100,
  timings: noTimings,
  answer: null,
  assertions: [],
  certificate: null,
  address: null,
  ...parts,
});
const met = (key: string): Assertion => ({ key, isMet: true, expected: 'x', actual: 'x' });
const notified = (verdicts: ReturnType<typeof verdictsOn>) =>
  verdicts.map(({ key, isMet }) => `${key} ${isMet}`);

describe('the expectations of a monitor', () => {
  it('are all there when the probe broke off before them, as not reached', () => {
    const monitor = aMonitor('http', { target: 'https://a.example/', keyword: 'ok', degraded_over_ms: 10 });
    const broken = result({ outcome: 'failed', latencyMs: null });
    assert.deepEqual(notified(verdictsOn(monitor, { result: broken, first: null })), [
      'expected_status null',
      'keyword null',
      'degraded_over_ms null',
    ]);
  });

  it('are those of the answer when there was one', () => {
    const monitor = aMonitor('http', { target: 'http://a.example/', keyword: 'ok' });
    const answered = result({ assertions: [met('expected_status'), met('keyword')] });
    assert.deepEqual(notified(verdictsOn(monitor, { result: answered, first: null })), [
      'expected_status true',
      'keyword true',
    ]);
  });

  it('hold the latency against its limit: as much is not too much', () => {
    const monitor = aMonitor('tcp', { target: 'a.example:1', degraded_over_ms: 100 });
    const last = (latencyMs: number) =>
      verdictsOn(monitor, { result: result({ latencyMs }), first: null }).at(-1);
    assert.deepEqual(last(100), {
      key: 'degraded_over_ms',
      isMet: true,
      expected: 'at most 100 ms',
      actual: '100 ms',
    });
    assert.equal(last(100.2)?.isMet, false);
    assert.equal(last(100.2)?.actual, '101 ms');
  });

  it('hold the key against its pin', () => {
    const pin = 'a'.repeat(64);
    const monitor = aMonitor('tcp', { target: 'a.example:25', starttls: 'smtp', cert_pin: pin });
    const certificate = (spkiSha256: string) => ({
      subject: 'a',
      issuer: 'b',
      validFromAt: 0,
      validToAt: 0,
      isTrusted: true,
      chain: [],
      spkiSha256,
    });
    const verdict = (spki: string | null) =>
      verdictsOn(monitor, {
        result: result({ certificate: spki === null ? null : certificate(spki) }),
        first: null,
      }).map(({ isMet }) => isMet);
    assert.deepEqual([verdict(pin), verdict('b'.repeat(64)), verdict(null)], [[true], [false], [null]]);
  });
});
