/** Zulip, through its message API (zulip.com/api/send-message). */
import { basic } from '../../engine/net/http/request.ts';
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { nameOf } from '../wording/wording.ts';
import type { ChannelOf } from './channel.ts';
import { fenced } from './fence.ts';
import type { HttpChannel } from './http.ts';

const authorization = ({ email, api_key }: ChannelOf<'zulip'>) =>
  ['authorization', basic({ username: email, password: api_key.reveal() })] as const;

/** A topic has 60 characters, each code point counted as one. */
function topicOf(message: Message, { topic }: ChannelOf<'zulip'>): string {
  if (topic !== null) return topic;
  return 'monitor' in message
    ? fit(nameOf(message.monitor), { limit: 60, lengthOf: unitsOf }) || message.monitor.id.slice(0, 60)
    : 'statusd';
}

export const zulip: HttpChannel<'zulip'> = {
  vendor: 'Zulip',
  call: (message, channel) => ({
    url: `${channel.url}/api/v1/messages`,
    method: 'POST',
    headers: [['content-type', 'application/x-www-form-urlencoded'], authorization(channel)],
    body: new URLSearchParams({
      type: 'stream',
      to: channel.stream,
      topic: topicOf(message, channel),
      content: fenced(message, { limit: 10_000 }),
    }).toString(),
  }),
  whoAmI: (channel) => ({
    url: `${channel.url}/api/v1/users/me`,
    method: 'GET',
    headers: [authorization(channel)],
    body: null,
  }),
  advice: {
    400: 'stream, and that the bot may write there',
    401: 'email and api_key of the bot',
    403: 'email and api_key of the bot',
    404: 'url',
  },
  isRefusal: ({ result }) => result === 'error',
};
