/** Decides what is queued for an event that has no end: a warning, an alert, a notice about this node. */
import { type ImmediateEvent, queuedNoticeOf } from './events/catalogue.ts';
import type { NodeBlindEvent, NodeSightedEvent } from './events/node.ts';
import { fieldsOf, textIn } from './events/stored.ts';
import { deliveryIdOf } from './ids.ts';
import type { Intent, QueuedRow } from './intent.ts';
import { because } from './reasons.ts';

/** One delivery a channel, due at once; mutes are looked at when it is delivered. */
export function queueNotice(notice: ImmediateEvent, channels: readonly string[]): Intent[] {
  const { event, key, episode, payload } = queuedNoticeOf(notice);
  const monitor = 'monitor' in notice ? notice.monitor : 'peer' in notice ? notice.peer : null;
  const incident = notice.kind === 'incident_said' ? notice.uid : null;
  const decision = { kind: 'decide', monitor, incident, event } as const;
  if (channels.length === 0)
    return [{ ...decision, channel: null, verdict: 'spared', ...because('nobody_routed') }];
  return channels.flatMap((channel): Intent[] => [
    {
      kind: 'put',
      deliveryId: deliveryIdOf(key, channel),
      channel,
      event,
      monitor,
      incident: episode,
      payload,
      nextAt: notice.at,
    },
    { ...decision, channel, verdict: 'queued', ...because('at_once') },
  ]);
}

/** What the outbox holds of an episode of this node, for one channel. */
interface ChannelRows {
  /** Those about its beginning that are not dropped. */
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
 * The end of an episode. Where the beginning is not sent yet, the end is sent in its place; a channel that received
 * the beginning gets the end. It waits for the window, in case the network is lost again.
 */
export function queueNodeSighted(
  notice: NodeSightedEvent,
  { rows, windowMs }: { readonly rows: readonly QueuedRow[]; readonly windowMs: number },
): Intent[] {
  return [...byChannel(rows)].flatMap(([channel, { begun }]): Intent[] => {
    if (begun.length === 0) return [];
    // Dropped, not replaced: it may be on its way at this moment, and then the channel needs the end as well.
    const waiting = begun.filter(({ state }) => state === 'waiting');
    const isInItsPlace = waiting.length === begun.length;
    const end = queueNotice(notice, [channel]).map((intent) => {
      if (intent.kind === 'put') return { ...intent, nextAt: notice.at + windowMs };
      return intent.kind === 'decide' && isInItsPlace ? { ...intent, ...because('sighted') } : intent;
    });
    return [...waiting.map(({ deliveryId }) => ({ kind: 'drop', deliveryId }) as const), ...end];
  });
}

/**
 * The network is lost again before the end of the episode was sent: the end is not sent then, and the beginning goes
 * to the channels that did not receive it.
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
