/** Decides what goes out about something that has no end to wait for: a warning, an alert, a word about this node. */
import type { EventName } from './event-names.ts';
import type { ImmediateEvent, NodeBlindEvent, NodeSightedEvent } from './events.ts';
import { deliveryIdOf, episodeOf, peerKeyOf } from './ids.ts';
import type { Decide, Intent, PayloadJson, QueuedRow } from './intent.ts';
import { fieldsOf, textIn } from './payload.ts';
import { reasons } from './reasons.ts';

interface Notified {
  readonly event: EventName;
  readonly monitor: string | null;
  /** What names it, the channel aside. */
  readonly key: string;
  readonly payload: PayloadJson;
}

/** One delivery a channel, due at once; mutes are looked at when it is delivered. */
export function queueNotice(notice: ImmediateEvent, channels: readonly string[]): Intent[] {
  const { event, monitor, key, payload } = notifiedOf(notice);
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
      incident: notice.kind === 'node_blind' || notice.kind === 'node_sighted' ? episodeOf(notice) : null,
      payload,
      nextAt: notice.at,
    },
    say({ channel, verdict: 'queued', reason: 'at_once' }),
  ]);
}

function notifiedOf(notice: ImmediateEvent): Notified {
  switch (notice.kind) {
    case 'producer_alert':
      return notified(notice, { event: 'alert', monitor: notice.monitor, key: `alert.${notice.uid}` });
    case 'cert_expiring':
    case 'domain_expiring':
      return notified(notice, {
        event: notice.kind,
        monitor: notice.monitor,
        key: `${notice.monitor}.${notice.kind}.${notice.expiresAt}`,
      });
    case 'cert_changed':
      return notified(notice, {
        event: notice.kind,
        monitor: notice.monitor,
        key: `${notice.monitor}.${notice.kind}.${notice.at}`,
      });
    case 'cert_unreadable':
      return notified(notice, {
        event: notice.kind,
        monitor: notice.monitor,
        key: `${notice.monitor}.${notice.kind}.${notice.sinceAt}`,
      });
    case 'budget_burn':
      return notified(notice, {
        event: notice.kind,
        monitor: notice.monitor,
        key: `${notice.monitor}.${notice.kind}.${notice.pace}.${notice.at}`,
      });
    case 'peer_down':
    case 'peer_recovered':
    case 'peer_link_degraded':
      return notified(notice, {
        event: notice.kind,
        monitor: notice.peer,
        key: peerKeyOf(notice),
      });
    case 'node_blind': {
      const again = notice.isContinued ? `.again.${notice.at}` : '';
      return notifiedOfNode(notice, `${episodeOf(notice)}${again}`);
    }
    case 'node_sighted':
      return notifiedOfNode(notice, `${episodeOf(notice)}.over.${notice.endedAt}`);
    case 'storage_failing':
      return notified(notice, {
        event: 'storage_failing',
        monitor: null,
        key: `node.storage_failing.${notice.startedAt}`,
      });
    case 'digest_due':
      return notified(notice, { event: 'digest', monitor: null, key: `node.digest.${notice.slotAt}` });
  }
}

/** What the outbox holds of an episode of this node, for one channel. */
interface ChannelRows {
  /** Those that say its beginning, and are not dropped. */
  readonly begun: readonly QueuedRow[];
  readonly ends: readonly QueuedRow[];
}

function byChannel(rows: readonly QueuedRow[]): ReadonlyMap<string, ChannelRows> {
  const channels = new Map<string, ChannelRows>();
  for (const channel of new Set(rows.map((row) => row.channel))) {
    const own = rows.filter((row) => row.channel === channel && row.state !== 'dropped');
    const isEnd = ({ payload }: QueuedRow) => textIn(fieldsOf(payload), 'kind') === 'node_sighted';
    channels.set(channel, { begun: own.filter((row) => !isEnd(row)), ends: own.filter(isEnd) });
  }
  return channels;
}

/**
 * The end of an episode: what waits says it in the place of the beginning, which was not told then; who was told of
 * the beginning hears of the end. It waits for the window, in case the network is lost again.
 */
export function queueNodeSighted(
  notice: NodeSightedEvent,
  { rows, windowMs }: { readonly rows: readonly QueuedRow[]; readonly windowMs: number },
): Intent[] {
  return [...byChannel(rows)].flatMap(([channel, { begun }]): Intent[] => {
    if (begun.length === 0) return [];
    // Dropped, not replaced: it may be on its way at this moment, and then the channel is owed the end as well.
    const waiting = begun.filter(({ state }) => state === 'waiting');
    const isInItsPlace = waiting.length === begun.length;
    const end = queueNotice(notice, [channel]).map((intent) => {
      if (intent.kind === 'put') return { ...intent, nextAt: notice.at + windowMs };
      return intent.kind === 'decide' && isInItsPlace
        ? { ...intent, reason: 'sighted' as const, detail: reasons.sighted }
        : intent;
    });
    return [...waiting.map(({ deliveryId }) => ({ kind: 'drop', deliveryId }) as const), ...end];
  });
}

/**
 * The network is lost again before the end of the episode was sent: the end is not sent then. Who was told of the
 * beginning knows; to the others it is told now.
 */
export function queueNodeBlindAgain(
  notice: NodeBlindEvent,
  { rows, channels }: { readonly rows: readonly QueuedRow[]; readonly channels: readonly string[] },
): Intent[] {
  const known = byChannel(rows);
  return channels.flatMap((channel): Intent[] => {
    const { begun, ends } = known.get(channel) ?? { begun: [], ends: [] };
    const waiting = ends.filter(({ state }) => state === 'waiting');
    const knows = begun.length > 0 && waiting.length === ends.length;
    return [
      ...waiting.map(({ deliveryId }) => ({ kind: 'drop', deliveryId }) as const),
      ...(knows ? [] : queueNotice(notice, [channel])),
    ];
  });
}

/** So many of the monitors are named in a message; the others are counted. */
const mostNamed = 50;

function notifiedOfNode(notice: NodeBlindEvent | NodeSightedEvent, key: string): Notified {
  const { monitors } = notice;
  const payload = {
    ...notice,
    monitors: monitors.slice(0, mostNamed),
    monitorCount: monitors.length,
    hold: null,
  };
  return { event: 'node_blind', monitor: null, key, payload };
}

/** The facts of the notice itself are what the message is made of. */
function notified(notice: ImmediateEvent, how: Omit<Notified, 'payload'>): Notified {
  return { ...how, payload: { ...notice, hold: null } };
}
