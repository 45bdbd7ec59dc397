/** Apprise, through its API and a configuration that is stored there (github.com/caronc/apprise-api). */
import type { Severity } from '../../engine/alerting/events/event.ts';
import { aList, aText, readAs, readList } from '../../engine/core/decode.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { body, labelledTitle, textOf } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

const types: Readonly<Record<Severity, string>> = {
  info: 'info',
  warning: 'warning',
  error: 'failure',
  critical: 'failure',
};

/** The answer to a failure has what each service logged: `["INFO", "2026-01-02 03:04:05,678", "Sent Slack notification."]`. */
function isAnySent(details: unknown): boolean {
  return readList(details, aList).some((entry) => /^Sent\b/.test(readAs(entry[2], aText) ?? ''));
}

export const apprise: HttpChannel<'apprise'> = {
  vendor: 'Apprise',
  call: (message, channel) => {
    const wording = wordingOf(message);
    const { headers, body: document } = jsonBody({
      title: fit(labelledTitle(wording, message.severity), { limit: 250, lengthOf: unitsOf }),
      body: textOf(body(wording), message, { limit: 30_000 }),
      type: message.event === 'recovered' ? 'success' : types[message.severity],
      format: 'text',
      ...(channel.tag !== null && { tag: channel.tag }),
    });
    const key = encodeURIComponent(channel.key.reveal());
    return {
      url: `${channel.url}/notify/${key}`,
      method: 'POST',
      headers: [...headers, ['accept', 'application/json']],
      body: document,
    };
  },
  whoAmI: (channel) => ({
    url: `${channel.url}/json/urls/${encodeURIComponent(channel.key.reveal())}`,
    method: 'GET',
    headers: [],
    body: null,
  }),
  advice: {
    204: 'key: nothing is stored under it',
    400: 'key and tag',
    404: 'url and key',
    424: 'the services behind it: at least one did not take the message',
  },
  isRefusal: ({ error }, statusCode) => statusCode === 204 || (typeof error === 'string' && error !== ''),
  // All of its services get every copy, those that took the first one too.
  hasReachedSome: ({ details }, statusCode) => statusCode === 424 && isAnySent(details),
};
