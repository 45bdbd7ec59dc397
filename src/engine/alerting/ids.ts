/** Names deliveries so that the same one has the same name after a crash. */
import type {
  EndedEvent,
  NodeBlindEvent,
  NodeSightedEvent,
  BegunEvent,
  PeerDownEvent,
  PeerLinkDegradedEvent,
  PeerRecoveredEvent,
} from './events.ts';

/** What the outbox rows of an episode are filed under: the uid of the incident, or a name for what has no incident. */
export function episodeOf(happening: BegunEvent | EndedEvent | NodeBlindEvent | NodeSightedEvent): string {
  switch (happening.kind) {
    case 'incident_opened':
    case 'incident_closed':
    case 'unknown_confirmed':
    case 'unknown_ended':
      return happening.uid;
    case 'degraded_confirmed':
    case 'degraded_ended':
      return degradationOf(happening.monitor, happening.startedAt);
    case 'node_blind':
    case 'node_sighted':
      return `node.blind.${happening.startedAt}`;
  }
}

/** The episode of a degradation, which has no incident. */
export function degradationOf(monitor: string, startedAt: number): string {
  return `${monitor}.degraded.${startedAt}`;
}

/** What names a word about a peer, the channel aside. */
export function peerKeyOf({
  kind,
  peer,
  startedAt,
}: Pick<PeerDownEvent | PeerLinkDegradedEvent | PeerRecoveredEvent, 'kind' | 'peer' | 'startedAt'>): string {
  return `${peer}.${kind}.${startedAt}`;
}

/** `<key>.<channel's digest>`: a channel may be called anything, a delivery may not. */
export function deliveryIdOf(key: string, channel: string): string {
  return `${key}.${digestOf(channel)}`;
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
