/** What a single answer says, before anything is confirmed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brokenResult, type ProbeResult } from '../../../src/engine/core/probe.ts';
import { type CheckPolicy, type ConfirmSample, findingOf } from '../../../src/engine/core/sample.ts';
import { assess } from '../../../src/engine/core/status.ts';

const outcomes = ['healthy', 'degraded', 'failed', 'unknown'] as const;
const result = (outcome: ProbeResult['outcome'], latencyMs: number | null): ProbeResult => ({
  ...brokenResult,
  outcome,
  latencyMs,
});

describe('the status of one check', () => {
  it('is what the probe says, but for a healthy answer over the limit', () => {
    assert.deepEqual(
      outcomes.map((outcome) => assess(result(outcome, 900), 1000)),
      ['up', 'degraded', 'down', 'unknown'],
    );
    assert.equal(assess(result('healthy', 1001), 1000), 'degraded');
    assert.equal(assess(result('healthy', 1000), 1000), 'up', 'the limit itself is allowed');
    assert.equal(assess(result('healthy', 1001), null), 'up', 'without a limit');
    assert.equal(assess(result('healthy', null), -1), 'up', 'without a latency');
  });

  it('of a check that broke is unknown, with the program to blame: it says nothing about the target', () => {
    assert.equal(assess(brokenResult, 0), 'unknown');
    assert.deepEqual(brokenResult.reason, {
      category: 'own_fault',
      message: 'the check could not be made',
      ownFault: 'program',
    });
    assert.deepEqual(Object.values(brokenResult.timings), [null, null, null, null, null]);
    assert.deepEqual(brokenResult.assertions, []);
  });
});

describe('what a sample says', () => {
  const policy: CheckPolicy = {
    failThreshold: 3,
    recoverThreshold: 1,
    degradedOverMs: 1000,
    forgetAfterMs: null,
  };
  const check = (outcome: ProbeResult['outcome'], latencyMs: number | null): ConfirmSample => ({
    kind: 'check',
    at: 5,
    outcome,
    latencyMs,
  });

  it('distinguishes slow from a warning of the probe', () => {
    assert.deepEqual(
      outcomes.map((outcome) => findingOf(check(outcome, 2000), policy)),
      [{ kind: 'slow' }, { kind: 'warned' }, { kind: 'failed' }, { kind: 'unknown' }],
    );
    const healthy = { kind: 'healthy' };
    assert.deepEqual(findingOf(check('healthy', 1000), policy), healthy);
    assert.deepEqual(findingOf(check('healthy', 2000), { ...policy, degradedOverMs: null }), healthy);
    assert.deepEqual(findingOf(check('healthy', null), { ...policy, degradedOverMs: -1 }), healthy);
  });

  it('keeps when a heartbeat was due that did not come', () => {
    assert.deepEqual(findingOf({ kind: 'late', at: 9, dueAt: 4 }, policy), { kind: 'late', dueAt: 4 });
    assert.deepEqual(findingOf({ kind: 'missed', at: 9, dueAt: 3 }, policy), { kind: 'missed', dueAt: 3 });
  });
});
