/** What a node reaches by itself, where other nodes make checks too. */

/** Instants are of the monotonic clock. */
export interface OwnReachability {
  /** Whether a host has answered a check made here since then. */
  readonly hasReached: (sinceMs: number) => boolean;
  /** The same, after asking some hosts from here if none has. */
  readonly reachesHosts: (sinceMs: number) => Promise<boolean>;
}
