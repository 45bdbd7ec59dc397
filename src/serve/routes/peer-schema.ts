/** The shapes in which peers are told. */
import { peerStatuses } from '../../engine/peers/rules/state.ts';
import { count, integer, listOf, object, oneOf, orNull, text } from './schema.ts';

export const peerState = oneOf(peerStatuses);

/** How many peers are in each state. */
export const peerCountsShape = object(Object.fromEntries(peerStatuses.map((state) => [state, count])));

export const peerShape = object({
  id: text,
  name: text,
  state: peerState,
  age: orNull(count),
  clock_skew_ms: orNull(integer),
  reason: orNull(text),
  seen_by: listOf(text),
});
