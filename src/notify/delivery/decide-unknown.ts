/** Decides about messages on monitors that cannot be checked: one for all that share a cause, and one when it is over. */
import type { MonitorState } from '../../engine/monitoring/confirm/state.ts';
import type { OutagePayload } from '../../engine/alerting/events/outage-payload.ts';
import type { RecoveryPayload } from '../../engine/alerting/events/recovered.ts';
import { reasons } from '../../engine/alerting/reasons.ts';
import type { DeliveryDecision } from './decision.ts';
import type { DeliveryContext } from './context.ts';
import type { PendingDelivery } from './outbox-cache.ts';

/** How often a message that another one covers, or that a suspected network holds back, is decided again in any case. */
const againAfterMs = { sameCause: 300_000, nodeBlind: 10_000 } as const;

/** A check that was under way when the trouble began may say something for this long afterwards. */
const lastWordsMs = 60_000;

/**
 * A look at a monitor this fresh is enough to say that it still cannot be checked. When the network is back, nearly
 * every look is from before.
 */
const freshMs = { sameCause: 60_000, nodeBlind: 1000 } as const;

/** Monitors that are checked out of turn before a recovery, at once. */
const mostAsked = 200;

export interface UnknownMessage extends PendingDelivery {
  readonly monitor: string;
  readonly payload: OutagePayload;
}

/** Null: it can be sent. */
export function decideUnknown(
  { row, payload, monitor, hold }: UnknownMessage,
  context: DeliveryContext,
): DeliveryDecision | null {
  const { nowAt } = context;
  if (context.network().state !== 'ok') {
    const untilAt = nowAt + againAfterMs.nodeBlind;
    return { kind: 'hold', untilAt, hold: { reason: 'node_blind', by: null }, detail: reasons.node_blind };
  }
  const { ownFault } = payload;
  if (ownFault === null) return null;
  const knownAt = context.stateOf(monitor)?.knownAt ?? -Infinity;
  // What was checked after that message began had a different beginning, and is not what the message says.
  const covering = context
    .unknownGroups()
    .of(row.channel, ownFault)
    .find(({ startedAt }) => knownAt <= startedAt + lastWordsMs);
  if (covering !== undefined) {
    const untilAt = nowAt + againAfterMs.sameCause;
    return {
      kind: 'hold',
      untilAt,
      hold: { reason: 'same_cause', by: covering.id },
      detail: reasons.same_cause,
    };
  }
  const lookedAt = context.look(monitor).lookedAt ?? -Infinity;
  const isStale =
    (hold?.reason === 'same_cause' && lookedAt < nowAt - freshMs.sameCause) ||
    (hold?.reason === 'node_blind' && lookedAt < nowAt - freshMs.nodeBlind);
  return isStale ? { kind: 'ask', ids: [monitor], untilAt: Infinity } : null;
}

/** Before it is said what was found, the others of the group are checked too. Null: it can be sent. */
export function decideChecksAgain(
  recovery: RecoveryPayload,
  context: DeliveryContext,
): DeliveryDecision | null {
  if (recovery.causeGroup === null) return null;
  const unseen = context
    .unknownGroups()
    .uncheckedIn(recovery.causeGroup)
    .filter((id) => (context.look(id).lookedAt ?? -Infinity) < recovery.endedAt);
  return unseen.length === 0 ? null : { kind: 'ask', ids: unseen.slice(0, mostAsked), untilAt: Infinity };
}

/** Whether checks of a monitor fail because of `ownFault` at the moment, confirmed or not. */
export function isBlockedBy(state: MonitorState | null, ownFault: string): boolean {
  return state?.incident === null && state.blocked?.ownFault === ownFault;
}
