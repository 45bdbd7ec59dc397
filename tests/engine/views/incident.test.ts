import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentFacts } from '../../../src/engine/core/record.ts';
import { incidentView, lengthSecs, wholeIncident } from '../../../src/engine/views/incident.ts';

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
};
const nowAt = startedAt + 3_600_000;

describe('an incident for whoever may see everything', () => {
  it('has every field, in the order of the interface', () => {
    assert.deepEqual(Object.entries(wholeIncident(facts, nowAt)), [
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
      ['cause', 'db'],
      ['impacted', ['web', 'intern']],
      ['note', 'a rack'],
      ['snapshot', { status_line: 'HTTP/1.1 503 Nope', headers: [['server', 'x']], body: 'secret body' }],
      ['vantage', facts.vantage],
    ]);
  });

  it('falls back to the category where no reason was kept', () => {
    assert.equal(wholeIncident({ ...facts, reason: null }, nowAt).error, 'status');
  });

  it('counts an open one up to now, and never below zero', () => {
    const open = { ...facts, endedAt: null };
    assert.equal(wholeIncident(open, nowAt).duration_secs, 3600);
    assert.equal(wholeIncident(open, nowAt).ended_at, null);
    assert.equal(lengthSecs(open, startedAt - 5000), 0);
  });
});

describe('an incident for a stranger', () => {
  const stranger = {
    nowAt,
    isTrusted: false,
    isDetailPublic: false,
    isVisible: (monitor: string) => monitor === 'web',
  };

  it('has no number, no detail and no private monitor', () => {
    const view = incidentView(facts, stranger);
    assert.equal('id' in view, false);
    assert.equal('snapshot' in view, false);
    assert.deepEqual([view.reason, view.error, view.cause, view.vantage], [null, 'status', null, null]);
    assert.deepEqual(view.impacted, ['web']);
    assert.doesNotMatch(JSON.stringify(view), /secret|intern|"db"/);
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
