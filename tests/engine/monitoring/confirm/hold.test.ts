import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirm } from '../../../../src/engine/monitoring/confirm/confirm.ts';
import { hold } from '../../../../src/engine/monitoring/confirm/hold.ts';
import type { Outcome } from '../../../../src/engine/core/probe.ts';
import { freshState, readState, type MonitorState } from '../../../../src/engine/monitoring/confirm/state.ts';
import { policy as ordinary } from './letters.ts';

const minute = 60_000;
const policy = { ...ordinary, failThreshold: 3, forgetAfterMs: 15 * minute };

function check(state: MonitorState, minutes: number, outcome: Outcome) {
  return confirm(state, { kind: 'check', at: minutes * minute, outcome, latencyMs: 20 }, policy);
}

function heldEveryMinute(state: MonitorState, from: number, to: number): MonitorState {
  let held = state;
  for (let at = from; at <= to; at += 1) held = hold(held, at * minute, policy);
  return held;
}

describe('a failure that is held', () => {
  const up = check(freshState, 0, 'healthy').state;

  it('opens nothing, however many there are, and shows that nothing is known', () => {
    const held = heldEveryMinute(up, 1, 60);
    assert.equal(held.incident, null);
    assert.equal(held.status, 'unknown');
    assert.deepEqual(held.failures, { count: 60, sinceAt: minute });
    assert.deepEqual(readState(JSON.parse(JSON.stringify(held))), held, 'and it can be stored');
  });

  it('counts when the target fails afterwards: the outage began with the first of them', () => {
    const { transitions } = check(heldEveryMinute(up, 1, 60), 61, 'failed');
    assert.deepEqual(transitions[0], {
      kind: 'incident_opened',
      startedAt: minute,
      confirmedAt: 61 * minute,
    });
  });

  it('goes on with the failures before it', () => {
    const failed = check(up, 1, 'failed').state;
    const { transitions } = check(hold(failed, 2 * minute, policy), 3, 'failed');
    assert.deepEqual(transitions[0], { kind: 'incident_opened', startedAt: minute, confirmedAt: 3 * minute });
  });

  it('is forgotten when the target answers, and when it is too old', () => {
    const held = heldEveryMinute(up, 1, 10);
    assert.equal(check(held, 11, 'healthy').state.failures, null);
    assert.deepEqual(check(held, 60, 'failed').state.failures, { count: 1, sinceAt: 60 * minute });
    assert.deepEqual(hold(held, 60 * minute, policy).failures, { count: 1, sinceAt: 60 * minute });
  });

  it('leaves an open incident as it is', () => {
    let state = up;
    for (const at of [1, 2, 3]) state = check(state, at, 'failed').state;
    const held = hold(state, 4 * minute, policy);
    assert.deepEqual(held.incident, state.incident);
    assert.equal(held.status, 'down');
  });
});
