/** Google Chat, through a webhook of a space (developers.google.com/workspace/chat/quickstart/webhooks). */
import { fit, jsonBytesOf, unitsOf } from '../wording/fit.ts';
import { body, safeLink, severityLabel } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

/** Paragraphs of a card are HTML; a plain message has mentions and no way to escape them. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const encode = (text: string) => text.replace(/[&<>]/g, (character) => entities[character] ?? '');

/** A message may take 32,000 bytes, the card around the words included. */
const limit = 24_000;

export const googlechat: HttpChannel<'googlechat'> = {
  vendor: 'Google Chat',
  call: (message, channel) => {
    const wording = wordingOf(message);
    const title = fit(wording.title, { limit: 250, lengthOf: unitsOf });
    const lengthOf = (text: string) => jsonBytesOf(encode(text));
    const text = encode(fit(body(wording).join('\n'), { limit, lengthOf }));
    const link = message.link === null ? null : safeLink(message.link);
    const button = { text: 'Status page', onClick: { openLink: { url: link } } };
    const card = {
      header: { title, subtitle: severityLabel(message.severity) },
      sections: [
        {
          widgets: [
            { textParagraph: { text } },
            ...(link === null ? [] : [{ buttonList: { buttons: [button] } }]),
          ],
        },
      ],
    };
    return {
      url: channel.webhook_url.reveal(),
      method: 'POST',
      ...jsonBody({ fallbackText: title, cardsV2: [{ cardId: 'statusd', card }] }),
    };
  },
  whoAmI: null,
  advice: {
    400: 'webhook_url',
    401: 'webhook_url: its key or token is wrong',
    403: 'webhook_url: the webhook was deleted',
    404: 'webhook_url: the space is gone',
  },
};
