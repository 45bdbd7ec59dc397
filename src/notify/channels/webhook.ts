/** The generic webhook: the event as JSON or in a template, signed if there is a secret. */
import { createHmac } from 'node:crypto';
import type { Header } from '../../engine/net/http/request.ts';
import { type HttpChannel, jsonType, withUsual } from './http.ts';
import { type Message, webhookFieldsOf } from '../../engine/alerting/events/catalogue.ts';
import type { Named } from '../../engine/alerting/events/event.ts';
import { type EventFields } from '../../engine/alerting/events/stored.ts';
import { filled } from '../../engine/core/template.ts';
import { plainLine } from '../wording/plain.ts';
import { body, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { timestampText } from '../../engine/core/instant.ts';

/**
 * The receiver reckons the same over `timestamp.body` and compares; an old timestamp reveals a replay. The
 * timestamp is in seconds since 1970.
 */
export function signatureOf(body: string, secret: string, nowAt: number): Header[] {
  const secs = String(Math.floor(nowAt / 1000));
  const digest = createHmac('sha256', secret).update(`${secs}.${body}`).digest('hex');
  return [
    ['x-statusd-timestamp', secs],
    ['x-statusd-signature', `sha256=${digest}`],
  ];
}

export const webhook: HttpChannel<'webhook'> = {
  vendor: 'the webhook',
  call: (message, channel, nowAt) => {
    const { method, secret } = channel;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const body = hasBody ? bodyOf(message, channel.body) : null;
    const signature = secret === null ? [] : signatureOf(body ?? '', secret.reveal(), nowAt);
    const own = withUsual(Object.entries(channel.headers), hasBody ? [jsonType] : []);
    // Nothing else takes the place of the signature.
    return { url: channel.url.reveal(), method, headers: withUsual(signature, own), body };
  },
  whoAmI: null,
  advice: { 401: 'url and secret', 403: 'url and secret', 404: 'url', 410: 'url' },
};

function bodyOf(message: Message, template: string | null): string {
  const document = documentOf(message);
  if (template === null) return JSON.stringify(document);
  const wording = wordingOf(message);
  const text = titled(wording, message.severity).join('\n');
  return filled(template, { ...document, summary: wording.title, text });
}

/**
 * What every event has, then its own fields. A test never bears the name of what it imitates, so that no machine
 * acts on it: its event is `test`, and `simulates` says the rest.
 */
export function documentOf(message: Message): EventFields {
  const subject = subjectOf(message);
  const isImitation = message.isTest && message.event !== 'test';
  return {
    event: isImitation ? 'test' : message.event,
    ...(isImitation && { simulates: message.event }),
    monitor: subject?.name ?? null,
    monitor_id: subject?.id ?? null,
    at: timestampText(message.at),
    delivery_id: message.deliveryId,
    severity: message.severity,
    message: sentenceOf(message),
    ...webhookFieldsOf(message, plainLine),
    ...(message.repeat !== undefined && { repeat: message.repeat }),
    ...(message.link !== null && { link: message.link }),
    ...(message.ack !== undefined && { acknowledge_url: message.ack }),
  };
}

/** The monitor or the peer that it is about. */
function subjectOf(message: Message): Named | null {
  if ('monitor' in message) return message.monitor;
  return 'peer' in message ? message.peer : null;
}

/** The event in one sentence, for receivers that pass it on to people. */
function sentenceOf(message: Message): string {
  const wording = wordingOf(message);
  return wording.isText === true ? body(wording).join('\n') : wording.title;
}
