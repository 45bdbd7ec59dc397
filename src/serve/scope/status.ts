/** The status each monitor shows. */
import type { Store } from '../../db/store/store.ts';
import { alertStates } from '../../db/tables/alert-states.ts';
import { readState, type MonitorState } from '../../engine/monitoring/confirm/state.ts';
import type { MonitorFacts } from '../../engine/views/monitor.ts';

export type StateOf = (monitor: string) => MonitorState | null;

/** What the engine knows; of a monitor it knows nothing of, what was stored last. */
export function statusOf(
  monitor: string,
  { stateOf, store }: { readonly stateOf: StateOf; readonly store: Pick<Store, 'sql'> },
): Pick<MonitorFacts, 'status' | 'isUnconfirmed'> {
  const state = stateOf(monitor) ?? readState(alertStates.find(store.sql, monitor));
  if (state === null) return { status: 'unknown', isUnconfirmed: false };
  const { status, failures, slow, degradation } = state;
  const isUnconfirmed = status === 'degraded' && failures !== null && slow === null && degradation === null;
  return { status, isUnconfirmed };
}
