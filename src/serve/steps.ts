/** Work in steps: done at once by who has the time, and with pauses where others wait. */

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
