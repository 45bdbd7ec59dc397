/** The stored alerting state of a monitor, encoded and decoded. */
import { aNumber, fieldsOf, readAs } from '../core/decode.ts';
import { type Move, moveInstants } from '../core/clock-shift.ts';
import type { MonitorState } from './confirm/state.ts';
import { freshState, readState } from './confirm/state.ts';
import { burnRules, type BurnRule } from '../core/slo.ts';
import type { Json } from '../../db/store/operation.ts';

export interface MonitorMemory {
  readonly firstSeenAt: number;
  readonly state: MonitorState;
  readonly uid: string | null;
  readonly heardAt: number | null;
  /** Since when its heartbeats are expected as they are now; null: since it was first seen. */
  readonly expectedAt: number | null;
  readonly burning: readonly BurnRule['pace'][];
}

/** What is written: a State with two more keys, so that who wants the state alone can read it as one. */
export function documentOf({
  state,
  heardAt,
  burning,
}: Pick<MonitorMemory, 'state' | 'heardAt' | 'burning'>): Json {
  return { ...state, heardAt, burning } as unknown as Json;
}

/** What was written, or the beginning where it cannot be read. */
export function readDocument(
  document: Json | undefined,
): Pick<MonitorMemory, 'state' | 'heardAt' | 'burning'> {
  const { heardAt, burning } = fieldsOf(document);
  return {
    state: readState(document) ?? freshState,
    heardAt: readAs(heardAt, aNumber),
    burning: burnRules
      .map(({ pace }) => pace)
      .filter((pace) => Array.isArray(burning) && burning.includes(pace)),
  };
}

/** The same state on a clock that was set: its spans are what they were. */
export function movedState(state: MonitorState, move: Move): MonitorState {
  return moveInstants(state, { past: move, ahead: move }) as MonitorState;
}

/** Whether the second says nothing that is worth a write after the first: a healthy monitor only grows older. */
export function isSameState(a: MonitorState, b: MonitorState): boolean {
  return (
    a.status === b.status &&
    a.failures === b.failures &&
    a.recoveries === b.recoveries &&
    a.slow === b.slow &&
    a.unknowns === b.unknowns &&
    a.blocked === b.blocked &&
    a.unchecked === b.unchecked &&
    a.incident === b.incident &&
    a.said === b.said &&
    a.degradation === b.degradation
  );
}
