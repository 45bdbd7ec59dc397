/** Shares of time, per mille, never rounded up. */
import type { ByStatus } from '../samples/tally.ts';

/** Seconds in which the status was known: the whole that uptime is a share of. */
function knownSecs(secs: Readonly<ByStatus>): number {
  return secs.up + secs.degraded + secs.down;
}

/**
 * Known seconds that were not down, in `parts` of the whole (1000: per mille, 10 000: percent with two decimals);
 * null when nothing is known. Cut and never rounded: 99.996 % is 9999 of 10 000, and one second down is never 100 %.
 */
export function uptimeShare(secs: Readonly<ByStatus>, parts = 1000): number | null {
  const known = knownSecs(secs);
  return known === 0 ? null : Math.floor(((known - secs.down) * parts) / known);
}

/** Known seconds as a share of a span of `spanSecs`, cut likewise. */
export function coverageShare(secs: Readonly<ByStatus>, spanSecs: number, parts = 1000): number {
  if (spanSecs <= 0) return 0;
  return Math.min(parts, Math.floor((knownSecs(secs) * parts) / spanSecs));
}
