import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { eventNames } from '../../../src/engine/alerting/events/catalogue.ts';
import { documentOf, signatureOf } from '../../../src/notify/channels/webhook.ts';
import { assertGolden } from '../../support/golden.ts';
import { messages } from '../wording/messages.ts';

/** What receivers rely on, event by event, besides what every event has. */
const promised: Readonly<Record<string, readonly string[]>> = {
  down: ['message', 'cause', 'impacted', 'vantage', 'incident_id', 'snapshot'],
  unknown: ['message', 'cause', 'impacted', 'incident_id', 'incident_ids'],
  degraded: ['latency_ms'],
  recovered: ['duration_secs', 'incident_id'],
  alert: ['severity', 'title', 'message'],
  channel_failing: ['channel', 'consecutive_failures', 'failing_for_secs'],
  cert_expiring: ['days_left'],
  cert_unreadable: ['reason', 'since', 'last_seen_expires_at'],
  node_blind: ['message'],
  storage_failing: ['message'],
  digest: ['message', 'period'],
};

describe('the events of the webhook channel', () => {
  const documents = Object.values(messages).map((message) => [message, documentOf(message)] as const);

  it('have the fields they are promised to have', () => {
    for (const [message, document] of documents) {
      const fields = [
        'event',
        'monitor',
        'monitor_id',
        'at',
        'delivery_id',
        ...(promised[message.event] ?? []),
      ];
      assert.deepEqual(
        fields.filter((field) => !(field in document)),
        [],
        message.event,
      );
    }
    assert.deepEqual([...new Set(documents.map(([{ event }]) => event))].sort(), [...eventNames].sort());
  });

  it('never look like an outage when they are a test', () => {
    for (const [message, document] of documents) {
      const expected = message.isTest ? 'test' : message.event;
      assert.equal(document['event'], expected);
      const imitated = message.isTest && message.event !== 'test' ? message.event : undefined;
      assert.equal(document['simulates'], imitated);
    }
  });

  it('look as in the golden file', () => {
    const all = Object.fromEntries(
      Object.entries(messages).map(([name, message]) => [name, documentOf(message)]),
    );
    assertGolden(new URL('golden/webhook-events.json', import.meta.url), `${JSON.stringify(all, null, 2)}\n`);
  });

  it('are signed over the timestamp and the body', () => {
    const headers = Object.fromEntries(signatureOf('{"a":"é"}', 'key', 1_767_225_600_999));
    const expected = createHmac('sha256', 'key').update('1767225600.{"a":"é"}').digest('hex');
    assert.deepEqual(headers, {
      'x-statusd-timestamp': '1767225600',
      'x-statusd-signature': `sha256=${expected}`,
    });
  });
});
