/**
 * Decides whether a monitor is unstable: down half of the time and back again and again, or told down three times in half
 * an hour. A long outage alone never is, because the monitor does not come back in it. Instants are epoch ms.
 */
import { aCount, aNumber, document, fieldsOf, orNull, readAs, readList } from '../../core/decode.ts';

/** Checks of a minute, or of one interval where that is longer. */
interface CheckSlot {
  /** The first check of it. */
  readonly startAt: number;
  readonly checks: number;
  readonly failed: number;
  /** Confirmed outages that ended in it. */
  readonly recoveries: number;
}

/** The time in which a monitor is unstable. */
export interface UnstableEpisode {
  /** About when it began to fail. */
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** The last check of an outage, or the last one that says nothing of the target. */
  readonly troubleAt: number;
  /** The confirmed outages in it. */
  readonly outages: number;
}

/** What is remembered of the checks of a monitor, at most half an hour or ten intervals. */
export interface Stability {
  /** Since when checks are counted without a longer pause; null: none was counted. */
  readonly sinceAt: number | null;
  /** Oldest first. */
  readonly slots: readonly CheckSlot[];
  readonly unstable: UnstableEpisode | null;
  /** When the last episode was over; null: there was none. */
  readonly endedAt: number | null;
}

export const freshStability: Stability = { sinceAt: null, slots: [], unstable: null, endedAt: null };

/** One check, as confirming judged it. */
export interface JudgedCheck {
  readonly at: number;
  /** Null: it says nothing of the target. */
  readonly isFailed: boolean | null;
  /** Whether an outage is open after it. */
  readonly isDown: boolean;
  readonly hasOpened: boolean;
  readonly hasRecovered: boolean;
}

export interface StabilityFacts {
  /** The setting, which a window of 0 turns off. */
  readonly isOn: boolean;
  readonly intervalMs: number;
  /** Whether a silence or maintenance covers the monitor. */
  readonly isMuted: () => boolean;
  /** What is remembered of everything that the monitor depends on. */
  readonly upstreams: () => readonly Stability[];
  /** How many outages of it, of no upstream, were told since an instant. */
  readonly toldSince: (at: number) => number;
}

/** What makes a monitor unstable. */
interface Instability {
  /** Null: what counts is how often it was told down. */
  readonly downPercent: number | null;
  readonly outages: number;
  /** The time that the two are about. */
  readonly spanMs: number;
}

export interface Followed {
  readonly stability: Stability;
  /** Whether it became unstable, or is no longer, with this check; null: neither. */
  readonly news:
    | { readonly kind: 'began'; readonly episode: UnstableEpisode; readonly found: Instability }
    | { readonly kind: 'ended'; readonly episode: UnstableEpisode }
    | null;
}

const slotMs = 60_000;
const slotsInWindow = 10;
/** Of ten checks at least half. */
const leastFailed = 5;
const leastRecoveries = 3;
const told = { least: 3, withinMs: 1_800_000 };

/** An outage of an unstable monitor that lasts this long is told all the same. */
export const toldAllTheSameMs = 300_000;

/** The time over which checks are counted: ten minutes or ten checks, whichever is longer. */
export function windowMsOf(intervalMs: number): number {
  return slotsInWindow * Math.max(slotMs, intervalMs);
}

/** How long it has to be quiet to be stable again: 15 minutes or 15 checks, whichever is longer. */
export function quietMsOf(intervalMs: number): number {
  return windowMsOf(intervalMs) * 1.5;
}

/** Whether nothing failed in what is remembered, so that it is not worth a write. */
export function isCalm({ slots, unstable }: Stability): boolean {
  return unstable === null && slots.every(({ failed, recoveries }) => failed + recoveries === 0);
}

/** What is remembered after a check. Checks count in the order they are given. */
export function followStability(before: Stability, check: JudgedCheck, facts: StabilityFacts): Followed {
  const { at, isFailed, isDown, hasOpened, hasRecovered } = check;
  const { unstable } = before;
  // Silences are looked up only where they may matter: a healthy check of a monitor that was healthy all along is counted.
  const isMuted = (isFailed === true || !isCalm(before)) && facts.isMuted();
  // Time in which nothing is known of the target, or in which nobody wants to know, is not quiet.
  if (isFailed === null || isMuted)
    return {
      stability: unstable === null ? before : { ...before, unstable: { ...unstable, troubleAt: at } },
      news: null,
    };
  const counted = countedIn(before, check, facts.intervalMs);
  if (unstable === null) return mayBegin(counted, check, facts);
  const isTrouble = isDown || hasRecovered || isAfterPause(before, at, facts.intervalMs);
  const episode = {
    ...unstable,
    troubleAt: isTrouble ? at : Math.min(unstable.troubleAt, at),
    outages: unstable.outages + (hasOpened ? 1 : 0),
  };
  if (isTrouble || isFailed || at - episode.troubleAt < quietMsOf(facts.intervalMs))
    return { stability: { ...counted, unstable: episode }, news: null };
  return {
    stability: { ...freshStability, sinceAt: at, endedAt: at },
    news: { kind: 'ended', episode },
  };
}

function mayBegin(counted: Stability, check: JudgedCheck, facts: StabilityFacts): Followed {
  const found = facts.isOn ? instabilityOf(counted, check, facts) : null;
  if (found === null) return { stability: counted, news: null };
  const { at } = check;
  const first = counted.slots.find(({ startAt, failed }) => failed > 0 && startAt > at - found.spanMs);
  const episode = {
    startedAt: Math.min(first?.startAt ?? at, at),
    confirmedAt: at,
    troubleAt: at,
    outages: found.outages,
  };
  return { stability: { ...counted, unstable: episode }, news: { kind: 'began', episode, found } };
}

function countedIn(
  { sinceAt, slots, ...rest }: Stability,
  { at, isFailed, hasRecovered }: JudgedCheck,
  intervalMs: number,
): Stability {
  const lengthMs = Math.max(slotMs, intervalMs);
  const windowMs = windowMsOf(intervalMs);
  const last = slots.at(-1);
  const isNew = last === undefined || at - last.startAt >= lengthMs;
  const slot = isNew ? { startAt: at, checks: 0, failed: 0, recoveries: 0 } : last;
  const grown = {
    startAt: slot.startAt,
    checks: slot.checks + 1,
    failed: slot.failed + (isFailed === true ? 1 : 0),
    recoveries: slot.recoveries + (hasRecovered ? 1 : 0),
  };
  const earlier = isNew ? slots : slots.slice(0, -1);
  const fromAt = at - Math.max(windowMs, told.withinMs);
  const kept = earlier.findIndex(
    ({ startAt, failed, recoveries }) =>
      startAt > (failed + recoveries > 0 ? fromAt : at - windowMs) && startAt <= at,
  );
  const hasPaused = last !== undefined && at - last.startAt > windowMs;
  return {
    ...rest,
    sinceAt: hasPaused ? at : Math.min(sinceAt ?? at, at),
    slots: [...(kept === -1 ? [] : earlier.slice(kept)), grown],
  };
}

/** Nothing was counted for so long that it is not known whether it was quiet. */
function isAfterPause({ slots }: Stability, at: number, intervalMs: number): boolean {
  const lastAt = slots.at(-1)?.startAt ?? at;
  return at - lastAt > 3 * Math.max(slotMs, intervalMs);
}

/** Null: it is not unstable. */
function instabilityOf(
  { sinceAt, slots, endedAt }: Stability,
  { at, isDown, hasOpened, hasRecovered }: JudgedCheck,
  { intervalMs, upstreams, toldSince }: StabilityFacts,
): Instability | null {
  const windowMs = windowMsOf(intervalMs);
  const lengthMs = Math.max(slotMs, intervalMs);
  const isOften = (recent: readonly CheckSlot[]) => {
    const { checks, failed, recoveries } = sumOf(recent);
    return failed >= leastFailed && 2 * failed >= checks && recoveries >= leastRecoveries;
  };
  const recent = slots.filter(({ startAt }) => startAt > at - windowMs);
  const isWholeWindow = sinceAt !== null && sinceAt <= at - windowMs;
  if (isWholeWindow && isOften(recent)) {
    const above = upstreams();
    const own = recent.filter((slot) => !isExplained(slot, lengthMs, above));
    const { checks, failed, recoveries } = sumOf(own);
    if (above.every(({ unstable }) => unstable === null) && isOften(own))
      return {
        downPercent: Math.round((100 * failed) / checks),
        outages: recoveries + (isDown ? 1 : 0),
        spanMs: windowMs,
      };
  }
  if (!hasOpened && !hasRecovered) return null;
  const outages = toldSince(Math.max(at - told.withinMs, endedAt ?? 0));
  if (outages < told.least || upstreams().some(({ unstable }) => unstable !== null)) return null;
  return { downPercent: null, outages, spanMs: told.withinMs };
}

function sumOf(slots: readonly CheckSlot[]): Omit<CheckSlot, 'startAt'> {
  return slots.reduce(
    (sum, { checks, failed, recoveries }) => ({
      checks: sum.checks + checks,
      failed: sum.failed + failed,
      recoveries: sum.recoveries + recoveries,
    }),
    { checks: 0, failed: 0, recoveries: 0 },
  );
}

/** Whether an upstream failed about when checks of this slot failed: what fails with it says nothing of the monitor itself. */
function isExplained(slot: CheckSlot, lengthMs: number, upstreams: readonly Stability[]): boolean {
  return upstreams.some(({ slots }) =>
    slots.some(({ startAt, failed }, index) => {
      const endAt = slots[index + 1]?.startAt ?? startAt + lengthMs;
      return failed > 0 && startAt < slot.startAt + 2 * lengthMs && endAt > slot.startAt - lengthMs;
    }),
  );
}

const aSlot = document({ startAt: aNumber, checks: aCount, failed: aCount, recoveries: aCount });
const anEpisode = document({ startedAt: aNumber, confirmedAt: aNumber, troubleAt: aNumber, outages: aCount });

/** What a stored document of a monitor says of it; what cannot be read begins anew. */
export function readStability(stored: unknown): Stability {
  const { countedSinceAt, checkSlots, unstable, unstableEndedAt } = fieldsOf(stored);
  return {
    sinceAt: readAs(countedSinceAt, aNumber),
    slots: readList(checkSlots, aSlot),
    unstable: readAs(unstable, orNull(anEpisode)),
    endedAt: readAs(unstableEndedAt, aNumber),
  };
}

/** The keys of it in the stored document of a monitor. */
export function stabilityFields({ sinceAt, slots, unstable, endedAt }: Stability) {
  return { countedSinceAt: sinceAt, checkSlots: slots, unstable, unstableEndedAt: endedAt };
}
