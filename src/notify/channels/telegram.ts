/** Telegram, through the Bot API's sendMessage (core.telegram.org/bots/api#sendmessage). */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { unitsOf } from '../wording/fit.ts';
import { escapeTags, isPublic, safeLink, textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { htmlMessage, type HtmlStyle } from './html-message.ts';
import { type HttpCall, type HttpChannel, jsonBody } from './http.ts';

/** `@name` is a mention, with and without a parse_mode: a space of no width behind the sign ends it. */
const unmention = (text: string) => text.replace(/@(?=\w)/g, '@\u200b');

const methodUrl = (channel: ChannelOf<'telegram'>, method: string) =>
  `${channel.api_url ?? 'https://api.telegram.org'}/bot${channel.token.reveal()}/${method}`;

/**
 * The button leads to a page: pressing it changes nothing yet. A message with a button whose address is no public name is
 * refused as a whole (BUTTON_URL_INVALID), so such an address stands in the text alone.
 */
function buttonOf(ack: string | undefined) {
  const url = ack === undefined ? null : safeLink(ack);
  return url !== null && isPublic(url)
    ? { reply_markup: { inline_keyboard: [[{ text: 'Acknowledge', url }]] } }
    : {};
}

/** In UTF-16 units. */
const limit = 4096;

const style: HtmlStyle = {
  limit,
  lengthOf: unitsOf,
  lineBreak: '\n',
  encode: (text) => unmention(escapeTags(text)),
  answer: ['<pre>', '</pre>'],
  isLinkable: isPublic,
};

/** What makes Telegram refuse a message of this form as a whole: its markup, or the address of its button. */
const unwelcome = /can't parse entities|BUTTON_URL_INVALID|inline keyboard button URL/i;

interface Form {
  readonly text: string;
  readonly parse_mode?: 'HTML';
  readonly button?: ReturnType<typeof buttonOf>;
}

function send(message: Message, channel: ChannelOf<'telegram'>, { button = {}, ...text }: Form): HttpCall {
  return {
    url: methodUrl(channel, 'sendMessage'),
    method: 'POST',
    ...jsonBody({
      chat_id: channel.chat_id,
      ...text,
      disable_notification: message.severity === 'info',
      link_preview_options: { is_disabled: true },
      ...button,
    }),
  };
}

export const telegram: HttpChannel<'telegram'> = {
  vendor: 'Telegram',
  call: (message, channel) =>
    send(message, channel, {
      text: htmlMessage(message, style),
      parse_mode: 'HTML',
      button: buttonOf(message.ack),
    }),
  plain: {
    isWanted: (answer, statusCode) => statusCode === 400 && unwelcome.test(answer),
    call: (message, channel) => {
      const lines = titled(wordingOf(message), message.severity);
      return send(message, channel, { text: textOf(lines, message, { limit, encode: unmention }) });
    },
  },
  whoAmI: (channel) => ({ url: methodUrl(channel, 'getMe'), method: 'GET', headers: [], body: null }),
  advice: {
    400: 'chat_id, and that the bot was written to or is a member of the chat',
    401: 'the token of the bot',
    403: 'that the bot is still allowed to write to the chat',
    404: 'the token of the bot',
  },
  isRefusal: ({ ok }) => ok === false,
};
