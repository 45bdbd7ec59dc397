/** Extends deadlines by the times at which this node was not listening. Instants are epoch ms. */
import { aNumber, readList, tuple } from '../../core/decode.ts';

/** A time in which a heartbeat may have been lost: this node was stopped, stood still or had no network. */
export interface ListeningGap {
  readonly fromAt: number;
  readonly toAt: number;
}

/** A deadline for something that is sent to this node. */
export interface ListeningDeadline {
  /** When it falls due. */
  readonly dueAt: number;
  /** When its absence means something; `dueAt` or later. */
  readonly endsAt: number;
  /** By when a healthy sender that lost a heartbeat in a gap until `toAt` has sent another one. */
  readonly sentAgainBy: (toAt: number) => number;
}

/** Older gaps than so many are forgotten, which makes a deadline earlier, never later. */
const mostGaps = 100;

/** After a gap, requests that arrived meanwhile still wait in their sockets for this long at most. */
const settleMs = 1000;

/**
 * When the absence means something, given `gaps` in their order. What fell due in a gap may be lost, so its sender has
 * the length of the gap and the grace from the end of the gap on. A gap that begins later, within the grace, adds its
 * length. Neither is more than a healthy sender needs to send again.
 */
export function extendDeadline(deadline: ListeningDeadline, gaps: readonly ListeningGap[]): number {
  const { dueAt, endsAt, sentAgainBy } = deadline;
  let extendedAt = endsAt;
  let settledAt = -Infinity;
  for (const { fromAt, toAt } of gaps) {
    if (toAt <= dueAt) continue;
    if (fromAt > extendedAt) break;
    const resumedAt = fromAt <= dueAt ? toAt + endsAt - dueAt : extendedAt;
    extendedAt = Math.max(extendedAt, Math.min(resumedAt + toAt - fromAt, sentAgainBy(toAt)));
    settledAt = toAt + settleMs;
  }
  return Math.max(extendedAt, settledAt);
}

/** The gaps with one more, in their order; those that touch are one. */
export function withGap(gaps: readonly ListeningGap[], gap: ListeningGap): readonly ListeningGap[] {
  if (gap.toAt <= gap.fromAt) return gaps;
  const isApart = ({ fromAt, toAt }: ListeningGap) => toAt < gap.fromAt || fromAt > gap.toAt;
  const joined = gaps
    .filter((each) => !isApart(each))
    .reduce(
      (whole, { fromAt, toAt }) => ({
        fromAt: Math.min(whole.fromAt, fromAt),
        toAt: Math.max(whole.toAt, toAt),
      }),
      gap,
    );
  return [...gaps.filter(isApart), joined].toSorted((a, b) => a.fromAt - b.fromAt).slice(-mostGaps);
}

/** The same gaps on a wall clock that was set by `byMs`. */
export function shiftGaps(gaps: readonly ListeningGap[], byMs: number): readonly ListeningGap[] {
  return gaps.map(({ fromAt, toAt }) => ({ fromAt: fromAt + byMs, toAt: toAt + byMs }));
}

const aPair = tuple([aNumber, aNumber]);

/** A stored list of pairs as gaps before `nowAt`; what cannot be read is left out. */
export function readGaps(document: unknown, nowAt: number): readonly ListeningGap[] {
  return readList(document, aPair).reduce(
    (gaps: readonly ListeningGap[], [fromAt, toAt]) => withGap(gaps, { fromAt, toAt: Math.min(toAt, nowAt) }),
    [],
  );
}
