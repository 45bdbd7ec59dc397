/** Counts the copies of a message that went out whole without an answer: each may have been received. */
import { fieldsOf, numberIn, type PayloadJson, textIn } from './events/stored.ts';
import type { Retry } from './retry.ts';

/** What a delivery remembers of them. */
export interface Copies {
  /** The delivery id that they bore. */
  readonly as: string;
  /** At least 1. */
  readonly count: number;
}

/** In the life of an outage, or of whatever else the message is about. */
const mostCopies = 4;

const firstPauseMs = 30_000;

/** Null: no attempt ended without an answer. */
export function copiesOf(payload: PayloadJson): Copies | null {
  const fields = fieldsOf(fieldsOf(payload)['copies'] ?? null);
  const [as, count] = [textIn(fields, 'as'), numberIn(fields, 'count')];
  return as === null || count === null || count < 1 ? null : { as, count };
}

/** When the next copy goes out: after 30 s, then twice as long each time; none after the fourth. */
export function retryCopy({ count, nowAt }: { readonly count: number; readonly nowAt: number }): Retry {
  if (count >= mostCopies) return { kind: 'give_up' };
  return { kind: 'wait', untilAt: nowAt + firstPauseMs * 2 ** (count - 1) };
}
