import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asRecorded, heard } from '../../../../src/engine/monitoring/confirm/said.ts';
import { freshState, type MonitorState, readState } from '../../../../src/engine/monitoring/confirm/state.ts';
import type { Category } from '../../../../src/engine/core/probe.ts';

const said = (category: Category, message: string) => ({ category, message });
const refused = said('connection', 'connection refused by 192.0.2.7:443');
const error = said('status', 'status 503, expected 200-299');
const downState: MonitorState = {
  ...freshState,
  status: 'down',
  incident: { startedAt: 0, confirmedAt: 0, isReattached: false },
};
const opened = heard(freshState, downState, { finding: 'failed', reason: error, at: 0 }).state;

/** What the record is told by checks that fail for these reasons one after the other, each at its index. */
function changesOf(reasons: readonly ReturnType<typeof said>[]): string[] {
  let state = opened;
  return reasons.flatMap((reason, at) => {
    const now = heard(state, state, { finding: 'failed', reason, at });
    state = now.state;
    return now.change === null ? [] : `${now.change.reason ?? ''} ${now.change.sinceAt}`;
  });
}

describe('what failing checks say', () => {
  it('changes the reason when two in a row say it, whether in another category or in other words', () => {
    assert.deepEqual(changesOf([error, refused, error, refused, refused, refused]), [`${refused.message} 3`]);
    const closed = said('status', 'status 404, expected 200-299');
    assert.deepEqual(changesOf([closed, closed, error, error]), [
      `${closed.message} 0`,
      `${error.message} 2`,
    ]);
  });

  it('is the same whatever the numbers in it are', () => {
    const slow = [10.01, 9, 11, 10.5, 8].map((secs) => said('timeout', `no answer within ${secs} s`));
    assert.deepEqual(changesOf(slow), ['no answer within 9 s 0']);
  });

  it('never changes it while each says something else', () => {
    const words = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => said('content', `the answer of ${id} is wrong`));
    assert.deepEqual(changesOf(words), []);
  });

  it('is forgotten with an answer, not with a check that could not be made', () => {
    const once = heard(opened, opened, { finding: 'failed', reason: refused, at: 1 }).state;
    const blocked = heard(once, once, { finding: 'unknown', reason: null, at: 2 }).state;
    assert.notEqual(heard(blocked, blocked, { finding: 'failed', reason: refused, at: 3 }).change, null);
    const answered = heard(once, once, { finding: 'healthy', reason: null, at: 2 }).state;
    assert.equal(heard(answered, answered, { finding: 'failed', reason: refused, at: 3 }).change, null);
    assert.equal(heard(once, freshState, { finding: 'healthy', reason: null, at: 2 }).state.said, null);
  });

  it('is read back as it was stored, and by the record of the incident where there is another one', () => {
    const once = heard(opened, opened, { finding: 'failed', reason: refused, at: 1 }).state;
    assert.deepEqual(readState(JSON.parse(JSON.stringify(once))), once);
    const record = { category: error.category, reason: error.message, latest: null };
    assert.deepEqual(asRecorded(once, record), once);
    const latest = { sinceAt: 1, category: refused.category, reason: refused.message };
    assert.deepEqual(asRecorded(once, { ...record, latest }).said?.next, null);
    assert.equal(asRecorded(freshState, null).said, null);
    const { said: known, ...older } = once;
    assert.notEqual(known, null);
    assert.deepEqual(readState(older)?.said, null);
  });
});
