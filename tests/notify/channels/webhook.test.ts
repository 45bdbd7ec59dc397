import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { eventFields } from '../../../src/engine/config/types/template.ts';
import { eventNames } from '../../../src/engine/alerting/events/catalogue.ts';
import { documentOf, signatureOf } from '../../../src/notify/channels/webhook.ts';
import { createDeliver } from '../../../src/notify/channels/deliver.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { load } from '../../support/config.ts';
import { probeContext } from '../../support/probing.ts';
import { startVendor, type Vendor } from '../../support/vendor-server.ts';
import { messages, plainDown } from '../wording/messages.ts';

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
  const escalated = { ...plainDown, step: { number: 2, of: 'everybody', isRelief: false } };
  const documents = [...Object.values(messages), escalated].map(
    (message: Message) => [message, documentOf(message)] as const,
  );

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

  it('have no field that a template cannot name, and a template none that they lack', () => {
    const known = new Set(documents.flatMap(([, document]) => Object.keys(document)));
    const now = new Set(['summary', 'text', 'repeat']);
    assert.deepEqual(eventFields.filter((field) => !now.has(field)).sort(), [...known].sort());
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

describe('a webhook in a shape of its own', () => {
  const { signal } = new AbortController();
  const secret = 'a-secret-of-the-tests';
  let target: Vendor;
  before(async () => {
    target = await startVendor(() => ({ status: 204, body: '', notified: null }));
  });
  after(() => target.close());

  const requestOf = async (settings: string, message: Message = plainDown) => {
    target.forget();
    const { config, redact } = await load(
      `[[channels]]\nname = "x"\ntype = "webhook"\nurl = "${target.origin}/in"\n${settings}`,
      { env: { API_KEY: 'cAnArY-api-key-1234', COMPANY: 'cAnArY-company' } },
    );
    const delivered = await createDeliver(probeContext({ redact }))(
      message,
      config.channels[0] ?? assert.fail(),
      signal,
    );
    assert.equal(delivered.kind, 'sent');
    return { ...(target.requests[0] ?? assert.fail()), redact };
  };

  it('fills its template with the event, escaped', async () => {
    const template =
      '{"say": "{{summary}}", "why": "{{message}}", "no": {{incident_id}}, "from": {{snapshot.status_line}}, "all": {{text}}}';
    const reason = 'it said "no"\nand \\ hung up';
    const { body, method, headers } = await requestOf(`body = '${template}'`, { ...plainDown, reason });
    const sent = JSON.parse(body) as Readonly<Record<string, unknown>>;
    assert.equal(sent['say'], 'API is down');
    assert.equal(sent['no'], 42);
    assert.equal(sent['from'], 'HTTP/1.1 503 Service Unavailable');
    assert.match(String(sent['why']), /it said "no".*\\ hung up/s);
    assert.match(String(sent['all']), /^\[ERROR\] API is down\nReason: /);
    assert.deepEqual([method, headers['content-type']], ['POST', 'application/json']);
  });

  it('is JSON for every event, also where a field is not there', async () => {
    const template =
      '{"a": "{{message}} {{incident_id}} {{impacted}}", "b": {{incident_id}}, "c": {{impacted}}, "d": {{duration_secs}}}';
    for (const message of Object.values(messages)) {
      const { body } = await requestOf(`body = '${template}'`, message);
      assert.doesNotThrow(() => JSON.parse(body) as unknown, message.event);
    }
  });

  it('signs the body that it sends', async () => {
    const { body, headers } = await requestOf(`secret = "${secret}"\nbody = '{"a": {{message}}}'`);
    const timestamp = headers['x-statusd-timestamp'] ?? '';
    const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    assert.equal(headers['x-statusd-signature'], `sha256=${expected}`);
  });

  it('takes headers and a method of its own, but lets nobody take the place of the signature', async () => {
    const { method, headers, rawHeaders, body } = await requestOf(
      `method = "put"\nsecret = "${secret}"\nbody = 'm={{summary|url}}'\nheaders = { Content-Type = "application/x-www-form-urlencoded", X-Api-Key = "\${API_KEY}", X-Statusd-Signature = "sha256=0", User-Agent = "me" }`,
    );
    assert.equal(method, 'PUT');
    assert.equal(body, 'm=API%20is%20down');
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
    assert.equal(headers['x-api-key'], 'cAnArY-api-key-1234');
    assert.equal(headers['user-agent'], 'me');
    assert.match(headers['x-statusd-signature'] ?? '', /^sha256=[0-9a-f]{64}$/);
    assert.equal(
      new Set(rawHeaders.filter((_, at) => at % 2 === 0).map((header) => header.toLowerCase())).size,
      rawHeaders.length / 2,
    );
  });

  it('is a question without a body where its method has none', async () => {
    const { method, body, headers } = await requestOf('method = "GET"');
    assert.deepEqual([method, body, headers['content-type']], ['GET', '', undefined]);
  });

  it('masks what a variable brought into its headers and its body', async () => {
    const { redact } = await requestOf(
      `headers = { X-Team = "\${COMPANY}" }\nbody = '{"key": "\${API_KEY}", "text": {{text}}}'`,
    );
    assert.equal(redact('cAnArY-api-key-1234 of cAnArY-company'), '*** of ***');
  });
});
