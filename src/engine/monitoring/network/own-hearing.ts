/** What a node hears by itself, where other nodes make checks too. */

/** Instants are of the monotonic clock. */
export interface OwnHearing {
  /** Whether a host has answered a check made here since then. */
  readonly hasHeard: (sinceMs: number) => boolean;
  /** The same, after asking some hosts from here if none has. */
  readonly hear: (sinceMs: number) => Promise<boolean>;
}
