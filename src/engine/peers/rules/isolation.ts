/** Decides whether this node is cut off, rather than its peers being down. */

/** A watched peer, as far as it shows that this node can be reached. Instants are epoch ms. */
export interface PeerPresence {
  /** Null: never. */
  readonly heardAt: number | null;
  /** Until when its silence says nothing. */
  readonly lateAt: number;
}

export interface IsolationFacts {
  readonly watched: readonly PeerPresence[];
  /** Since when a peer is late: what came before may have come before the network went. */
  readonly sinceAt: number;
  readonly nowAt: number;
  /** A peer, or a host on another machine that is watched, answered since, or was asked now and answered. */
  readonly isAnyReached: boolean;
}

export type Isolation =
  | { readonly kind: 'none' }
  /** No heartbeat came since, but none had to: at `lookAt` that is over. */
  | { readonly kind: 'unclear'; readonly lookAt: number }
  | { readonly kind: 'isolated' };

/** With fewer watched peers, one that is down cannot be distinguished from a network that is gone. */
const fewestPeers = 2;

/** Whether there are peers enough for their silence to say something about this node. */
export function canBeIsolated(peers: number): boolean {
  return peers >= fewestPeers;
}

export function isolation({ watched, sinceAt, nowAt, isAnyReached }: IsolationFacts): Isolation {
  const isAnyHeard = watched.some(({ heardAt }) => heardAt !== null && heardAt >= sinceAt);
  if (isAnyReached || isAnyHeard || !canBeIsolated(watched.length)) return { kind: 'none' };
  // Who was never heard has not fallen silent: it is no reason to wait.
  const lookAt = watched.reduce(
    (latest, { heardAt, lateAt }) => (heardAt === null ? latest : Math.max(latest, lateAt)),
    nowAt,
  );
  return lookAt > nowAt ? { kind: 'unclear', lookAt } : { kind: 'isolated' };
}

/** The reason for people. */
export function isolationInWords(peers: number): string {
  return `none of its ${peers} peers sends a heartbeat`;
}
