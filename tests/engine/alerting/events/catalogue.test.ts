import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  eventNames,
  eventRow,
  noticeMessageOf,
  queuedNoticeOf,
} from '../../../../src/engine/alerting/events/catalogue.ts';

const src = new URL('../../../../src/', import.meta.url).pathname;

describe('the catalogue of events', () => {
  it('has one row an event, found by its name', () => {
    assert.equal(new Set(eventNames).size, eventNames.length);
    for (const name of eventNames) assert.equal(eventRow(name).event, name);
    assert.equal(eventRow('of_another_version'), null);
  });

  it('is the only place, beside its wording, that names an event with no rules of its own but where it is raised', () => {
    const raisedIn = {
      channel_failing: ['notify/delivery/channel-failures.ts'],
      cert_expiring: ['engine/monitoring/certificates.ts'],
      cert_changed: ['engine/monitoring/certificates.ts'],
      cert_unreadable: ['engine/monitoring/certificates.ts'],
      domain_expiring: ['engine/monitoring/domains.ts'],
      budget_burn: ['engine/monitoring/budget-burn.ts'],
      storage_failing: ['engine/monitoring/storage-alarm.ts'],
      nodes_differ: ['commands/serve/node-configs.ts'],
    };
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .filter((path) => !/^(engine\/alerting\/events|notify\/wording)\//.test(path))
      // The names that a channel can be asked for; the types hold them against the catalogue.
      .filter((path) => path !== 'engine/core/alert-names.ts')
      .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));
    for (const [event, places] of Object.entries(raisedIn)) {
      const named = new RegExp(`['"\`]${event}['"\`]|\\b${event}:`);
      const found = files.filter(({ text }) => named.test(text)).map(({ path }) => path);
      assert.deepEqual(found, places, event);
    }
  });

  it('queues a notice under a key of its own, with its facts as the payload', () => {
    const fact = {
      kind: 'domain_expiring',
      at: 5,
      monitor: 'web',
      domain: 'a.example',
      expiresAt: 7,
    } as const;
    assert.deepEqual(queuedNoticeOf(fact), {
      event: 'domain_expiring',
      key: 'web.domain_expiring.7',
      episode: null,
      payload: { ...fact, hold: null },
    });
  });

  it('stores a failing channel without the kind of its fact', () => {
    const failures = { consecutiveFailures: 3, failingSinceAt: 1, error: null, isPartial: false };
    const facts = { at: 5, channel: 'phone', ...failures };
    const { key, payload } = queuedNoticeOf({ kind: 'channel_failing', ...facts });
    assert.match(key, /^channel\.[a-z0-9]+\.failing\.1$/);
    assert.deepEqual(payload, { ...facts, hold: null });
  });

  it('names at most 50 monitors of a blind node, and counts all of them', () => {
    const monitors = Array.from({ length: 60 }, (_, index) => `m${index}`);
    const { key, episode, payload } = queuedNoticeOf({
      kind: 'node_sighted',
      at: 9,
      startedAt: 1,
      endedAt: 8,
      reason: null,
      monitors,
    });
    assert.deepEqual([key, episode], ['node.blind.1.over.8', 'node.blind.1']);
    assert.deepEqual([payload['monitorCount'], payload['monitors']], [60, monitors.slice(0, 50)]);
  });

  it('makes no message of a payload that lacks what the message is about', () => {
    const head = { deliveryId: 'd', isTest: false, link: null, at: 1 };
    const about = { id: 'web', name: 'Web' };
    const source = { at: 1, nowAt: 1, about, named: () => about, node: null };
    assert.equal(noticeMessageOf('cert_expiring', head, { ...source, fields: {} }), null);
    const message = noticeMessageOf('cert_expiring', head, { ...source, fields: { expiresAt: 86_400_001 } });
    assert.deepEqual(message, {
      ...head,
      event: 'cert_expiring',
      severity: 'warning',
      monitor: about,
      expiresAt: 86_400_001,
      daysLeft: 1,
      subject: null,
      issuer: null,
    });
  });
});
