/** Moves stored instants when the clock is set, so that no span changes. */

/** The clock was set by `byMs`. Instants are epoch ms. */
export interface ClockShift {
  readonly byMs: number;
  /** What lies before was measured on another clock (before a long stop, say) and is left as it is. */
  readonly sinceAt: number;
  /** What the clock says now, after it was set: nothing that has happened lies later. */
  readonly at: number;
}

/** Where an instant lies on the new clock. Equal instants stay equal. */
export type Move = (instant: number) => number;

/** Of what has happened. */
export function movePast({ byMs, sinceAt, at }: ClockShift): Move {
  return (instant) => Math.max(0, Math.min(instant >= sinceAt ? instant + byMs : instant, at));
}

/** Of what lies ahead for something that was written down at `writtenAt`: as far ahead of the present as before. */
export function moveAhead({ byMs, sinceAt, at }: ClockShift, writtenAt: number): Move {
  const writtenThen = writtenAt >= sinceAt ? writtenAt + byMs : writtenAt;
  const fromTheFutureMs = Math.max(0, writtenThen - at);
  return (instant) => Math.max(0, (instant >= sinceAt ? instant + byMs : instant) - fromTheFutureMs);
}

/** Instants of the calendar: no clock of ours made them. */
const ofTheCalendar: readonly string[] = ['expiresAt', 'slotAt', 'fromAt', 'toAt'];

/** What is waited for, rather than what has happened. */
const waitedFor: readonly string[] = ['windowEndsAt', 'dueAt'];

/** A document with its instants moved: they are the numbers under names that end in `At`. */
export function moveInstants(
  document: unknown,
  how: { readonly past: Move; readonly ahead: Move },
  name = '',
): unknown {
  if (typeof document === 'number') return movedNumber(document, how, name);
  if (Array.isArray(document)) return document.map((each) => moveInstants(each, how));
  if (typeof document !== 'object' || document === null) return document;
  return Object.fromEntries(
    Object.entries(document).map(([key, value]) => [key, moveInstants(value, how, key)]),
  );
}

function movedNumber(
  value: number,
  how: { readonly past: Move; readonly ahead: Move },
  name: string,
): number {
  if (!name.endsWith('At') || ofTheCalendar.includes(name)) return value;
  return waitedFor.includes(name) ? how.ahead(value) : how.past(value);
}
