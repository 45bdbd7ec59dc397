/** The rows of `[health]`: this node among its peers. */
import { optional, setting } from '../row.ts';
import { flag } from '../types/flag.ts';
import { integer } from '../types/number.ts';
import { secretly } from '../types/secret-text.ts';
import { identifier } from '../types/text.ts';
import { webUrl } from '../types/url.ts';

export const healthRows = {
  id: optional(identifier, {
    doc: 'The name by which the peers know this node.',
    example: '"node-a"',
  }),
  interval_secs: setting(integer({ min: 1, max: 86_400 }), 60, {
    doc: 'How often this node sends its heartbeats while it is healthy.',
    example: '60',
  }),
  grace_secs: setting(integer({ min: 0, max: 2_592_000 }), 180, {
    doc: 'How long after the start a peer that never sent a heartbeat may stay silent.',
    example: '180',
  }),
  quorum: setting(flag, false, {
    doc: 'Whether to ask the other peers before a peer is alerted as down: one that still sees it makes it a broken link.',
    example: 'true',
  }),
  confirm_with_peers: setting(flag, false, {
    doc: 'Whether peers probe a target too before its alert is sent.',
    example: 'true',
  }),
  heartbeat_url: optional(secretly(webUrl), {
    doc: 'A further place to send heartbeats to, such as a dead-man service.',
    example: '"${STATUSD_HEARTBEAT_URL}"',
  }),
};
