/** Limits how long a message may be held back: what was covered meanwhile does not count. */
import type { OutagePayload } from './events/outage-payload.ts';

/** The least that the limit is, whatever the group window. */
const leastLimitMs = 300_000;

/** How long a message may be held back after its outage was confirmed, in ms. */
export function holdLimitMs(windowMs: number): number {
  return Math.max(3 * windowMs, leastLimitMs);
}

/** When a message is sent at the latest, epoch ms, as long as nothing covers it from `nowAt` on. */
export function holdEndsAt(
  payload: Pick<OutagePayload, 'confirmedAt' | 'coveredMs' | 'coveredSinceAt'>,
  { windowMs, nowAt }: { readonly windowMs: number; readonly nowAt: number },
): number {
  return payload.confirmedAt + coveredUntil(payload, nowAt) + holdLimitMs(windowMs);
}

/**
 * What a payload remembers of being covered, from `nowAt` on: by a mute, or by a message about an upstream that was
 * sent, or is certain to be.
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
