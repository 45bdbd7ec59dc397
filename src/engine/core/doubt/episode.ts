/** What this node thinks of its own network, from one thing it learns to the next. */

/**
 * `suspect`: most hosts are silent. `lost`: for so long that it is believed. `by`: the hosts that monitors are on, or the
 * peers, none of which is heard. Instants are epoch ms.
 */
export type Network = { readonly state: 'ok' } | Episode;

interface Episode {
  readonly state: 'suspect' | 'lost';
  readonly sinceAt: number;
  readonly reason: string;
  readonly by: 'hosts' | 'peers';
}

export const networkOk: Network = { state: 'ok' };

/** The reason for people: how many of the hosts are silent. */
export function silenceInWords(failing: number, hosts: number): string {
  return `${failing} of ${hosts} hosts cannot be reached`;
}

/** A stored document as a Network; anything else is `ok`. */
export function readNetwork(document: unknown): Network {
  if (typeof document !== 'object' || document === null) return networkOk;
  const { state, sinceAt, reason, by } = document as Readonly<Record<string, unknown>>;
  if (state !== 'suspect' && state !== 'lost') return networkOk;
  if (typeof sinceAt !== 'number' || typeof reason !== 'string') return networkOk;
  return { state, sinceAt, reason, by: by === 'peers' ? 'peers' : 'hosts' };
}
