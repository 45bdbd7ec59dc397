import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentFacts } from '../../../src/engine/core/record.ts';
import { incidentView, lengthSecs, wholeIncident, whyOf } from '../../../src/engine/views/incident.ts';

const startedAt = Date.UTC(2026, 10, 21, 3, 0, 0);
const facts: IncidentFacts = {
  id: 7,
  uid: 'u-7',
  monitor: 'api',
  name: 'The API',
  startedAt,
  confirmedAt: startedAt + 120_000,
  endedAt: startedAt + 250_999,
  category: 'status',
  reason: 'expected status 200-299, got 503 from secret.internal',
  cause: 'db',
  impacted: ['web', 'intern'],
  note: 'a rack',
  snapshot: { statusLine: 'HTTP/1.1 503 Nope', headers: [['server', 'x']], body: 'secret body' },
  vantage: [{ peer: 'paris', verdict: 'up', error: 'secret word' }],
  ownFault: null,
  acknowledged: null,
  latest: null,
  carriedFrom: null,
};
const nowAt = startedAt + 3_600_000;
const whole = { nowAt, isCritical: () => false };

describe('an incident for viewers who may see everything', () => {
  it('is major where its monitor is critical, and none where the monitor could not be checked', () => {
    const critical = { nowAt, isCritical: (id: string) => id === 'api' };
    assert.equal(wholeIncident(facts, critical).impact, 'major');
    assert.equal(wholeIncident({ ...facts, monitor: 'web' }, critical).impact, 'partial');
    assert.equal(wholeIncident({ ...facts, ownFault: 'resolver' }, critical).impact, 'none');
  });

  it('has every field, in the order of the interface', () => {
    assert.deepEqual(Object.entries(wholeIncident(facts, whole)), [
      ['id', 7],
      ['uid', 'u-7'],
      ['monitor', 'api'],
      ['name', 'The API'],
      ['kind', 'down'],
      ['started_at', '2026-11-21T03:00:00Z'],
      ['confirmed_at', '2026-11-21T03:02:00Z'],
      ['ended_at', '2026-11-21T03:04:10.999Z'],
      ['duration_secs', 250],
      ['reason', facts.reason],
      ['error', facts.reason],
      ['latest_reason', null],
      ['cause', 'db'],
      ['impacted', ['web', 'intern']],
      ['note', 'a rack'],
      ['snapshot', { status_line: 'HTTP/1.1 503 Nope', headers: [['server', 'x']], body: 'secret body' }],
      ['vantage', facts.vantage],
      ['state', 'resolved'],
      ['impact', 'partial'],
      ['acknowledged', null],
      ['monitors', ['api']],
      [
        'updates',
        [
          {
            uid: 'u-7.resolved',
            at: '2026-11-21T03:04:10.999Z',
            state: 'resolved',
            message: null,
            author: null,
          },
          { uid: 'u-7.detected', at: '2026-11-21T03:02:00Z', state: 'detected', message: null, author: null },
        ],
      ],
    ]);
  });

  it('falls back to the category where no reason was kept', () => {
    assert.equal(wholeIncident({ ...facts, reason: null }, whole).error, 'status');
  });

  it('counts an open one up to now, and never below zero', () => {
    const open = { ...facts, endedAt: null };
    assert.equal(wholeIncident(open, whole).duration_secs, 3600);
    assert.equal(wholeIncident(open, whole).ended_at, null);
    assert.equal(lengthSecs(open, startedAt - 5000), 0);
  });
});

describe('an incident for the public', () => {
  const stranger = {
    nowAt,
    isTrusted: false,
    isDetailPublic: false,
    isVisible: (monitor: string) => monitor === 'web',
    isCritical: () => false,
  };

  it('has no number, no detail and no private monitor', () => {
    const view = incidentView(facts, stranger);
    assert.equal('id' in view, false);
    assert.equal('snapshot' in view, false);
    assert.deepEqual([view.reason, view.error, view.cause, view.vantage], [null, 'status', null, null]);
    assert.deepEqual(view.impacted, ['web']);
    assert.doesNotMatch(JSON.stringify(view), /secret|intern|"db"/);
  });

  it('has what was said, without who said it, and no private monitor of one opened by hand', () => {
    const said = {
      uid: 'u-1',
      incident: 'u-7',
      at: startedAt + 130_000,
      state: null,
      message: 'We know.',
      author: 'secret',
    };
    const [resolved, update, detected] = incidentView(facts, stranger, [said]).updates;
    assert.deepEqual(update, {
      uid: 'u-1',
      at: '2026-11-21T03:02:10Z',
      state: 'detected',
      message: 'We know.',
    });
    assert.deepEqual([resolved?.state, detected?.state], ['resolved', 'detected']);
    const { id, uid, note } = facts;
    const monitors = ['web', 'intern'];
    const byHand = { id, uid, note, monitors, monitor: null, title: 'Slow', impact: 'major' } as const;
    const view = incidentView({ ...byHand, startedAt, endedAt: null }, stranger, [said]);
    assert.deepEqual([view.monitors, view.monitor, view.name, view.impact], [['web'], null, 'Slow', 'major']);
    assert.doesNotMatch(JSON.stringify(view), /secret|intern/);
  });

  it('still has the note and the times', () => {
    const view = incidentView(facts, stranger);
    assert.deepEqual([view.note, view.uid, view.duration_secs], ['a rack', 'u-7', 250]);
  });

  it('has the detail where it is public, but still no number and no private cause', () => {
    const view = incidentView(facts, { ...stranger, isDetailPublic: true });
    assert.equal(view.error, facts.reason);
    assert.equal(view.snapshot?.body, 'secret body');
    assert.equal(view.cause, null);
    assert.equal('id' in view, false);
    assert.deepEqual(view.vantage, [{ peer: null, verdict: 'up', error: null }]);
  });
});

describe('the latest reason of an incident', () => {
  const latest = {
    sinceAt: startedAt + 60_000,
    category: 'connection',
    reason: 'refused by secret.internal',
  } as const;
  const since = '2026-11-21T03:01:00Z';
  const reader = { ...whole, isTrusted: false, isDetailPublic: false, isVisible: () => true };

  it('is whole for viewers who may see everything, and the category alone for the public', () => {
    assert.deepEqual(wholeIncident({ ...facts, latest }, whole).latest_reason, {
      since,
      reason: latest.reason,
      error: latest.reason,
    });
    const shown = incidentView({ ...facts, latest }, reader);
    assert.deepEqual(shown.latest_reason, { since, reason: null, error: 'connection' });
    assert.equal(
      whyOf(shown),
      'It answered with an error since 03:00:00 UTC, it could not be reached since 03:01:00 UTC',
    );
    const words = incidentView({ ...facts, latest: { ...latest, category: 'status' } }, reader);
    assert.equal(words.latest_reason, null);
  });

  it('says to the public neither who acknowledged it nor that this was carried over', () => {
    const acknowledged = { at: startedAt, by: 'ann', reason: 'a new disk' };
    const carried = { ...facts, acknowledged, carriedFrom: 'u-6' };
    assert.deepEqual(incidentView(carried, reader).acknowledged, { at: '2026-11-21T03:00:00Z' });
    assert.equal(wholeIncident(carried, whole).acknowledged?.carried_from, 'u-6');
  });
});
