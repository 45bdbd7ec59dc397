/** The generic webhook: the event as JSON, signed when there is a secret. */
import { createHmac } from 'node:crypto';
import type { Header } from '../../engine/net/http/request.ts';
import type { HttpChannel } from './http-call.ts';
import { jsonType } from './http-call.ts';
import { documentOf } from './webhook/document.ts';

/**
 * The receiver reckons the same over `timestamp.body` and compares; a timestamp of long ago tells a replay. The
 * timestamp is in seconds since 1970.
 */
export function signatureOf(body: string, secret: string, nowAt: number): Header[] {
  const timestamp = String(Math.floor(nowAt / 1000));
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return [
    ['x-statusd-timestamp', timestamp],
    ['x-statusd-signature', `sha256=${digest}`],
  ];
}

export const webhook: HttpChannel<'webhook'> = {
  vendor: 'the webhook',
  call: (message, channel, nowAt) => {
    const body = JSON.stringify(documentOf(message));
    const signature = channel.secret === null ? [] : signatureOf(body, channel.secret.reveal(), nowAt);
    return { url: channel.url.reveal(), method: 'POST', headers: [jsonType, ...signature], body };
  },
  whoAmI: null,
  advice: { 401: 'url and secret', 403: 'url and secret', 404: 'url', 410: 'url' },
};
