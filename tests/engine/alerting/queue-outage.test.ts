/** What the alert about an outage says of how it was confirmed, and what else it keeps. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readOutage } from '../../../src/engine/alerting/events/outage-payload.ts';
import type { AlertEvent } from '../../../src/engine/alerting/events/catalogue.ts';
import { queue, type QueueFacts } from '../../../src/engine/alerting/queue.ts';
import type { Why } from '../../../src/engine/monitoring/confirm/transition.ts';

const facts: QueueFacts = { rows: [], channels: ['ops'], windowMs: 30_000, isDegradedNotified: true };
const begun = { monitor: 'api', at: 1000, startedAt: 500, confirmedAt: 1000 };
const why: Why = { finding: 'failed', kind: 'failing', count: 3, needed: 3 };
const opened: AlertEvent = { kind: 'incident_opened', uid: 'i1', ...begun, why };

const queued = (event: AlertEvent, changes: Partial<QueueFacts> = {}) => {
  const [put, decide] = queue(event, { ...facts, ...changes });
  assert.ok(put?.kind === 'put' && decide?.kind === 'decide');
  return { put, decide, outage: readOutage(put.payload) };
};

describe('an alert about an outage', () => {
  const confirmations: readonly (readonly [kind: Why['kind'], count: number, words: string])[] = [
    ['failing', 1, 'one failed check'],
    ['failing', 3, '3 failed checks in a row'],
    ['unknown', 1, 'one check that could not be made'],
    ['unknown', 2, '2 checks in a row that could not be made'],
    ['missed', 1, 'a heartbeat that did not come in time'],
    ['slow', 1, 'one degraded check'],
    ['slow', 4, '4 degraded checks'],
    // What confirms nothing has nothing to say of it.
    ...(['healthy', 'late', 'recovering', 'down', 'degraded'] as const).map((kind) => [kind, 1, ''] as const),
  ];
  for (const [kind, count, words] of confirmations)
    it(`says how it was confirmed: ${kind} ${count}`, () => {
      const { put } = queued({ ...opened, why: { ...why, kind, count } as unknown as Why });
      assert.equal((put.payload as { readonly confirmation: unknown }).confirmation, words);
    });

  it('waits for its window, and says so; without one it is sent at once', () => {
    const { put, decide, outage } = queued(opened);
    assert.deepEqual([put.nextAt, outage?.windowEndsAt], [31_000, 31_000]);
    assert.deepEqual(decide, {
      kind: 'decide',
      monitor: 'api',
      incident: 'i1',
      channel: 'ops',
      event: 'down',
      verdict: 'queued',
      reason: 'window',
      detail: 'It waits 30s, in case it is a flap or part of a larger outage.',
    });
    const atOnce = queued(opened, { windowMs: 0 });
    assert.deepEqual([atOnce.put.nextAt, atOnce.decide.reason], [1000, 'at_once']);
  });

  it('keeps what was changed shortly before', () => {
    const { outage } = queued(opened, { change: { title: 'deploy', at: 400 } });
    assert.deepEqual([outage?.changeTitle, outage?.changeAt], ['deploy', 400]);
    const none = queued(opened, { change: null }).outage;
    assert.deepEqual([none?.changeTitle, none?.changeAt, none?.ownFault], [null, null, null]);
  });

  it('that it cannot be checked keeps the cause, and one that it is slow the latency and the limit', () => {
    const unknown = queued({ kind: 'unknown_confirmed', uid: 'i1', ...begun, ownFault: 'resolver', why });
    assert.deepEqual([unknown.put.event, unknown.put.incident], ['unknown', 'i1']);
    assert.equal(unknown.outage?.ownFault, 'resolver');
    const measured = { latencyMs: 1200, limitMs: 1000, reason: 'no AAAA' };
    const degraded = queued({ kind: 'degraded_confirmed', ...begun, why, ...measured });
    assert.deepEqual([degraded.put.event, degraded.put.incident], ['degraded', 'api.degraded.500']);
    assert.equal(degraded.decide.incident, null, 'a degradation has no incident');
    const { latencyMs, limitMs, reason } = degraded.outage ?? {};
    assert.deepEqual({ latencyMs, limitMs, reason }, measured);
  });
});

describe('a notice', () => {
  const said: AlertEvent = {
    kind: 'incident_said',
    at: 5,
    uid: 'i7',
    update: 'u1',
    number: 7,
    title: 'Slow',
    impact: 'major',
    state: null,
    message: null,
    monitors: [],
    startedAt: 5,
  };

  it('that an operator wrote is logged under its incident', () => {
    const { put, decide } = queued(said);
    assert.deepEqual([put.incident, put.monitor, put.nextAt, decide.incident], ['i7', null, 5, 'i7']);
    assert.deepEqual([decide.verdict, decide.reason, decide.channel], ['queued', 'at_once', 'ops']);
  });

  it('about a peer is filed under that peer, and one that reaches no channel is logged', () => {
    const down: AlertEvent = {
      kind: 'peer_down',
      at: 5,
      peer: 'oslo',
      startedAt: 1,
      lastHeardAt: null,
      reason: null,
    };
    const { put, decide } = queued(down);
    assert.deepEqual(
      [put.monitor, put.incident, decide.monitor, decide.incident],
      ['oslo', null, 'oslo', null],
    );
    const [none, ...more] = queue(down, { ...facts, channels: [] });
    assert.ok(none?.kind === 'decide');
    assert.deepEqual([none.verdict, none.reason, none.channel], ['spared', 'nobody_routed', null]);
    assert.deepEqual(more, []);
  });

  it('the end of a blind episode is queued behind its beginning, also when a second one waits', () => {
    const blind = { at: 1000, startedAt: 900, reason: null, monitors: ['api'] };
    const first = queued({ kind: 'node_blind', ...blind, isContinued: false }).put;
    const again = queued({ kind: 'node_blind', ...blind, at: 2000, isContinued: true }).put;
    const rows = [
      { ...first, state: 'sent', attempts: 1 },
      { ...again, state: 'waiting', attempts: 0 },
    ] as const;
    const over = { kind: 'node_sighted', ...blind, at: 5000, endedAt: 5000 } as const;
    const [drop, end, decide] = queue(over, { ...facts, rows });
    assert.deepEqual(drop, { kind: 'drop', deliveryId: again.deliveryId });
    assert.ok(end?.kind === 'put' && decide?.kind === 'decide');
    assert.deepEqual([end.nextAt, end.incident], [35_000, 'node.blind.900']);
    assert.equal(decide.reason, 'at_once', 'it is not sent in the place of the beginning');
    const lone = queue(over, { ...facts, rows: [{ ...again, state: 'waiting', attempts: 0 }] })[2];
    assert.equal(lone?.kind === 'decide' && lone.reason, 'sighted');
  });
});
