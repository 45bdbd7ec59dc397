/** Gotify, through its message API (gotify.net/api-docs). */
import type { Severity } from '../../engine/alerting/events/event.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { body, safeLink, textOf } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

const priorities: Readonly<Record<Severity, number>> = { info: 2, warning: 5, error: 8, critical: 10 };

export const gotify: HttpChannel<'gotify'> = {
  vendor: 'Gotify',
  call: (message, channel) => {
    const wording = wordingOf(message);
    const link = message.link === null ? null : safeLink(message.link);
    const { headers, body: document } = jsonBody({
      title: fit(wording.title, { limit: 250, lengthOf: unitsOf }),
      // The server has no limit of its own.
      message: textOf(body(wording), message, { limit: 8000 }),
      priority: priorities[message.severity],
      extras: {
        'client::display': { contentType: 'text/plain' },
        ...(link !== null && { 'client::notification': { click: { url: link } } }),
      },
    });
    return {
      url: `${channel.url}/message`,
      method: 'POST',
      headers: [...headers, ['x-gotify-key', channel.token.reveal()]],
      body: document,
    };
  },
  // An application's token is good for nothing but sending.
  whoAmI: null,
  advice: {
    400: 'url',
    401: 'the token: it must be that of an application',
    403: 'the token: it must be that of an application',
    404: 'url',
  },
};
