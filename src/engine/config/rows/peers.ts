/** The rows of `[[peers]]`: other nodes, watched and sent heartbeats. */
import { computed, optional, required } from '../row.ts';
import { Secret } from '../secret.ts';
import { integer } from '../types/number.ts';
import { secretly, accessToken } from '../types/secret-text.ts';
import { identifier, text } from '../types/text.ts';
import { parseUrl, webUrl } from '../types/url.ts';
import { channelNames } from './digest.ts';

export const peersRows = {
  id: required(identifier, {
    doc: 'Id of the peer, as set in its own [health].',
    example: '"node-b"',
  }),
  name: computed(
    text({ max: 200 }),
    { doc: 'same as id', compute: (own): string => own['id'] as string },
    { doc: 'Display name.', example: '"Node B (Paris)"' },
  ),
  ping_url: optional(secretly(webUrl), {
    doc: 'URL to which this node sends its heartbeats: the push URL for this node on the peer.',
    example: '"https://b.example.com/api/push/node-a"',
  }),
  ping_token: optional(accessToken, {
    doc: 'Token sent with each heartbeat, in X-Push-Token. It must not be empty.',
    example: '"${STATUSD_PEER_B_TOKEN}"',
  }),
  listen_id: computed(
    identifier,
    { doc: 'same as id', compute: (own): string => own['id'] as string },
    { doc: 'Id under which the peer sends its heartbeats to this node.', example: '"node-b"' },
  ),
  listen_token: optional(accessToken, {
    doc: 'Token that the peer must present with its heartbeats. It must not be empty.',
    example: '"${STATUSD_PEER_B_LISTEN_TOKEN}"',
  }),
  expect_every_secs: optional(integer({ min: 1, max: 2_592_000 }), {
    doc: 'Time without a heartbeat after which the peer is alerted as down. Default: the peer is not monitored.',
    example: '90',
  }),
  witness_url: computed(
    webUrl,
    { doc: 'origin of ping_url, with /healthz', compute: (own) => witnessOf(own['ping_url']) },
    {
      doc: 'URL at which the peer reports how it sees the other peers.',
      example: '"https://b.example.com/healthz"',
    },
  ),
  notify: optional(channelNames, {
    doc: 'Channels for alerts about this peer. Default: all.',
    example: '["ops"]',
  }),
};

function witnessOf(pingUrl: unknown): string | null {
  const parsed = pingUrl instanceof Secret ? parseUrl(pingUrl.reveal()) : null;
  return parsed === null ? null : `${parsed.origin}/healthz`;
}
