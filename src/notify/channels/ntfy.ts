/** ntfy, published as JSON (docs.ntfy.sh/publish/#publish-as-json): its headers take no more than Latin-1. */
import type { Severity } from '../../engine/alerting/events/event.ts';
import { fit, jsonBytesOf } from '../wording/fit.ts';
import { body, isOver, safeLink, textOf } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { type HttpChannel, jsonBody } from './http.ts';

const priorities: Readonly<Record<Severity, number>> = { info: 2, warning: 3, error: 4, critical: 5 };

/** Shown as a picture before the title (docs.ntfy.sh/emojis). */
const tags: Readonly<Record<Severity, string>> = {
  info: 'large_blue_circle',
  warning: 'yellow_circle',
  error: 'red_circle',
  critical: 'rotating_light',
};

/** JSON is posted to the server itself: the topic is in the document, not in the path. */
function placeOf(channel: ChannelOf<'ntfy'>): { readonly server: string; readonly topic: string } {
  const url = new URL(channel.url.reveal());
  const at = url.pathname.lastIndexOf('/');
  const topic = decodeURIComponent(url.pathname.slice(at + 1));
  url.pathname = url.pathname.slice(0, at + 1);
  url.search = '';
  url.hash = '';
  return { server: url.href, topic };
}

export const ntfy: HttpChannel<'ntfy'> = {
  vendor: 'ntfy',
  call: (message, channel) => {
    const { server, topic } = placeOf(channel);
    const wording = wordingOf(message);
    const link = message.link === null ? null : safeLink(message.link);
    const ack = message.ack === undefined ? null : safeLink(message.ack);
    const { headers, body: document } = jsonBody({
      topic,
      title: fit(wording.title, { limit: 250, lengthOf: jsonBytesOf }),
      // From 4,096 bytes on a message becomes an attached file; the whole document may take twice as much.
      message: textOf(body(wording), null, { limit: 4095, lengthOf: jsonBytesOf }),
      priority: priorities[message.severity],
      tags: [isOver(message) ? 'green_circle' : tags[message.severity]],
      ...(link !== null && { click: link }),
      ...(ack !== null && { actions: [{ action: 'view', label: 'Acknowledge', url: ack }] }),
    });
    const authorization =
      channel.token === null ? [] : ([['authorization', `Bearer ${channel.token.reveal()}`]] as const);
    return { url: server, method: 'POST', headers: [...headers, ...authorization], body: document };
  },
  whoAmI: null,
  advice: {
    400: 'url: it must end with the name of the topic',
    401: 'the token',
    403: 'the token, and that it may write to the topic',
    404: 'url',
  },
};
