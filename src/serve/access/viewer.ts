/** The viewer of a request, and which monitors exist for that viewer. */
import type { Monitor } from '../../engine/config/config.ts';

export type Viewer =
  | { readonly kind: 'anonymous' }
  /** Has the token of a group: sees all of it, and nothing else. */
  | ({ readonly kind: 'group'; readonly group: string } & ByToken)
  /** Has the push token of a monitor (or there is none): sees that monitor alone. */
  | { readonly kind: 'producer'; readonly monitor: string }
  /** Another node, by its config id: sees no monitor, and how this node sees the others. */
  | { readonly kind: 'peer'; readonly peer: string }
  /** Has the token of the nodes that share a database: sees no monitor. */
  | { readonly kind: 'node' }
  /** Has the access token: sees everything. */
  | ({ readonly kind: 'operator' } & ByToken);

interface ByToken {
  /**
   * The token was in the address and not in a header. Pages for such a viewer hold it in their links, so they are a
   * class of viewers of their own: nothing that is kept for them is ever shown to others.
   */
  readonly isByAddress: boolean;
}

/** The one rule of visibility: what is not visible is missing. */
export function isVisibleTo(viewer: Viewer, monitor: Pick<Monitor, 'id' | 'group' | 'public'>): boolean {
  switch (viewer.kind) {
    case 'anonymous':
      return monitor.public;
    case 'group':
      return monitor.group === viewer.group;
    case 'producer':
      return monitor.id === viewer.monitor;
    case 'peer':
    case 'node':
      return false;
    case 'operator':
      return true;
  }
}
