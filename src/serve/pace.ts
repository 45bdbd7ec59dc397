/** Keeps long work from holding everything else up. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long others may wait, in milliseconds. */
const patienceMs = 5;

/** What long work calls now and then: it resolves at once, or after the turn of others when that is due. */
export function paced(monotonic: () => number): () => Promise<void> {
  let turnAt = monotonic();
  return async () => {
    if (monotonic() - turnAt < patienceMs) return;
    await nextTurn();
    turnAt = monotonic();
  };
}
