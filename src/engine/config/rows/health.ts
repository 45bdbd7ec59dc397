/** The rows of `[health]`: this node among its peers. */
import { optional, setting } from '../row.ts';
import { flag } from '../types/flag.ts';
import { integer } from '../types/number.ts';
import { secretly } from '../types/secret-text.ts';
import { identifier } from '../types/text.ts';
import { webUrl } from '../types/url.ts';

export const healthRows = {
  id: optional(identifier, {
    doc: 'Id of this node, as the peers have it in their [[peers]].',
    example: '"node-a"',
  }),
  interval_secs: setting(integer({ min: 1, max: 86_400 }), 60, {
    doc: 'Interval of the heartbeats that this node sends while it is healthy.',
    example: '60',
  }),
  grace_secs: setting(integer({ min: 0, max: 2_592_000 }), 180, {
    doc: 'Grace period after the start for a peer that has not sent a heartbeat yet.',
    example: '180',
  }),
  quorum: setting(flag, false, {
    doc: 'Ask the other peers before a peer is alerted as down. If one still sees it, the alert is a broken link (peer_link_degraded) instead.',
    example: 'true',
  }),
  confirm_with_peers: setting(flag, false, {
    doc: 'Have peers probe a target too before its alert is sent.',
    example: 'true',
  }),
  heartbeat_url: optional(secretly(webUrl), {
    doc: "Additional URL that gets heartbeats, such as a dead man's switch.",
    example: '"${STATUSD_HEARTBEAT_URL}"',
  }),
};
