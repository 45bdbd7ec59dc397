/** What a long test says: one line a promise, and whether all were kept. */

export interface SoakReport {
  /** `wrong`: what broke the promise. */
  readonly printResult: (promise: string, numbers: string, wrong: readonly string[]) => void;
  /** 1 when a promise was broken. */
  readonly exitCode: () => 0 | 1;
}

export function openSoakReport(): SoakReport {
  let isWell = true;
  return {
    printResult: (promise, numbers, wrong) => {
      const verdict = wrong.length === 0 ? 'ok' : `FAIL (${wrong.length}): ${wrong[0] ?? ''}`;
      console.log(`${promise}  ${numbers}  ${verdict}`);
      if (wrong.length > 0) isWell = false;
    },
    exitCode: () => (isWell ? 0 : 1),
  };
}
