/** Decides whether messages of one kind that are due on one channel are sent one by one or as one. */

/** Up to how many are sent one by one. */
export const fewEnough = 5;

/** How long the first of a storm waits for the others. */
const gatherMs = 5000;

export interface Storm {
  readonly nowAt: number;
  readonly windowMs: number;
  /** When each that can be sent was due, at least one. */
  readonly dueAts: readonly number[];
  /** When those of the same sort that still wait for their window are due. */
  readonly soonAts: readonly number[];
  /** When the channel last got a message about many; null: never. */
  readonly lastStormAt: number | null;
  /** One message named all of them, so one message ends what is ready of them. */
  readonly isOneGroup?: boolean;
  /** When the first of them is sent at the latest, whatever else could be gathered. */
  readonly limitAt: number;
}

export type Coalescing =
  | { readonly kind: 'one' }
  | { readonly kind: 'all' }
  | { readonly kind: 'hold'; readonly untilAt: number };

/** A channel gets at most one message about many in a window; with a window of 0 every monitor has its own. */
export function coalesce(storm: Storm): Coalescing {
  const { nowAt, windowMs, dueAts, soonAts, lastStormAt, limitAt } = storm;
  if (windowMs === 0) return { kind: 'one' };
  const firstDueAt = dueAts.reduce((first, at) => Math.min(first, at), Infinity);
  const gatheredAt = firstDueAt + Math.min(gatherMs, windowMs);
  const soon = soonAts.filter((at) => at > nowAt && at <= gatheredAt);
  const nextStormAt = lastStormAt === null ? -Infinity : lastStormAt + windowMs;
  const isOverLimit = nowAt >= limitAt;
  if (nowAt < nextStormAt && !isOverLimit) return { kind: 'hold', untilAt: Math.min(nextStormAt, limitAt) };
  if (dueAts.length + soon.length <= (storm.isOneGroup === true ? 1 : fewEnough)) return { kind: 'one' };
  if (soon.length === 0 || isOverLimit) return { kind: 'all' };
  return {
    kind: 'hold',
    untilAt: Math.min(
      soon.reduce((latest, at) => Math.max(latest, at), nowAt),
      limitAt,
    ),
  };
}
