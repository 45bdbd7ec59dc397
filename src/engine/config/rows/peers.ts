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
    doc: 'The id of the peer: what its own [health] calls it.',
    example: '"node-b"',
  }),
  name: computed(
    text({ max: 200 }),
    { doc: 'same as id', compute: (own): string => own['id'] as string },
    { doc: 'What people read.', example: '"Node B (Paris)"' },
  ),
  ping_url: optional(secretly(webUrl), {
    doc: 'Where this node sends its heartbeats: the push address that the peer has for it.',
    example: '"https://b.example.com/api/push/node-a"',
  }),
  ping_token: optional(accessToken, {
    doc: 'The token sent along, as X-Push-Token. It must not be empty.',
    example: '"${STATUSD_PEER_B_TOKEN}"',
  }),
  listen_id: computed(
    identifier,
    { doc: 'same as id', compute: (own): string => own['id'] as string },
    { doc: 'The id under which the peer pushes its heartbeats here.', example: '"node-b"' },
  ),
  listen_token: optional(accessToken, {
    doc: 'The token the peer must present here. It must not be empty.',
    example: '"${STATUSD_PEER_B_LISTEN_TOKEN}"',
  }),
  expect_every_secs: optional(integer({ min: 1, max: 2_592_000 }), {
    doc: 'How long the peer may be silent before it is alerted as down. Absent: it is not watched.',
    example: '90',
  }),
  witness_url: computed(
    webUrl,
    { doc: 'origin of ping_url, with /healthz', compute: (own) => witnessOf(own['ping_url']) },
    { doc: 'Where to ask the peer how it sees the others.', example: '"https://b.example.com/healthz"' },
  ),
  notify: optional(channelNames, {
    doc: 'The channels that alerts about this peer go through. All of them when absent.',
    example: '["ops"]',
  }),
};

function witnessOf(pingUrl: unknown): string | null {
  const parsed = pingUrl instanceof Secret ? parseUrl(pingUrl.reveal()) : null;
  return parsed === null ? null : `${parsed.origin}/healthz`;
}
