/** Which samples count where checks are counted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshStability } from '../../../src/engine/monitoring/confirm/unstable.ts';
import { follow, judgedCheckOf } from '../../../src/engine/monitoring/stability.ts';
import type { ConfirmSample } from '../../../src/engine/core/sample.ts';
import { load } from '../../support/config.ts';

const policy = { failThreshold: 1, recoverThreshold: 1, degradedOverMs: 1000, forgetAfterMs: null };
const judged = (sample: ConfirmSample, isHeld = false) =>
  judgedCheckOf(sample, policy, { isDown: false, transitions: [], isHeld });
const check = (outcome: 'healthy' | 'degraded' | 'failed' | 'unknown', latencyMs = 1) =>
  ({ kind: 'check', at: 5, outcome, latencyMs }) as const;

describe('a sample', () => {
  it('counts as failed or answered, and as neither where it says nothing of the target', () => {
    const counted = [
      check('healthy'),
      check('healthy', 2000),
      check('degraded'),
      check('failed'),
      check('unknown'),
    ];
    assert.deepEqual(
      counted.map((sample) => judged(sample)?.isFailed),
      [false, false, false, true, null],
    );
    assert.equal(judged({ kind: 'missed', at: 9, dueAt: 5 })?.isFailed, true);
    assert.equal(judged(check('failed'), true)?.isFailed, null);
  });

  it('of a heartbeat that is late changes nothing, so that a sender with a tight period becomes stable again', async () => {
    const late = judged({ kind: 'late', at: 9, dueAt: 5 });
    assert.equal(late, null);
    const { config } = await load('[[monitors]]\nid = "job"\nkind = "push"\n');
    const [monitor = assert.fail()] = config.monitors;
    const unstable = { startedAt: 1, confirmedAt: 2, troubleAt: 3, outages: 4 };
    const before = { ...freshStability, unstable };
    const sources = { config, stabilityOf: () => null, sql: null as never };
    const after = follow(before, { monitor, check: late, reason: null, at: 9 }, sources);
    assert.deepEqual(after, { stability: before, event: null });
  });
});
