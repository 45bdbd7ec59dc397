/** What becomes of a message that comes too late, and of many at once: the cases at the edges. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coalesce } from '../../../src/engine/alerting/coalesce.ts';
import { readOutage } from '../../../src/engine/alerting/events/outage-payload.ts';
import { holdReasons } from '../../../src/engine/alerting/events/stored.ts';
import { late } from '../../../src/engine/alerting/late.ts';

describe('a message whose outage is over', () => {
  const over = (changes: object, { endedAt = 40_000, wasMuted = false } = {}) => {
    const payload = readOutage({ startedAt: 0, confirmedAt: 1000, windowEndsAt: 31_000, ...changes });
    assert.ok(payload !== null);
    const lateness = late({ payload, endedAt, attempts: 0, wasMuted });
    return lateness.kind === 'late' ? 'late' : lateness.reason;
  };

  it('is suppressed where another message that was sent says so, else sent late', () => {
    const suppressed = holdReasons.filter((reason) => over({ hold: { reason, by: 'db' } }) !== 'late');
    assert.deepEqual(suppressed, ['folded', 'later_group', 'same_cause', 'node_blind']);
    for (const reason of suppressed)
      assert.equal(over({ hold: { reason, by: 'db' } }), reason === 'later_group' ? 'over' : reason);
  });

  it('is a flap within its first window alone', () => {
    const early = { endedAt: 30_999 };
    assert.equal(over({}, early), 'flap');
    assert.equal(over({ hold: { reason: 'folded', by: 'db' } }, early), 'flap');
    assert.equal(over({ renewedAfter: 'db' }, early), 'late');
    assert.equal(over({ renewedAfter: 'db' }, { ...early, wasMuted: true }), 'muted');
    assert.equal(
      over({ hold: { reason: 'upstream_failing', by: 'db' } }, { ...early, wasMuted: true }),
      'muted',
    );
  });
});

describe('many messages at once', () => {
  const nowAt = 1_000_000;
  const storm = {
    nowAt,
    windowMs: 2000,
    dueAts: [nowAt],
    soonAts: [],
    lastStormAt: null,
    limitAt: nowAt + 300_000,
  };
  const many = (at: number) => Array.from({ length: 6 }, () => at);

  it('are gathered for no longer than a window', () => {
    assert.deepEqual(coalesce({ ...storm, soonAts: many(nowAt + 2000) }), {
      kind: 'hold',
      untilAt: nowAt + 2000,
    });
    assert.deepEqual(coalesce({ ...storm, soonAts: many(nowAt + 2001) }), { kind: 'one' });
  });

  it('are gathered from when the first of them was due', () => {
    const dueAts = [nowAt, nowAt - 1500];
    assert.deepEqual(coalesce({ ...storm, dueAts, soonAts: many(nowAt + 500) }).kind, 'hold');
    assert.deepEqual(coalesce({ ...storm, dueAts, soonAts: many(nowAt + 501) }).kind, 'one');
  });

  it('are six with those that are due soon', () => {
    const of = (due: number, soon: number) =>
      coalesce({ ...storm, dueAts: many(nowAt).slice(0, due), soonAts: many(nowAt + 1).slice(0, soon) }).kind;
    assert.deepEqual([of(3, 2), of(3, 3), of(5, 0), of(6, 0)], ['one', 'hold', 'one', 'all']);
  });
});
