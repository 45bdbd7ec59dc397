import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resume } from '../../../../src/engine/monitoring/confirm/resume.ts';
import { freshState, readState } from '../../../../src/engine/monitoring/confirm/state.ts';
import { policy, run, notified } from './letters.ts';

const slowToRecover = { ...policy, recoverThreshold: 3 };
const recorded = { startedAt: 0, confirmedAt: 120_000 };

describe('after a restart', () => {
  it('a state that agrees with the record is kept, streaks included', () => {
    const { state } = run('fffuu', { given: slowToRecover });
    assert.equal(resume(state, recorded), state);
    assert.deepEqual(notified(run('u', { given: slowToRecover, start: state, from: 5 }).transitions), [
      'closed 0-5',
    ]);
  });

  it('an open incident without a state is shown down and closed by the next healthy check', () => {
    const state = resume(freshState, recorded);
    assert.equal(state.status, 'down');
    const { transitions, shown } = run('?u', { given: slowToRecover, start: state, from: 9 });
    assert.equal(shown, 'Du');
    assert.deepEqual(notified(transitions), ['closed 0-10']);
  });

  it('an open incident without a state is not opened a second time by further failures', () => {
    const { transitions } = run('ffffffu', { start: resume(freshState, recorded), from: 9 });
    assert.deepEqual(notified(transitions), ['closed 0-15']);
  });

  it('of two different incidents the one in the record counts', () => {
    const { state } = run('fff', { from: 50 });
    const resumed = resume(state, recorded);
    assert.deepEqual(notified(run('u', { start: resumed, from: 60 }).transitions), ['closed 0-60']);
  });

  it('an incident that is not in the record is opened again by the next failure, with the start of the first', () => {
    const resumed = resume(run('uffff').state, null);
    assert.equal(resumed.status, 'degraded');
    assert.deepEqual(notified(run('f', { start: resumed, from: 5 }).transitions), ['opened 1-5']);
    assert.deepEqual(notified(run('u', { start: resumed, from: 5 }).transitions), []);
  });

  it('an incident that is not in the record and is recovering is dropped', () => {
    const { state } = run('fffu', { given: slowToRecover });
    assert.equal(resume(state, null).status, 'unknown');
  });

  it('a confirmed degradation gives way to an open incident', () => {
    const { state } = run('sss');
    assert.equal(resume(state, recorded).degradation, null);
  });

  it('the record says when an incident that both know was confirmed', () => {
    const { state } = run('fff');
    const resumed = resume(state, { startedAt: 0, confirmedAt: 180_000 });
    assert.deepEqual(resumed.incident, { startedAt: 0, confirmedAt: 180_000, isReattached: true });
    const blocked = resume(freshState, { ...recorded, ownFault: 'resolver' });
    assert.equal(resume(blocked, { ...recorded, ownFault: 'resolver' }), blocked);
    const later = resume(blocked, { startedAt: 0, confirmedAt: 180_000, ownFault: 'resolver' });
    assert.equal(later.unchecked?.confirmedAt, 180_000);
  });

  it('answers count on towards the end of a degradation, not of an outage, when checks are prevented', () => {
    const unchecked = { ...recorded, ownFault: 'resolver' };
    assert.equal(resume(run('sssu', { given: slowToRecover }).state, unchecked).recoveries, 1);
    assert.equal(resume(run('fffu', { given: slowToRecover }).state, unchecked).recoveries, 0);
  });

  it('answers before an incident was attached or let go count neither as slow nor as recovered', () => {
    const slowed = run('ssss', { start: resume(run('ss').state, recorded), from: 9 });
    assert.deepEqual(notified(slowed.transitions), ['closed 0-9', 'degraded 9-11']);
    const given = slowToRecover;
    const leftOver = resume(run('fffuu', { given }).state, null);
    assert.equal(leftOver.recoveries, 0);
    const other = resume(run('fffuu', { given, from: 50 }).state, recorded);
    assert.deepEqual(run('u', { given, start: other, from: 60 }).last?.why, {
      finding: 'healthy',
      kind: 'recovering',
      count: 1,
      needed: 1,
    });
  });
});

describe('a stored state', () => {
  it('is read back equal after any history', () => {
    for (const history of ['', 'u', 'ff', 'fff', 'fffu', 'sss', 'sf?', '???', 'lm', 'sssu']) {
      const { state } = run(history, { given: slowToRecover });
      assert.deepEqual(readState(JSON.parse(JSON.stringify(state))), state, history);
    }
  });

  const good = run('fff').state;
  const damages: Readonly<Record<string, unknown>> = {
    nothing: null,
    text: 'state',
    'a list': [good],
    'another version': { ...good, version: 2 },
    'no such status': { ...good, status: 'fine' },
    'down without incident': { ...good, incident: null },
    'an incident without down': { ...good, status: 'up' },
    'an incident beside a degradation': { ...good, degradation: recorded },
    'a count of nothing': { ...good, failures: { count: 0, sinceAt: 1 } },
    'a count that is no number': { ...good, failures: { count: '3', sinceAt: 1 } },
    'an instant that is none': { ...good, knownAt: Number.NaN },
    'recoveries below zero': { ...good, recoveries: -1 },
    'half an incident': { ...good, incident: { startedAt: 1 } },
    'an incident of unknown origin': { ...good, incident: recorded },
    'a missing streak': { ...good, slow: undefined },
    'a degradation without its instants': { ...run('sss').state, degradation: {} },
    'prevented checks without their cause': { ...run('u').state, blocked: { count: 1, sinceAt: 1 } },
    'a monitor that cannot be checked for no cause': { ...run('u').state, unchecked: recorded },
    'an incident beside checks that are prevented': { ...good, unchecked: { ...recorded, ownFault: 'x' } },
  };
  for (const [damage, document] of Object.entries(damages)) {
    it(`is refused when it is or has ${damage}`, () => {
      assert.equal(readState(document), null);
    });
  }
});

describe('a monitor that could not be checked, after a restart', () => {
  const open = { startedAt: 60_000, confirmedAt: 180_000, ownFault: 'resolver' };

  it('goes on as it was when the record agrees', () => {
    const { state } = run('urrr');
    assert.equal(resume(state, open), state);
  });

  it('is attached from the record, and over with the next answer', () => {
    const state = resume(freshState, open);
    assert.equal(state.status, 'unknown');
    assert.deepEqual(notified(run('rr', { start: state, from: 5 }).transitions), []);
    assert.deepEqual(notified(run('u', { start: state, from: 5 }).transitions), ['checked again 1-5']);
  });

  it('is dropped when the record has nothing open, and confirmed again from its first check', () => {
    const { state } = run('urrr');
    const resumed = resume(state, null);
    assert.equal(resumed.unchecked, null);
    assert.deepEqual(notified(run('r', { start: resumed, from: 4 }).transitions), ['unknown 1-4']);
  });

  it('gives way to an outage that the record has open', () => {
    const { state } = run('urrr');
    const resumed = resume(state, { startedAt: 0, confirmedAt: 1 });
    assert.deepEqual([resumed.status, resumed.unchecked], ['down', null]);
  });

  it('is read from a document of a version that knew nothing of it', () => {
    const { blocked, unchecked, ...old } = run('uff').state;
    assert.deepEqual([blocked, unchecked], [null, null]);
    assert.deepEqual(readState(JSON.parse(JSON.stringify(old))), run('uff').state);
  });
});
