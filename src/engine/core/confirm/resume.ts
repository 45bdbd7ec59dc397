/** Brings the remembered state of a monitor in line with the incident record after a start. */
import type { OpenIncident, State } from './state.ts';

/**
 * The state to go on with, where `open` is the incident the record has open for the monitor (null: none). The
 * record wins, so that a monitor never has two open incidents.
 *
 * An incident the state does not know is attached, and since nothing is known of the streaks that led to it, the
 * next answer closes it, whatever recover_threshold says. One that only the state knows is let go, but not the
 * failures: the next failed check opens it anew.
 */
export function resume(state: State, open: OpenIncident | null): State {
  const { incident } = state;
  if (open === null) {
    if (incident === null) return state;
    return {
      ...state,
      incident: null,
      recoveries: 0,
      status: state.failures === null ? 'unknown' : 'degraded',
    };
  }
  const { startedAt, confirmedAt } = open;
  if (incident?.startedAt === startedAt && incident.confirmedAt === confirmedAt) return state;
  return {
    ...state,
    status: 'down',
    recoveries: 0,
    slow: null,
    degradation: null,
    incident: { startedAt, confirmedAt, isReattached: true },
  };
}
