/** Brings the remembered state of a monitor in line with the incident record after a start. */
import type { OpenIncident, OpenUnknown, MonitorState } from './state.ts';

/** What the record has open: an outage, or, with a fault of this host as its cause, a monitor that cannot be checked. */
export interface RecordedIncident extends OpenIncident {
  readonly ownFault?: string | null;
}

/**
 * The state to go on with, where `open` is the incident the record has open for the monitor (null: none). The
 * record wins, so that a monitor never has two open incidents.
 *
 * An incident the state does not know is attached, and since nothing is known of the streaks that led to it, the
 * next answer closes it, whatever recover_threshold says. One that only the state knows is let go, but not the
 * failures: the next failed check opens it anew. The same goes for a monitor that cannot be checked.
 */
export function resume(remembered: MonitorState, open: RecordedIncident | null): MonitorState {
  const ownFault = open?.ownFault ?? null;
  if (open !== null && ownFault !== null) return resumeUnchecked(remembered, { ...open, ownFault });
  const state = remembered.unchecked === null ? remembered : { ...remembered, unchecked: null };
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

function resumeUnchecked(
  state: MonitorState,
  { startedAt, confirmedAt, ownFault }: OpenUnknown,
): MonitorState {
  const { unchecked } = state;
  if (unchecked?.startedAt === startedAt && unchecked.confirmedAt === confirmedAt) return state;
  return {
    ...state,
    status: 'unknown',
    incident: null,
    recoveries: state.degradation === null ? 0 : state.recoveries,
    unchecked: { startedAt, confirmedAt, ownFault },
  };
}
