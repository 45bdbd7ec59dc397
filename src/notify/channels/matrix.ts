/** Matrix, through the client-server API (spec.matrix.org, "Sending events to a room"). */
import { jsonBytesOf } from '../wording/fit.ts';
import { escapeTags, textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { htmlMessage, type HtmlStyle } from './html-message.ts';
import { type HttpChannel, jsonBody } from './http.ts';

const url = ({ homeserver }: ChannelOf<'matrix'>, path: string) => `${homeserver}/_matrix/client/v3/${path}`;

const authorization = ({ token }: ChannelOf<'matrix'>) =>
  ['authorization', `Bearer ${token.reveal()}`] as const;

/** An event may take 64 KiB, both forms, escapes and what the server adds included. */
const limit = 16_000;

const style: HtmlStyle = {
  limit,
  lengthOf: jsonBytesOf,
  lineBreak: '<br>',
  encode: escapeTags,
  answer: ['<pre><code>', '</code></pre>'],
  isLinkable: () => true,
};

export const matrix: HttpChannel<'matrix'> = {
  vendor: 'Matrix',
  call: (message, channel) => {
    const room = encodeURIComponent(channel.room_id);
    const transaction = encodeURIComponent(message.deliveryId);
    const { headers, body } = jsonBody({
      // Clients do not ring for an m.notice.
      msgtype: 'm.text',
      body: textOf(titled(wordingOf(message), message.severity), message, {
        limit,
        lengthOf: jsonBytesOf,
      }),
      format: 'org.matrix.custom.html',
      formatted_body: htmlMessage(message, style),
      // Nobody is mentioned, whatever the text looks like.
      'm.mentions': {},
    });
    return {
      // The server takes a transaction once, so a repeated attempt is no second message.
      url: url(channel, `rooms/${room}/send/m.room.message/${transaction}`),
      method: 'PUT',
      headers: [...headers, authorization(channel)],
      body,
    };
  },
  whoAmI: (channel) => ({
    url: url(channel, 'account/whoami'),
    method: 'GET',
    headers: [authorization(channel)],
    body: null,
  }),
  advice: {
    401: 'the access token',
    403: 'room_id, and that the sender has joined the room',
    404: 'homeserver and room_id',
  },
};
