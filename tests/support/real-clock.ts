/** The system's clock, for tests that run against real processes and a real disk. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/engine/core/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  },
};
