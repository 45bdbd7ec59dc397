/** The system's clock, for tests that run against real processes, sockets and disks. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../src/engine/core/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal }).catch(() => {
      throw signal?.reason;
    });
  },
};
