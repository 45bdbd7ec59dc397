/** Reads what a reader gets to know beside the monitors: incidents, announcements, maintenance, channels. */
import { announcements } from '../../db/tables/announcements.ts';
import { channels } from '../../db/tables/channels.ts';
import { incidents, type IncidentRow } from '../../db/tables/incidents.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { Status } from '../../engine/core/status.ts';
import { announcementViews } from '../../engine/views/announcement.ts';
import { channelViews } from '../../engine/views/channel.ts';
import { groupViews } from '../../engine/views/group.ts';
import { incidentView } from '../../engine/views/incident.ts';
import { maintenanceViews } from '../../engine/views/maintenance.ts';
import { overallOf } from '../../engine/views/overall.ts';
import { peerCounts } from '../../engine/views/peers.ts';
import type { GatherRequest, GatherSources } from './gather.ts';
import { readPeers } from './peers.ts';

/** In the order of the interface: `head` stands before the monitors, `tail` after them. */
export function frameOf(
  { store: { sql } }: Pick<GatherSources, 'store'>,
  { config, visible, known: nameable, reader, blindSinceAt }: GatherRequest,
  statuses: readonly Status[],
) {
  const { nowAt, isTrusted, isVisible } = reader;
  const head = {
    title: config.page.title,
    ...overallOf(statuses, { sinceAt: blindSinceAt, nowAt }),
    generated_at: rfc3339(nowAt),
    incidents: incidents
      .listOpen(sql)
      .filter(({ monitor }) => isVisible(monitor))
      .map((row: IncidentRow) =>
        incidentView(row, {
          ...reader,
          isVisible: (id) => nameable.has(id),
          isDetailPublic: reader.hasDetail(row.monitor),
        }),
      ),
    announcements: announcementViews(announcements.active(sql, nowAt), config.incidents, reader),
    maintenances: maintenanceViews(config.maintenance, reader),
    groups: groupViews(visible),
  };
  const known = isTrusted
    ? {
        channels: channelViews(config.channels, channels.list(sql), {
          threshold: config.alerts.channel_fail_threshold,
          nowAt,
        }),
      }
    : {};
  const peers = readPeers(sql, config, nowAt);
  // Strangers learn how many there are.
  const notified = { peers: isTrusted ? peers : [], peer_counts: peerCounts(peers) };
  return { head, tail: { ...notified, ...known } };
}
