/** Discord, through a webhook (docs.discord.com/developers/resources/webhook#execute-webhook). */
import { textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

/** Discord's Markdown: emphasis, code, strikes, spoilers, whatever is between angle brackets, mass mentions. */
const marks = /[\\*_~`|<]|@(?=everyone|here)/g;
/** Quotes, headings and lists, at the start of a line alone. */
const lineMarks = /^( *)([>#]|[-+](?=\s))/gm;
const numbers = /^( *\d+)\.(?=\s)/gm;
/** `https://` would become a link, `:smile:` a picture. The time of day is neither. */
const colons = /:(?=\/\/|(?!\d+:)[\w+~-]+:)/g;
const brackets = /[[\]]/g;

/** A backslash takes the meaning out of a mark and is not shown. */
function encode(text: string): string {
  const bare = text
    .replace(marks, '\\$&')
    .replace(colons, '\\:')
    .replace(lineMarks, '$1\\$2')
    .replace(numbers, '$1\\.');
  return bare.includes('](') ? bare.replace(brackets, '\\$&') : bare;
}

/** SUPPRESS_EMBEDS: a link needs no preview. */
const flags = 4;

export const discord: HttpChannel<'discord'> = {
  vendor: 'Discord',
  call: (message, channel) => ({
    url: channel.webhook_url.reveal(),
    method: 'POST',
    ...jsonBody({
      content: textOf(titled(wordingOf(message), message.severity), message, {
        limit: 2000,
        encode,
        encodeLink: (link) => `<${link}>`,
      }),
      allowed_mentions: { parse: [] },
      flags,
    }),
  }),
  // Asking for the webhook needs no other credential than its address.
  whoAmI: (channel) => ({ url: channel.webhook_url.reveal(), method: 'GET', headers: [], body: null }),
  advice: {
    401: 'webhook_url: its token is wrong',
    403: 'webhook_url',
    404: 'webhook_url: the webhook was deleted',
  },
};
