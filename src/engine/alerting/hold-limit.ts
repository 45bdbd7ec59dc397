/** Limits how long a message may be held back: what was covered meanwhile does not count. */
import type { OutagePayload } from './events/outage-payload.ts';

/** The least time for which a failing upstream may hold its dependents back, whatever the group window. */
const leastPatienceMs = 60_000;

/** How long before its deadline a message leaves at the latest: a send takes a moment. */
const sendingMs = 5000;

/** How long a failing upstream that is not confirmed down holds a dependent back after the window of that, in ms. */
export function patienceMs(windowMs: number): number {
  return Math.max(windowMs, leastPatienceMs);
}

/**
 * How long a message may be held back after its outage was confirmed, in ms: an outage is named in a message within two
 * windows and a minute.
 */
export function holdLimitMs(windowMs: number): number {
  return 2 * windowMs + leastPatienceMs - sendingMs;
}

type Covered = Pick<OutagePayload, 'confirmedAt' | 'coveredMs' | 'coveredSinceAt'>;

/** When a message is sent at the latest, epoch ms, as long as nothing covers it from `nowAt` on. */
export function holdEndsAt(
  payload: Covered,
  { windowMs, nowAt }: { readonly windowMs: number; readonly nowAt: number },
): number {
  return payload.confirmedAt + coveredUntil(payload, nowAt) + holdLimitMs(windowMs);
}

/** When a message no longer waits for an upstream that fails and is not confirmed down, epoch ms. */
export function patienceEndsAt(
  payload: Covered,
  { windowMs, nowAt }: { readonly windowMs: number; readonly nowAt: number },
): number {
  const endsAt = payload.confirmedAt + coveredUntil(payload, nowAt) + windowMs + patienceMs(windowMs);
  return Math.min(endsAt, holdEndsAt(payload, { windowMs, nowAt }));
}

/**
 * What a payload remembers of being covered, from `nowAt` on: by a mute, by quiet hours, or by a message about an
 * upstream that named it.
 */
export function withCover(
  payload: Pick<OutagePayload, 'coveredMs' | 'coveredSinceAt'>,
  isCovered: boolean,
  nowAt: number,
): Pick<OutagePayload, 'coveredMs' | 'coveredSinceAt'> {
  if (isCovered) return { coveredMs: payload.coveredMs, coveredSinceAt: payload.coveredSinceAt ?? nowAt };
  return { coveredMs: coveredUntil(payload, nowAt), coveredSinceAt: null };
}

function coveredUntil(
  { coveredMs, coveredSinceAt }: Pick<OutagePayload, 'coveredMs' | 'coveredSinceAt'>,
  nowAt: number,
): number {
  return coveredMs + (coveredSinceAt === null ? 0 : Math.max(0, nowAt - coveredSinceAt));
}
