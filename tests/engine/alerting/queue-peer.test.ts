/** What goes out when a peer falls silent, and what is taken back when it is heard again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queue } from '../../../src/engine/alerting/queue.ts';
import type { AlertEvent } from '../../../src/engine/alerting/events/catalogue.ts';
import type { Intent } from '../../../src/engine/alerting/intent.ts';
import { peerKeys } from '../../../src/engine/alerting/queue-peer.ts';
import type { QueuedRow } from '../../../src/engine/alerting/intent.ts';
import { reasons } from '../../../src/engine/alerting/reasons.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { renameChannel } from '../../../src/db/tables/renames.ts';
import { alertOperations } from '../../../src/engine/monitoring/alert-operations.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';

const about = { peer: 'paris', startedAt: 500 } as const;
const down: AlertEvent = { kind: 'peer_down', ...about, at: 1000, lastHeardAt: 400, reason: 'silent' };
const link: AlertEvent = { ...down, kind: 'peer_link_degraded', seenBy: ['Oslo'] };
const recovered: AlertEvent = { kind: 'peer_recovered', ...about, at: 9000, endedAt: 9000 };
const facts = { rows: [], channels: ['ops', 'night'], windowMs: 30_000, isDegradedNotified: false };

const words = (intents: readonly Intent[]) =>
  intents.map((intent) => {
    switch (intent.kind) {
      case 'put':
        return `put ${intent.event} ${intent.channel}`;
      case 'replace':
      case 'change':
      case 'drop':
        return `${intent.kind} ${intent.deliveryId}`;
      case 'decide':
        return `${intent.verdict} ${intent.reason} ${intent.channel ?? '-'}`;
    }
  });

/** The row that `happening` put for ops. */
function rowOf(event: AlertEvent, changes: Partial<QueuedRow> = {}): QueuedRow {
  const [put] = queue(event, facts);
  assert.ok(put?.kind === 'put');
  return { ...put, state: 'waiting', attempts: 0, ...changes };
}

describe('a message about a peer', () => {
  it('goes to every routed channel at once, under names by which it is found again', () => {
    const intents = queue(down, facts);
    assert.deepEqual(words(intents), [
      'put peer_down ops',
      'queued at_once ops',
      'put peer_down night',
      'queued at_once night',
    ]);
    const keys = peerKeys(about);
    for (const intent of [...intents, ...queue(link, facts)])
      if (intent.kind === 'put')
        assert.ok(keys.includes(intent.deliveryId.replace(/\.[^.]+$/, '')), intent.deliveryId);
  });

  it('about its recovery goes to a channel that is called otherwise by now, and to none that is gone', async () => {
    const { sql, apply } = await openFacts();
    const ways = (...names: string[]) =>
      names.map(
        (name) => `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"\n`,
      );
    const configOf = async (...names: string[]) =>
      (
        await load(
          `${ways(...names).join('')}[[peers]]\nid = "paris"\nping_url = "https://paris.example.com/api/push/here"\n`,
        )
      ).config;
    apply(...alertOperations(down, { sql, config: await configOf('old', 'gone') }));
    for (const { deliveryId } of outbox.due(sql, 1000, 9)) apply(outbox.sent({ deliveryId, at: 1000 }));
    apply(renameChannel({ from: 'old', to: 'new' }));
    const ends = alertOperations(recovered, { sql, config: await configOf('new', 'other') });
    apply(...ends);
    assert.deepEqual(
      outbox.due(sql, 9000, 9).map(({ event, channel }) => [event, channel]),
      [['peer_recovered', 'new']],
    );
  });

  it('a peer_down message overtakes a pending message about its link', () => {
    const rows = [rowOf(link), rowOf(link, { state: 'sent', channel: 'night' })];
    assert.deepEqual(words(queue(down, { ...facts, rows })).slice(0, 3), [
      `drop ${rows[0]?.deliveryId}`,
      'spared became_down ops',
      'put peer_down ops',
    ]);
  });

  it('about its recovery goes to exactly the channels that received the alert', () => {
    const rows = [rowOf(down, { state: 'sent' }), rowOf(down, { state: 'given_up', channel: 'night' })];
    assert.deepEqual(words(queue(recovered, { ...facts, rows })), [
      'put peer_recovered ops',
      'queued at_once ops',
      'spared never_told night',
    ]);
    assert.deepEqual(queue(recovered, { ...facts, rows: [rowOf(down, { state: 'dropped' })] }), []);
    assert.deepEqual(queue(recovered, facts), []);
  });

  it('is sent once, late, where the alert could not be sent; an alert on its way gets its recovery', () => {
    const rows = [rowOf(down, { attempts: 3 })];
    assert.deepEqual(words(queue(recovered, { ...facts, rows })), [
      `drop ${rows[0]?.deliveryId}`,
      'spared late ops',
      'put peer_recovered ops',
      'queued at_once ops',
    ]);
  });

  it('no longer monitored: goes to the channels that were alerted or may have been, and to no others', () => {
    const removed: AlertEvent = { ...recovered, by: 'removal' };
    const ends = (changes: Partial<QueuedRow>) =>
      words(queue(removed, { ...facts, rows: [rowOf(down, changes)] })).map((word) => word.split(' ')[0]);
    const end = ['put', 'queued'];
    assert.deepEqual(ends({ state: 'sent' }), end);
    assert.deepEqual(ends({ state: 'given_up' }), ['spared']);
    const held = { payload: { hold: { reason: 'quiet_hours', by: null } }, nextAt: 99_000 };
    assert.deepEqual(ends(held), ['drop', 'spared']);
    assert.deepEqual(ends({ nextAt: 99_000, attempts: 1 }), ['drop', 'spared']);
    const copies = { copies: { as: 'x', lead: 'x', count: 1 } };
    assert.deepEqual(ends({ nextAt: 99_000, attempts: 1, payload: copies }), ['drop', 'spared', ...end]);
    assert.deepEqual(ends({ nextAt: 9000 }), ['drop', 'spared', ...end], 'it may be on its way');
    const muted = { hold: { reason: 'muted', by: '3 9000' } };
    assert.deepEqual(ends({ payload: muted, nextAt: 99_000 }), ['drop', 'spared']);
  });

  it('is not said at all when the outage lay within a mute', () => {
    const payload = { hold: { reason: 'muted', by: '3 99000' } };
    const rows = [rowOf(down, { payload, nextAt: 99_000 })];
    assert.deepEqual(words(queue(recovered, { ...facts, rows })), [
      `drop ${rows[0]?.deliveryId}`,
      'spared muted ops',
    ]);
  });

  it('is said late once the mute is over, or an attempt was made in spite of it', () => {
    const payload = { hold: { reason: 'muted', by: '3 9000' } };
    const late = (changes: Partial<QueuedRow>) =>
      words(queue(recovered, { ...facts, rows: [rowOf(down, { payload, nextAt: 99_000, ...changes })] }))[1];
    assert.equal(late({}), 'spared muted ops');
    assert.equal(late({ nextAt: 9001 }), 'spared muted ops');
    assert.equal(late({ nextAt: 9000 }), 'spared late ops');
    assert.equal(late({ attempts: 1 }), 'spared late ops');
    assert.equal(late({ payload: { hold: { reason: 'channel_failed', by: null } } }), 'spared late ops');
  });

  it('that was given up but may have been received has its recovery', () => {
    const payload = { copies: { as: 'd', count: 4 } };
    assert.deepEqual(
      words(queue(recovered, { ...facts, rows: [rowOf(down, { state: 'given_up', payload })] })),
      ['put peer_recovered ops', 'queued at_once ops'],
    );
  });

  it('is logged under the peer it is about', () => {
    const [, decision] = queue(recovered, { ...facts, rows: [rowOf(link)] });
    assert.deepEqual(decision, {
      kind: 'decide',
      monitor: 'paris',
      incident: null,
      channel: 'ops',
      event: 'peer_link_degraded',
      verdict: 'spared',
      reason: 'over',
      detail: reasons.over,
    });
    const [given] = queue(recovered, { ...facts, rows: [rowOf(down, { state: 'given_up' })] });
    assert.deepEqual(given?.kind === 'decide' && [given.monitor, given.event], ['paris', 'peer_down']);
  });

  it('about a link that works again is dropped while it waits, and has no recovery once sent', () => {
    assert.deepEqual(words(queue(recovered, { ...facts, rows: [rowOf(link)] })).at(-1), 'spared over ops');
    assert.deepEqual(queue(recovered, { ...facts, rows: [rowOf(link, { state: 'sent' })] }), []);
  });
});
