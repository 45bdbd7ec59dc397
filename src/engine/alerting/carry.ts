/** Decides whether an outage carries on the acknowledgement of the one before, and which channels know of that one. */
import { copiesOf } from './copies.ts';
import { readRecovery } from './events/recovered.ts';
import { namedByOf } from './group.ts';
import type { QueuedRow } from './intent.ts';

/** An acknowledgement outlasts a recovery that is shorter than this. */
const outlastsMs = 600_000;

/** Whether what begins at `startedAt` follows soon enough on what ended at `endedAt`, both epoch ms. */
export function isCarriedOver(endedAt: number, startedAt: number): boolean {
  return startedAt - endedAt < outlastsMs;
}

/** The channels that were sent an outage, or may have been: alone, by the message about an upstream, or late. */
export function channelsTold(rows: readonly QueuedRow[]): readonly string[] {
  const told = rows.filter(({ event, state, payload }) => {
    if (event === 'recovered') return state === 'sent' && readRecovery(payload)?.isLate === true;
    if (event !== 'down' && event !== 'unknown') return false;
    return state === 'sent' || copiesOf(payload) !== null || namedByOf(payload) !== null;
  });
  return [...new Set(told.map(({ channel }) => channel))];
}
