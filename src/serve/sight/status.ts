/** The status each monitor shows. */
import type { Json } from '../../db/operation.ts';
import { readState, type State } from '../../engine/core/confirm/state.ts';
import type { Status } from '../../engine/core/status.ts';

export type StateOf = (monitor: string) => State | null;

/** What the engine knows; of a monitor it knows nothing of, what was stored last. */
export function statusOf(
  monitor: string,
  { stateOf, stored }: { readonly stateOf: StateOf; readonly stored: ReadonlyMap<string, Json> },
): Status {
  return (stateOf(monitor) ?? readState(stored.get(monitor)))?.status ?? 'unknown';
}
