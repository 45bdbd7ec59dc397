/** Slack, through an incoming webhook (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
import { textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

/** The three characters that mentions, links and entities are made of. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const encode = (text: string) => text.replace(/[&<>]/g, (character) => entities[character] ?? '');

export const slack: HttpChannel<'slack'> = {
  vendor: 'Slack',
  call: (message, channel) => ({
    url: channel.webhook_url.reveal(),
    method: 'POST',
    ...jsonBody({
      // From 4,000 on a message is split in two.
      text: textOf(titled(wordingOf(message), message.severity), message, {
        limit: 3000,
        encode,
        encodeLink: (link) => `<${encode(link)}>`,
      }),
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    }),
  }),
  whoAmI: null,
  advice: {
    400: 'webhook_url',
    403: 'webhook_url, and whether the app may write to its channel',
    404: 'webhook_url: the webhook or its channel is gone',
    410: 'webhook_url: its channel is archived',
  },
};
