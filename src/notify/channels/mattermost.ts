/** Mattermost, through an incoming webhook (developers.mattermost.com/integrate/webhooks/incoming). */
import { fenced } from './fence.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { labelledTitle, lookOf } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

export const mattermost: HttpChannel<'mattermost'> = {
  vendor: 'Mattermost',
  call: (message, channel) => {
    const fallback = fit(labelledTitle(wordingOf(message), message.severity), {
      limit: 250,
      lengthOf: unitsOf,
    });
    // A post may have 16,383 characters, its attachments included.
    const text = fenced(message, { limit: 15_000 });
    return {
      url: channel.webhook_url.reveal(),
      method: 'POST',
      ...jsonBody({ attachments: [{ fallback, color: lookOf(message).colour, text }] }),
    };
  },
  whoAmI: null,
  advice: {
    400: 'webhook_url: the webhook was deleted',
    403: 'webhook_url, and that incoming webhooks are switched on',
    404: 'webhook_url',
  },
};
