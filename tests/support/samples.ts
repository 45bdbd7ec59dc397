/** Series of samples as a monitor makes them, for tests of the store. */
import type { StoredSample } from '../../src/db/samples/sample.ts';
import { randomOf } from './random.ts';

/** One hour of a check every minute: 85 ms give or take a tenth, one sample in a hundred slow, one in 300 down. */
export function realisticHour(seed: number, { jitterSecs }: { readonly jitterSecs: number }): StoredSample[] {
  const chance = randomOf(seed);
  const random = () => chance.below(2 ** 30) / 2 ** 30;
  const startSecs = (490_000 + seed) * 3600;
  return Array.from({ length: 60 }, (_, minute) => {
    const isDown = random() < 1 / 300;
    const noise = random() + random() + random() + random() - 2;
    const latencyMs = Math.round(85 * (1 + noise * 0.17) * (random() < 0.01 ? 5 : 1));
    return {
      at: (startSecs + minute * 60 + Math.floor(random() * (jitterSecs + 1))) * 1000,
      status: isDown ? 'down' : 'up',
      latencyMs: isDown ? null : latencyMs,
      holdSecs: 120,
      isHeartbeat: false,
    };
  });
}
