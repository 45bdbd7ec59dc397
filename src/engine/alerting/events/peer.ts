/** A watched peer is down, up again, or only out of this node's reach. Instants are epoch ms. */
import { wholeSecs } from '../../core/duration.ts';
import type { Envelope, Moment, Named, NoticeRow } from './event.ts';
import { numberIn, textIn, textsIn, timestampOrNull } from './stored.ts';

export interface PeerDownEvent extends Moment {
  readonly kind: 'peer_down';
  readonly peer: string;
  readonly startedAt: number;
  readonly lastHeardAt: number | null;
  readonly reason: string | null;
}

/** A peer sends heartbeats again that was down, or out of reach; `startedAt` names the trouble. */
export interface PeerRecoveredEvent extends Moment {
  readonly kind: 'peer_recovered';
  readonly peer: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The peer is no longer watched: its trouble ends for that, and whether it is up is not known. */
  readonly by?: 'removal';
}

export interface PeerLinkDegradedEvent extends Moment {
  readonly kind: 'peer_link_degraded';
  readonly peer: string;
  readonly startedAt: number;
  readonly lastHeardAt: number | null;
  readonly seenBy: readonly string[];
  readonly reason: string | null;
}

/** What names a delivery about a peer, the channel aside. */
export function peerKeyOf({
  kind,
  peer,
  startedAt,
}: Pick<PeerDownEvent | PeerLinkDegradedEvent | PeerRecoveredEvent, 'kind' | 'peer' | 'startedAt'>): string {
  return `${peer}.${kind}.${startedAt}`;
}

export interface PeerDown extends Envelope {
  readonly event: 'peer_down';
  readonly peer: Named;
  /** This node, which misses it: `health.id`. */
  readonly node: string | null;
  /** When its last heartbeat came; null: none did. */
  readonly lastHeardAt: number | null;
  readonly reason: string | null;
}

export interface PeerRecovered extends Envelope {
  readonly event: 'peer_recovered';
  readonly peer: Named;
  readonly node: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  /** It is no longer watched: it ended for that, and whether it is up is not known. */
  readonly isRemoved: boolean;
}

/** This node gets no heartbeats of a peer that others still see up. */
export interface PeerLinkDegraded extends Envelope {
  readonly event: 'peer_link_degraded';
  readonly peer: Named;
  readonly lastHeardAt: number | null;
  /** The peers that still see it up. */
  readonly seenBy: readonly string[];
  readonly reason: string | null;
}

const aboutPeer = {
  subject: 'peer',
  isMutable: true,
  givenUp: 'after_a_day',
  withoutChannel: 'dropped',
  withoutMonitor: 'dropped',
  keyOf: peerKeyOf,
} as const;

const peerDown: NoticeRow<PeerDown, PeerDownEvent> = {
  ...aboutPeer,
  event: 'peer_down',
  outlastsQuietHours: true,
  severity: 'error',
  trouble: 'error',
  raisedBy: ['peer_down'],
  read: ({ fields, about, node }) => ({
    peer: about,
    node,
    lastHeardAt: numberIn(fields, 'lastHeardAt'),
    reason: textIn(fields, 'reason'),
  }),
  webhook: ({ lastHeardAt }) => ({ last_heard_at: timestampOrNull(lastHeardAt) }),
};

const peerRecovered: NoticeRow<PeerRecovered, PeerRecoveredEvent> = {
  ...aboutPeer,
  event: 'peer_recovered',
  outlastsQuietHours: true,
  severity: 'info',
  trouble: 'error',
  givenUp: 'never',
  withoutChannel: 'kept_for_30_days',
  withoutMonitor: 'sent',
  raisedBy: ['peer_recovered'],
  read: ({ fields, about, at, node }) => ({
    peer: about,
    node,
    startedAt: numberIn(fields, 'startedAt') ?? at,
    endedAt: numberIn(fields, 'endedAt') ?? at,
    isRemoved: textIn(fields, 'by') === 'removal',
  }),
  webhook: ({ startedAt, endedAt, isRemoved }) => ({
    duration_secs: wholeSecs(endedAt - startedAt),
    resolution: isRemoved ? 'peer_removed' : 'recovered',
  }),
};

const peerLinkDegraded: NoticeRow<PeerLinkDegraded, PeerLinkDegradedEvent> = {
  ...aboutPeer,
  event: 'peer_link_degraded',
  severity: 'warning',
  raisedBy: ['peer_link_degraded'],
  read: ({ fields, about }) => ({
    peer: about,
    lastHeardAt: numberIn(fields, 'lastHeardAt'),
    seenBy: textsIn(fields, 'seenBy'),
    reason: textIn(fields, 'reason'),
  }),
  webhook: ({ lastHeardAt, seenBy }) => ({ last_heard_at: timestampOrNull(lastHeardAt), seen_by: seenBy }),
};

export const peerEvents = [peerDown, peerRecovered, peerLinkDegraded] as const;
