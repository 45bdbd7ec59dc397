/** Work in steps: done at once by who has the time, and with pauses where others wait. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is made in the end; between two steps nothing is half done. */
export type Steps<Made> = Generator<undefined, Made, undefined>;

export function atOnce<Made>(steps: Steps<Made>): Made {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** `breathe` lets others have their turn when it is time. */
export async function withPauses<Made>(steps: Steps<Made>, yieldTurn: () => Promise<void>): Promise<Made> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yieldTurn();
  }
}

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
