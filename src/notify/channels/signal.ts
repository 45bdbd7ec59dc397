/** Signal, through a self-hosted signal-cli REST API (github.com/bbernhard/signal-cli-rest-api). */
import { textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

export const signal: HttpChannel<'signal'> = {
  vendor: 'Signal',
  call: (message, channel) => ({
    url: `${channel.url}/v2/send`,
    method: 'POST',
    ...jsonBody({
      // From 2,000 bytes on a message becomes an attached file.
      message: textOf(titled(wordingOf(message), message.severity), message, {
        limit: 2000,
        lengthOf: (text) => Buffer.byteLength(text),
      }),
      number: channel.number,
      recipients: channel.to,
      text_mode: 'normal',
    }),
  }),
  whoAmI: (channel) => ({ url: `${channel.url}/v1/about`, method: 'GET', headers: [], body: null }),
  advice: { 400: 'number and to: is the number registered there?', 401: 'the login in url', 404: 'url' },
};
