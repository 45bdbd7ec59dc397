/** The status each monitor shows. */
import type { Store } from '../../db/store/store.ts';
import { alertStates } from '../../db/tables/alert-states.ts';
import { readState, type MonitorState } from '../../engine/monitoring/confirm/state.ts';
import type { Status } from '../../engine/core/status.ts';

export type StateOf = (monitor: string) => MonitorState | null;

/** What the engine knows; of a monitor it knows nothing of, what was stored last. */
export function statusOf(
  monitor: string,
  { stateOf, store }: { readonly stateOf: StateOf; readonly store: Pick<Store, 'sql'> },
): Status {
  return (stateOf(monitor) ?? readState(alertStates.find(store.sql, monitor)))?.status ?? 'unknown';
}
