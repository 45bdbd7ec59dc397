/** Prometheus Alertmanager, through its API v2 (github.com/prometheus/alertmanager, api/v2/openapi.yaml). */
import { timestampText } from '../../engine/core/instant.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { body, safeLink } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { type Episode, episodeOf } from './episode.ts';
import { type HttpChannel, jsonType } from './http.ts';

const hour = 3_600_000;
const year = 365 * 24 * hour;

/** The labels name an alert: its end must have the same. */
const severities: Readonly<Record<Episode['name'], string>> = {
  down: 'critical',
  degraded: 'warning',
  unknown: 'warning',
  unstable: 'warning',
  peer_down: 'critical',
  node_blind: 'warning',
  incident: 'critical',
};

const authorization = ({ token }: ChannelOf<'alertmanager'>) =>
  token === null ? [] : ([['authorization', `Bearer ${token.reveal()}`]] as const);

export const alertmanager: HttpChannel<'alertmanager'> = {
  vendor: 'Alertmanager',
  call: (message, channel, nowAt) => {
    const episode = episodeOf(message);
    if (episode?.phase === 'goes_on') return null;
    const wording = wordingOf(message);
    const link = message.link === null ? null : safeLink(message.link);
    const ack = message.ack === undefined ? null : safeLink(message.ack);
    const labels =
      episode === null
        ? { alertname: `statusd_${message.event}`, incident: message.deliveryId, severity: message.severity }
        : {
            alertname: `statusd_${episode.name}`,
            incident: episode.key,
            severity: severities[episode.name],
            ...(episode.subject !== null && { monitor: episode.subject }),
          };
    // Without an end it would be over after Alertmanager's resolve_timeout, which is 5 minutes.
    const endsAt = episode === null ? nowAt + hour : episode.phase === 'begins' ? message.at + year : nowAt;
    const alert = {
      labels,
      annotations: {
        summary: fit(wording.title, { limit: 1000, lengthOf: unitsOf }),
        description: fit(body(wording).join('\n'), { limit: 20_000, lengthOf: unitsOf }),
        ...(ack !== null && { acknowledge_url: ack }),
      },
      ...(episode?.phase !== 'ends' && { startsAt: timestampText(Math.min(message.at, nowAt)) }),
      endsAt: timestampText(endsAt),
      ...(link !== null && { generatorURL: link }),
    };
    return {
      url: `${channel.url}/api/v2/alerts`,
      method: 'POST',
      headers: [jsonType, ...authorization(channel)],
      body: JSON.stringify([alert]),
    };
  },
  whoAmI: (channel) => ({
    url: `${channel.url}/api/v2/status`,
    method: 'GET',
    headers: authorization(channel),
    body: null,
  }),
  advice: { 401: 'the token, or the login in url', 403: 'the token, or the login in url', 404: 'url' },
};
