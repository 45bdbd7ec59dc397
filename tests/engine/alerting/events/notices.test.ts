/** Every notice from its fact to its message: the key that keeps it from being sent twice, and what the webhook says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type EventName,
  noticeMessageOf,
  queuedNoticeOf,
  webhookFieldsOf,
} from '../../../../src/engine/alerting/events/catalogue.ts';
import type { EventFields } from '../../../../src/engine/alerting/events/stored.ts';
import { about, at, named, notices } from './notices.ts';

const day = 86_400_000;
const head = { deliveryId: 'd', isTest: false, link: null, at };
const line = (words: string, maxLength: number) => words.replaceAll('\n', ' ').slice(0, maxLength);

/** What a notice becomes that was stored with `fields`. */
const messageOf = (event: EventName, fields: EventFields) =>
  noticeMessageOf(event, head, { fields, at, nowAt: at, about, named, node: 'oslo' });

describe('a notice', () => {
  for (const [event, { fact, key, episode = null, own, webhook, bare }] of Object.entries(notices))
    it(`goes out as what was seen: ${event}`, () => {
      const queued = queuedNoticeOf(fact);
      assert.equal(queued.event, event);
      assert.equal(queued.key, key);
      assert.equal(queued.episode, episode);
      assert.equal(queued.payload['hold'], null, 'nothing holds it back at first');
      const message = messageOf(queued.event, queued.payload);
      assert.ok(message !== null);
      const { severity, ...rest } = message;
      assert.deepEqual(rest, { ...head, event, ...own });
      assert.ok(severity);
      assert.deepEqual(webhookFieldsOf(message, line), webhook);
      const left = messageOf(queued.event, {});
      if (bare === null) assert.equal(left, null);
      else assert.deepEqual({ ...left, severity: null }, { ...head, event, severity: null, ...bare });
    });

  it('is named by its own event each time this node is blind, continues to be, and is not any more', () => {
    const blind = { kind: 'node_blind', at: 9, startedAt: 1, reason: null, monitors: ['web'] } as const;
    assert.equal(queuedNoticeOf({ ...blind, isContinued: true }).key, 'node.blind.1.again.9');
    const over = queuedNoticeOf({ ...blind, kind: 'node_sighted', endedAt: 8 });
    assert.deepEqual([over.event, over.key], ['node_blind', 'node.blind.1.over.8']);
  });

  it('about a domain or a certificate counts whole days, the last one as none', () => {
    const left = (inMs: number) => {
      const message = messageOf('domain_expiring', { expiresAt: at + inMs });
      return message?.event === 'domain_expiring' ? [message.daysLeft, message.domain] : null;
    };
    assert.deepEqual([2 * day, day, day - 1, 0, -1, -day].map(left), [
      [2, ''],
      [1, ''],
      [0, ''],
      [0, ''],
      [-1, ''],
      [-1, ''],
    ]);
    const changed = messageOf('cert_changed', { expiresAt: at });
    assert.ok(changed?.event === 'cert_changed');
    assert.deepEqual([changed.spkiSha256, changed.previousSpkiSha256], ['', null]);
  });

  it('of a producer has at most 20 tags, each cut, and no empty line before them', () => {
    const tags = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [`tag${index}`, 'x'.repeat(150)]),
    );
    const message = messageOf('alert', { tags: { ...tags, count: 5 } });
    assert.ok(message?.event === 'alert');
    assert.deepEqual(Object.keys(message.tags).length, 25, 'what is no text is left out');
    const { message: said } = webhookFieldsOf(message, line);
    assert.ok(typeof said === 'string');
    const shown = said.split(', ');
    assert.deepEqual(
      [shown.length, shown[0], shown[19]?.slice(0, 6)],
      [20, `tag0=${'x'.repeat(100)}`, 'tag19='],
    );
    const plain = messageOf('alert', { title: 'Disk' });
    assert.ok(plain !== null);
    assert.deepEqual(webhookFieldsOf(plain, line), { title: 'Disk', message: '' });
  });

  it('of an operator has a title of at most 200 characters, and a message even where nothing was said', () => {
    const message = messageOf('incident', { title: 'x'.repeat(300) });
    assert.ok(message !== null);
    const { title, message: said, incident_id: id } = webhookFieldsOf(message, line);
    assert.deepEqual([title, said, id], ['x'.repeat(200), '', null]);
  });

  it('that tries a channel out says nothing of its own', () => {
    const message = messageOf('test', { hold: null });
    assert.ok(message !== null);
    assert.deepEqual(webhookFieldsOf(message, line), {});
    assert.deepEqual(message, { ...head, event: 'test', severity: 'info' });
  });

  it('is no message where the event has an end to wait for, and nothing raises one that is not known', () => {
    assert.equal(messageOf('down', { startedAt: 1, confirmedAt: 2 }), null);
    assert.throws(() => queuedNoticeOf({ kind: 'eclipse' } as never), /no event .* is raised by eclipse/);
  });
});
