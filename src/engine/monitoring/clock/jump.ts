/** Distinguishes a clock that was set from a machine that slept. All spans in ms. */

/** What the clocks of the machine say at one moment. */
export interface ClockReading {
  readonly monotonicMs: number;
  /** The wall clock, epoch ms. */
  readonly wallAt: number;
  /** How long the machine has been up, a suspend included; null: not known. */
  readonly uptimeMs: number | null;
}

export interface ClockJump {
  /** The machine slept: this much time passed that the monotonic clock did not count. */
  readonly sleptMs: number;
  /** The wall clock was set by this. */
  readonly setByMs: number;
}

/** A clock this far off is more than a busy moment or a slow drift. */
export const toleratedMs = 2000;

/** Some systems give the uptime in whole seconds. */
const uptimeGrainMs = 1000;

/** What happened, when the wall clock moved by `byMs` against the monotonic one since `before`. */
export function jumpBetween(before: ClockReading, now: ClockReading, byMs: number): ClockJump {
  const sleptMs = sleptBetween(before, now);
  if (byMs <= 0 || sleptMs <= toleratedMs) return { sleptMs: 0, setByMs: byMs };
  const setByMs = byMs - sleptMs;
  return Math.abs(setByMs) <= toleratedMs + uptimeGrainMs
    ? { sleptMs: byMs, setByMs: 0 }
    : { sleptMs, setByMs };
}

function sleptBetween(before: ClockReading, now: ClockReading): number {
  if (before.uptimeMs === null || now.uptimeMs === null) return 0;
  return now.uptimeMs - before.uptimeMs - (now.monotonicMs - before.monotonicMs);
}
