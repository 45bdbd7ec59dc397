/** Telegram, through the Bot API's sendMessage (core.telegram.org/bots/api#sendmessage). */
import { safeLink, textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { type HttpChannel, jsonBody } from './http.ts';

/**
 * Without a parse_mode nothing is markup, but `@name` is still a mention: a space of no width behind the sign
 * ends it.
 */
const encode = (text: string) => text.replace(/@(?=\w)/g, '@\u200b');

const methodUrl = (channel: ChannelOf<'telegram'>, method: string) =>
  `${channel.api_url ?? 'https://api.telegram.org'}/bot${channel.token.reveal()}/${method}`;

/**
 * The button leads to a page: pressing it changes nothing yet. A message with a button whose address is no public name is
 * refused as a whole (BUTTON_URL_INVALID), so such an address stands in the text alone.
 */
function buttonOf(ack: string | undefined) {
  const url = ack === undefined ? null : safeLink(ack);
  const host = url === null ? '' : new URL(url).hostname;
  const isPublic = /\.(?!local$|lan$|home$|internal$|intranet$|corp$|test$|arpa$)[a-z][a-z-]+$/.test(host);
  return isPublic ? { reply_markup: { inline_keyboard: [[{ text: 'Acknowledge', url }]] } } : {};
}

export const telegram: HttpChannel<'telegram'> = {
  vendor: 'Telegram',
  call: (message, channel) => ({
    url: methodUrl(channel, 'sendMessage'),
    method: 'POST',
    ...jsonBody({
      chat_id: channel.chat_id,
      text: textOf(titled(wordingOf(message), message.severity), message, {
        limit: 4096,
        encode,
      }),
      disable_notification: message.severity === 'info',
      link_preview_options: { is_disabled: true },
      ...buttonOf(message.ack),
    }),
  }),
  whoAmI: (channel) => ({ url: methodUrl(channel, 'getMe'), method: 'GET', headers: [], body: null }),
  advice: {
    400: 'chat_id, and that the bot was written to or is a member of the chat',
    401: 'the token of the bot',
    403: 'that the bot is still allowed to write to the chat',
    404: 'the token of the bot',
  },
  isRefusal: ({ ok }) => ok === false,
};
