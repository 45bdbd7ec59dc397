/** PagerDuty, through its Events API v2 (developer.pagerduty.com, "Events API v2 Overview"). */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { timestampText } from '../../engine/core/instant.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { body, linksOf } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { episodeOf } from './episode.ts';
import { type HttpCall, type HttpChannel, jsonBody } from './http.ts';

/** An event may take 512 KB. */
const limit = 20_000;

function post(
  channel: ChannelOf<'pagerduty'>,
  path: string,
  event: Readonly<Record<string, unknown>>,
): HttpCall {
  return {
    url: `${channel.api_url ?? 'https://events.pagerduty.com'}/v2/${path}`,
    method: 'POST',
    ...jsonBody({ routing_key: channel.routing_key.reveal(), ...event }),
  };
}

/** What an alert and a change have in common. */
function payloadOf(message: Message) {
  const wording = wordingOf(message);
  const subject = 'monitor' in message ? message.monitor : 'peer' in message ? message.peer : null;
  return {
    payload: {
      summary: fit(wording.title, { limit: 1024, lengthOf: unitsOf }),
      source: subject?.id ?? 'statusd',
      timestamp: timestampText(message.at),
      custom_details: { text: fit(body(wording).join('\n'), { limit, lengthOf: unitsOf }) },
    },
    links: linksOf(message).map(({ label, url }) => ({ href: url, text: label })),
  };
}

export const pagerduty: HttpChannel<'pagerduty'> = {
  vendor: 'PagerDuty',
  call: (message, channel) => {
    const episode = episodeOf(message);
    if (episode?.phase === 'goes_on') return null;
    if (episode?.phase === 'ends')
      return post(channel, 'enqueue', { event_action: 'resolve', dedup_key: episode.key });
    const { payload, links } = payloadOf(message);
    // What is only for information is a change: it wakes nobody.
    if (episode === null && message.severity === 'info')
      return post(channel, 'change/enqueue', { payload, links });
    return post(channel, 'enqueue', {
      event_action: 'trigger',
      dedup_key: episode?.key ?? message.deliveryId,
      client: 'statusd',
      payload: { ...payload, severity: message.severity, class: message.event },
      links,
    });
  },
  whoAmI: null,
  advice: {
    400: 'routing_key: it must be that of an Events API v2 integration',
    403: 'routing_key: it must be that of an Events API v2 integration',
    404: 'api_url',
  },
};
