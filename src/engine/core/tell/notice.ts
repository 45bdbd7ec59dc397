/** Decides what goes out about something that has no end to wait for: a warning, an alert, a word about this node. */
import type { EventName } from './event.ts';
import type { NodeSighted, Notice } from './happening.ts';
import { deliveryIdOf, episodeOf, peerKeyOf } from './ids.ts';
import type { Decide, Intent, Json } from './intent.ts';
import type { QueuedRow } from './queued-row.ts';
import { reasons } from './reasons.ts';

interface Told {
  readonly event: EventName;
  readonly monitor: string | null;
  /** What names it, the channel aside. */
  readonly key: string;
  readonly payload: Json;
}

/** One delivery a channel, due at once; mutes are looked at when it is delivered. */
export function queueNotice(notice: Notice, channels: readonly string[]): Intent[] {
  const { event, monitor, key, payload } = toldOf(notice);
  const decision = { kind: 'decide', monitor, incident: null, event } as const;
  const say = (how: Pick<Decide, 'channel' | 'verdict' | 'reason'>): Decide => ({
    ...decision,
    ...how,
    detail: reasons[how.reason],
  });
  if (channels.length === 0) return [say({ channel: null, verdict: 'spared', reason: 'nobody_routed' })];
  return channels.flatMap((channel): Intent[] => [
    {
      kind: 'put',
      deliveryId: deliveryIdOf(key, channel),
      channel,
      event,
      monitor,
      incident: notice.kind === 'node_blind' ? episodeOf(notice) : null,
      payload,
      nextAt: notice.at,
    },
    say({ channel, verdict: 'queued', reason: 'at_once' }),
  ]);
}

function toldOf(notice: Notice): Told {
  switch (notice.kind) {
    case 'producer_alert':
      return told(notice, { event: 'alert', monitor: notice.monitor, key: `alert.${notice.uid}` });
    case 'cert_expiring':
    case 'domain_expiring':
      return told(notice, {
        event: notice.kind,
        monitor: notice.monitor,
        key: `${notice.monitor}.${notice.kind}.${notice.expiresAt}`,
      });
    case 'cert_changed':
      return told(notice, {
        event: notice.kind,
        monitor: notice.monitor,
        key: `${notice.monitor}.${notice.kind}.${notice.at}`,
      });
    case 'budget_burn':
      return told(notice, {
        event: notice.kind,
        monitor: notice.monitor,
        key: `${notice.monitor}.${notice.kind}.${notice.pace}.${notice.at}`,
      });
    case 'peer_down':
    case 'peer_recovered':
    case 'peer_link_degraded':
      return told(notice, {
        event: notice.kind,
        monitor: notice.peer,
        key: peerKeyOf(notice),
      });
    case 'node_blind':
      return told(notice, { event: 'node_blind', monitor: null, key: episodeOf(notice) });
    case 'node_sighted':
      return told(notice, { event: 'node_blind', monitor: null, key: `${episodeOf(notice)}.over` });
    case 'storage_failing':
      return told(notice, {
        event: 'storage_failing',
        monitor: null,
        key: `node.storage_failing.${notice.startedAt}`,
      });
    case 'digest_due':
      return told(notice, { event: 'digest', monitor: null, key: `node.digest.${notice.slotAt}` });
  }
}

/**
 * The end of an episode: what waits says it in the place of the beginning, which was not told then; who was told of
 * the beginning hears of the end.
 */
export function queueSighted(notice: NodeSighted, rows: readonly QueuedRow[]): Intent[] {
  return rows.flatMap(({ deliveryId, channel, state }): Intent[] => {
    switch (state) {
      case 'waiting':
        // Dropped, not replaced: it may be on its way at this moment, and then the channel is owed the end as well.
        return [
          { kind: 'drop', deliveryId },
          ...queueNotice(notice, [channel]).map((intent) =>
            intent.kind === 'decide'
              ? { ...intent, reason: 'sighted' as const, detail: reasons.sighted }
              : intent,
          ),
        ];
      case 'sent':
      case 'given_up':
        return queueNotice(notice, [channel]);
      case 'dropped':
        return [];
    }
  });
}

/** The facts of the notice itself are what the message is made of. */
function told(notice: Notice, how: Omit<Told, 'payload'>): Told {
  return { ...how, payload: { ...notice, hold: null } };
}
