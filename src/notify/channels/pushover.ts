/** Pushover, through its message API (pushover.net/api). */
import type { Severity } from '../../engine/alerting/events/event.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { body, safeLink, textOf } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import type { HttpCall, HttpChannel } from './http.ts';

const priorities: Readonly<Record<Severity, number>> = { info: -1, warning: 0, error: 1, critical: 1 };

const longestLink = 512;

function form(
  channel: ChannelOf<'pushover'>,
  path: string,
  fields: Readonly<Record<string, string>>,
): HttpCall {
  const credentials = { token: channel.token.reveal(), user: channel.user.reveal() };
  return {
    url: `${channel.api_url ?? 'https://api.pushover.net'}/1/${path}`,
    method: 'POST',
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: new URLSearchParams({ ...credentials, ...fields }).toString(),
  };
}

export const pushover: HttpChannel<'pushover'> = {
  vendor: 'Pushover',
  call: (message, channel) => {
    const wording = wordingOf(message);
    // There is room for one.
    const wanted = message.ack ?? message.link;
    const link = wanted === null ? null : safeLink(wanted);
    const url_title = message.ack === undefined ? 'Status page' : 'Acknowledge';
    return form(channel, 'messages.json', {
      title: fit(wording.title, { limit: 250, lengthOf: unitsOf }),
      message: textOf(body(wording), null, { limit: 1024 }),
      priority: String(priorities[message.severity]),
      timestamp: String(Math.floor(message.at / 1000)),
      ...(link !== null && link.length <= longestLink && { url: link, url_title }),
    });
  },
  whoAmI: (channel) => form(channel, 'users/validate.json', {}),
  advice: { 400: 'the token of the application and the key of the user', 404: 'api_url' },
  isRefusal: ({ status }) => status === 0,
};
