/** Names deliveries so that the same one has the same name after a crash. */
import { blindEpisodeOf, type NodeBlindEvent, type NodeSightedEvent } from './events/node.ts';
import { type BegunEvent, degradationOf, type EndedEvent, unstableEpisodeOf } from './events/outage.ts';

/** What the outbox rows of an episode are filed under: the uid of the incident, or a name for what has no incident. */
export function episodeOf(event: BegunEvent | EndedEvent | NodeBlindEvent | NodeSightedEvent): string {
  if ('uid' in event) return event.uid;
  if (!('monitor' in event)) return blindEpisodeOf(event);
  const { kind, monitor, startedAt } = event;
  const isUnstable = kind === 'unstable_confirmed' || kind === 'unstable_ended';
  return isUnstable ? unstableEpisodeOf(monitor, startedAt) : degradationOf(monitor, startedAt);
}

/** `<key>.<channel's digest>`: a channel may be called anything, a delivery may not. */
export function deliveryIdOf(key: string, channel: string): string {
  return `${key}.${digestOf(channel)}`;
}

/** As `deliveryIdOf`, where a channel may have the name that another one had when the delivery of that one was named. */
export function freeIdOf(
  key: string,
  channel: string,
  rows: readonly { readonly deliveryId: string }[],
): string {
  const taken = new Set(rows.map(({ deliveryId }) => deliveryId));
  for (let count = 1; ; count += 1) {
    const id = deliveryIdOf(count === 1 ? key : `${key}.${count}`, channel);
    if (!taken.has(id)) return id;
  }
}

/** One name for several deliveries, the first of which leads: with one it is theirs, and no others have the same. */
export function idOfAll([lead, ...others]: readonly [string, ...string[]]): string {
  if (others.length === 0) return lead;
  return `${lead}.${others.length + 1}.${digestOf([lead, ...others].sort().join(' '))}`;
}

/** 53 bits of a text in base 36 (cyrb53): no secret hangs on it, two channels must only not be the same. */
function digestOf(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
