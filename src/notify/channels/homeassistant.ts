/** Home Assistant, through a notify service of its REST API (developers.home-assistant.io/docs/api/rest). */
import { fit, jsonBytesOf, unitsOf } from '../wording/fit.ts';
import { body, labelledTitle, safeLink, textOf } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { type HttpChannel, jsonBody } from './http.ts';

const authorization = ({ token }: ChannelOf<'homeassistant'>) =>
  ['authorization', `Bearer ${token.reveal()}`] as const;

export const homeassistant: HttpChannel<'homeassistant'> = {
  vendor: 'Home Assistant',
  call: (message, channel) => {
    const wording = wordingOf(message);
    const link = message.link === null ? null : safeLink(message.link);
    const ack = message.ack === undefined ? null : safeLink(message.ack);
    const data = {
      // A tap leads there: `url` on iOS, `clickAction` on Android.
      ...(link !== null && { url: link, clickAction: link }),
      // A button of the Companion app that opens a page.
      ...(ack !== null && { actions: [{ action: 'URI', title: 'Acknowledge', uri: ack }] }),
    };
    const hasData = link !== null || ack !== null;
    const title = fit(labelledTitle(wording, message.severity), { limit: 250, lengthOf: unitsOf });
    // What a phone is pushed has 4 KB.
    const room = 3900 - jsonBytesOf(title) - Buffer.byteLength(JSON.stringify(data));
    const service = encodeURIComponent(channel.service.replace(/^notify\./, ''));
    const { headers, body: document } = jsonBody({
      title,
      message: textOf(body(wording), null, { limit: Math.min(2500, room), lengthOf: jsonBytesOf }),
      ...(hasData && { data }),
    });
    return {
      url: `${channel.url}/api/services/notify/${service}`,
      method: 'POST',
      headers: [...headers, authorization(channel)],
      body: document,
    };
  },
  whoAmI: (channel) => ({
    url: `${channel.url}/api/`,
    method: 'GET',
    headers: [authorization(channel)],
    body: null,
  }),
  advice: {
    400: 'service: is there one of that name?',
    401: 'the token',
    403: 'the token',
    404: 'url and service',
  },
};
