/** Reads what a summary has beside its monitors: incidents, announcements, maintenance, channels. */
import { announcements } from '../../db/tables/announcements.ts';
import { channels } from '../../db/tables/channels.ts';
import { losses } from '../../db/tables/losses.ts';
import { lossViews } from '../../engine/views/losses.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import {
  announcementViews,
  channelViews,
  groupViews,
  maintenanceViews,
  overallOf,
} from '../../engine/views/frame.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { peerCounts, type PeerView, peerViews } from '../../engine/views/peers.ts';
import type { GatherRequest, GatherSources } from './gather.ts';
import { readOpenIncidents } from './record.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { peers } from '../../db/tables/peers.ts';
import type { Config } from '../../engine/config/config.ts';

/** In the order of the interface: `head` stands before the monitors, `tail` after them. */
export function frameOf(
  { store }: Pick<GatherSources, 'store'>,
  { config, visible, known: nameable, reader, blindSinceAt }: GatherRequest,
  monitors: Parameters<typeof overallOf>[0],
) {
  const { sql } = store;
  const { nowAt, isTrusted, isVisible } = reader;
  const head = {
    title: config.page.title,
    ...overallOf(monitors, { sinceAt: blindSinceAt, nowAt }),
    generated_at: rfc3339(nowAt),
    incidents: readOpenIncidents(
      { store, reader: { ...reader, isVisible: (id) => nameable.has(id) } },
      isVisible,
    ),
    announcements: announcementViews(announcements.active(sql, nowAt), config.incidents, reader),
    maintenances: maintenanceViews(plannedMaintenance(sql, config, nowAt), reader),
    groups: groupViews(visible),
  };
  const known = isTrusted
    ? {
        channels: channelViews(config.channels, channels.list(sql), {
          threshold: config.alerts.channel_fail_threshold,
          nowAt,
        }),
        losses: lossViews(losses.list(sql)),
      }
    : {};
  const peers = readPeers(sql, config, nowAt);
  // The public page shows how many there are.
  const notified = { peers: isTrusted ? peers : [], peer_counts: peerCounts(peers) };
  return { head, tail: { ...notified, ...known } };
}

/** In the order of the configuration. */
export function readPeers(sql: SqlReader, config: Pick<Config, 'peers'>, nowAt: number): readonly PeerView[] {
  if (config.peers.every(({ expect_every_secs }) => expect_every_secs === null)) return [];
  return peerViews(config.peers, { rows: peers.list(sql), skews: peers.listSkews(sql) }, nowAt);
}
