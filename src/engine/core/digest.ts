/** Decides whether a digest is due. Instants are epoch ms. */

/** A schedule that can be asked for its slots; null: there is none on that side. */
export interface Calendar {
  /** The last slot up to `at`, `at` itself included. */
  readonly latest: (at: number) => number | null;
  readonly next: (afterAt: number) => number | null;
}

export interface DigestSlotFacts {
  /** The slot that was sent last; null: none ever was. */
  readonly lastSlotAt: number | null;
  /** When this schedule was first seen: its slots before that are not sent. */
  readonly firstSeenAt: number;
  readonly nowAt: number;
}

export type SlotDecision =
  | { readonly kind: 'due'; readonly slotAt: number }
  | { readonly kind: 'wait'; readonly untilAt: number | null }
  /** What is remembered lies in the future, since the clock was wrong: everything up to now counts as done instead. */
  | { readonly kind: 'clock_was_ahead'; readonly doneAt: number };

/** A clock that is set back by less than this is only corrected. */
const correctionMs = 86_400_000;

/** Of the slots that were missed only the latest is due: its digest says what there is to say. */
export function slotDue(facts: DigestSlotFacts, calendar: Calendar): SlotDecision {
  const { lastSlotAt, firstSeenAt, nowAt } = facts;
  const doneAt = Math.max(lastSlotAt ?? -Infinity, firstSeenAt);
  if (doneAt > nowAt + correctionMs) return { kind: 'clock_was_ahead', doneAt: nowAt };
  const slotAt = calendar.latest(nowAt);
  if (slotAt !== null && slotAt > doneAt) return { kind: 'due', slotAt };
  return { kind: 'wait', untilAt: calendar.next(Math.max(doneAt, nowAt)) };
}
