/** What a happening puts into the outbox and takes out of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queue } from '../../../src/engine/alerting/queue.ts';
import type { AlertEvent } from '../../../src/engine/alerting/events/catalogue.ts';
import type { Intent } from '../../../src/engine/alerting/intent.ts';
import type { QueuedRow } from '../../../src/engine/alerting/intent.ts';

const opened: AlertEvent = {
  kind: 'incident_opened',
  uid: 'i1',
  monitor: 'api',
  at: 1000,
  startedAt: 500,
  confirmedAt: 1000,
  why: { finding: 'failed', kind: 'failing', count: 3, needed: 3 },
};
const closed: AlertEvent = {
  kind: 'incident_closed',
  uid: 'i1',
  monitor: 'api',
  at: 20_000,
  startedAt: 500,
  endedAt: 20_000,
};
const facts = {
  rows: [],
  channels: ['ops', 'a "name" / of any kind'],
  windowMs: 30_000,
  isDegradedNotified: false,
};

const words = (intents: readonly Intent[]) =>
  intents.map((intent) => {
    switch (intent.kind) {
      case 'put':
        return `put ${intent.event} ${intent.channel} ${intent.nextAt}`;
      case 'replace':
      case 'change':
      case 'drop':
        return intent.kind;
      case 'decide':
        return `${intent.verdict} ${intent.reason}`;
    }
  });

function row(changes: Partial<QueuedRow>): QueuedRow {
  const common = { deliveryId: 'd', channel: 'ops', event: 'down', attempts: 0 } as const;
  return {
    ...common,
    state: 'waiting',
    nextAt: 31_000,
    payload: { startedAt: 500, confirmedAt: 1000 },
    ...changes,
  };
}

describe('queueing', () => {
  it('gives an outage one delivery a channel, due when the window is over, under names that never change', () => {
    const intents = queue(opened, facts);
    assert.deepEqual(words(intents), [
      'put down ops 31000',
      'queued window',
      'put down a "name" / of any kind 31000',
      'queued window',
    ]);
    const ids = intents.flatMap((intent) => (intent.kind === 'put' ? [intent.deliveryId] : []));
    assert.ok(ids.every((id) => /^i1\.down\.[a-z0-9]{1,12}$/.test(id)));
    assert.equal(new Set(ids).size, 2);
    assert.deepEqual(queue(opened, facts), intents);
  });

  it('logs that no channel is routed', () => {
    assert.deepEqual(words(queue(opened, { ...facts, channels: [] })), ['spared nobody_routed']);
  });

  it('suppresses pending messages when the outage ends, with the reason of the wait', () => {
    const end = (changes: Partial<QueuedRow>) => words(queue(closed, { ...facts, rows: [row(changes)] }));
    const held = (reason: string) => ({ startedAt: 500, confirmedAt: 1000, hold: { reason, by: null } });
    assert.deepEqual(end({}), ['drop', 'spared flap']);
    assert.deepEqual(end({ payload: held('muted') }), ['drop', 'spared muted']);
    assert.deepEqual(end({ payload: held('folded') }), ['drop', 'spared folded']);
    assert.deepEqual(end({ payload: held('upstream_failing') }), []);
    assert.deepEqual(end({ payload: held('upstream_due') }), []);
    const renewed = { ...held('window'), renewedAfter: 'db' };
    assert.deepEqual(end({ payload: renewed }), []);
    assert.deepEqual(end({ payload: { ...renewed, spokenForUntilAt: 30_000 } }), ['drop', 'spared folded']);
  });

  it('leaves what was due or tried to delivery: it may be on its way', () => {
    assert.deepEqual(queue(closed, { ...facts, rows: [row({ nextAt: 20_000 })] }), []);
    assert.deepEqual(queue(closed, { ...facts, rows: [row({ attempts: 1 })] }), []);
  });

  it('sends the recovery to exactly the channels that received the alert', () => {
    const rows = [
      row({ state: 'sent' }),
      row({ channel: 'sms', state: 'given_up' }),
      row({ channel: 'web', state: 'dropped' }),
    ];
    assert.deepEqual(words(queue(closed, { ...facts, rows })), [
      'put recovered ops 20000',
      'queued recovery',
      'spared never_told',
    ]);
  });

  it('alerts on degraded only with alert_on_degraded, and lets a down replace it', () => {
    const degraded: AlertEvent = {
      ...opened,
      kind: 'degraded_confirmed',
      latencyMs: 1200,
      limitMs: 1000,
      reason: null,
    };
    assert.deepEqual(words(queue(degraded, facts)), ['spared degraded_not_told']);
    const notified = { ...facts, channels: ['ops'], isDegradedNotified: true };
    assert.deepEqual(words(queue(degraded, notified)), ['put degraded ops 31000', 'queued window']);
    const ended = {
      kind: 'degraded_ended',
      monitor: 'api',
      at: 20_000,
      startedAt: 500,
      endedAt: 20_000,
    } as const;
    const rows = [row({ event: 'degraded', state: 'sent' })];
    assert.deepEqual(words(queue({ ...ended, by: 'recovery' }, { ...notified, rows })), [
      'put recovered ops 20000',
      'queued recovery',
    ]);
    assert.deepEqual(queue({ ...ended, by: 'outage' }, { ...notified, rows }), []);
    const waiting = [row({ event: 'degraded' })];
    assert.deepEqual(words(queue({ ...ended, by: 'outage' }, { ...notified, rows: waiting })), [
      'drop',
      'spared became_down',
    ]);
  });

  it('puts a warning out at once', () => {
    const warning: AlertEvent = {
      kind: 'cert_expiring',
      monitor: 'api',
      at: 1000,
      expiresAt: 9000,
      subject: null,
      issuer: null,
    };
    assert.deepEqual(words(queue(warning, { ...facts, channels: ['ops'] })), [
      'put cert_expiring ops 1000',
      'queued at_once',
    ]);
  });

  it('says once that this node reached nothing: when it is over, unless it could be said before', () => {
    const about = { startedAt: 900, reason: null, monitors: ['api'] };
    const blind: AlertEvent = { kind: 'node_blind', at: 1000, ...about, isContinued: false };
    const routed = { ...facts, channels: ['ops'] };
    const [put] = queue(blind, routed);
    assert.deepEqual(words(queue(blind, routed)), ['put node_blind ops 1000', 'queued at_once']);
    assert.ok(put?.kind === 'put');
    const over = { kind: 'node_sighted', at: 5000, endedAt: 5000, ...about } as const;
    const row = (state: QueuedRow['state']): QueuedRow => ({ ...put, state, attempts: 3 });
    const [dropped, notified, why] = queue(over, { ...routed, rows: [row('waiting')] });
    assert.deepEqual(dropped, { kind: 'drop', deliveryId: put.deliveryId });
    assert.ok(notified?.kind === 'put' && notified.deliveryId !== put.deliveryId, 'it may be on its way');
    assert.deepEqual(why === undefined ? [] : words([why]), ['queued sighted']);
    assert.deepEqual(words(queue(over, { ...routed, rows: [row('sent')] })), [
      'put node_blind ops 35000',
      'queued at_once',
    ]);
    assert.deepEqual(words(queue(over, { ...routed, rows: [row('dropped')] })), []);
  });

  it('says no end, and no second beginning, when this node is blind again before the end was sent', () => {
    const about = { startedAt: 900, reason: null, monitors: ['api'] };
    const routed = { ...facts, channels: ['ops'] };
    const puts = (event: AlertEvent, rows: readonly QueuedRow[]) =>
      queue(event, { ...routed, rows }).flatMap((intent) => (intent.kind === 'put' ? [intent] : []));
    const [begun] = puts({ kind: 'node_blind', at: 1000, ...about, isContinued: false }, []);
    assert.ok(begun !== undefined);
    const notified = { ...begun, state: 'sent', attempts: 1 } as const;
    const [end] = puts({ kind: 'node_sighted', at: 5000, endedAt: 5000, ...about }, [notified]);
    assert.ok(end !== undefined);
    const again = { kind: 'node_blind', at: 9000, ...about, isContinued: true } as const;
    const ended = (state: QueuedRow['state']): QueuedRow => ({ ...end, state, attempts: 0 });
    const drop = { kind: 'drop', deliveryId: end.deliveryId };
    assert.deepEqual(queue(again, { ...routed, rows: [notified, ended('waiting')] }), [drop]);
    const unheard = queue(again, { ...routed, rows: [{ ...notified, state: 'dropped' }, ended('waiting')] });
    assert.deepEqual(unheard[0], drop);
    assert.deepEqual(words(unheard.slice(1)), ['put node_blind ops 9000', 'queued at_once']);
    const [second] = puts(again, [notified, ended('sent')]);
    assert.ok(second !== undefined && second.deliveryId !== begun.deliveryId, 'the end was believed');
    const over = { kind: 'node_sighted', at: 20_000, endedAt: 20_000, ...about } as const;
    const [last] = puts(over, [notified, ended('sent'), { ...second, state: 'sent', attempts: 1 }]);
    assert.ok(last !== undefined && last.deliveryId !== end.deliveryId, 'it is not taken for the first end');
  });
});
