/** The stored alerting state of a monitor, encoded and decoded. */
import { aNumber, fieldsOf, readAs } from '../core/decode.ts';
import { type Move, moveInstants } from '../core/clock-shift.ts';
import type { MonitorState } from './confirm/state.ts';
import { freshState, readState } from './confirm/state.ts';
import { freshStability, readStability, type Stability, stabilityFields } from './confirm/unstable.ts';
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
  /** Its checks of late, and whether it is unstable. */
  readonly stability: Stability;
}

/** What is written: a State with more keys, so that who wants the state alone can read it as one. */
export function documentOf({
  state,
  heardAt,
  burning,
  stability = freshStability,
}: Pick<MonitorMemory, 'state' | 'heardAt' | 'burning'> & Partial<Pick<MonitorMemory, 'stability'>>): Json {
  return { ...state, heardAt, burning, ...stabilityFields(stability) } as unknown as Json;
}

/** What was written, or the beginning where it cannot be read. */
export function readDocument(
  document: Json | undefined,
): Pick<MonitorMemory, 'state' | 'heardAt' | 'burning' | 'stability'> {
  const { heardAt, burning } = fieldsOf(document);
  return {
    state: readState(document) ?? freshState,
    heardAt: readAs(heardAt, aNumber),
    burning: burnRules
      .map(({ pace }) => pace)
      .filter((pace) => Array.isArray(burning) && burning.includes(pace)),
    stability: readStability(document),
  };
}

/** The same state on a clock that was set: its spans are what they were. */
export function movedState(state: MonitorState, move: Move): MonitorState {
  return moveInstants(state, { past: move, ahead: move }) as MonitorState;
}

/** The same of what is remembered of its checks. */
export function movedStability(stability: Stability, move: Move): Stability {
  return moveInstants(stability, { past: move, ahead: move }) as Stability;
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
