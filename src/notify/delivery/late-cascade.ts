/**
 * Finds the late messages of one cascade: a channel that was not notified while it lasted gets one message about all
 * of it.
 */
import type { IncidentRow } from '../../db/tables/incidents.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { messageOf } from '../../engine/alerting/copies.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import { wereOpenTogether } from './contents.ts';
import type { DeliveryContext } from './context.ts';
import { decide } from './decide.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import { intentsOf, type Ready } from './plan.ts';

/**
 * Those of `lates` that belong to the cascade of `first`, with the message about its root cause at the head. Only what
 * was part of the outage of the root, and lay in it at some time, is named by that message.
 */
export function cascadeOf(
  first: Ready,
  lates: readonly Ready[],
  context: Pick<DeliveryContext, 'incident'>,
): [Ready, ...Ready[]] {
  const incidents = new Map(lates.map((late) => [late, incidentOf(late, context)]));
  const covers = (root: Ready, late: Ready) =>
    isNamedBy(incidents.get(late) ?? null, incidents.get(root) ?? null);
  const roots = lates.filter((late) => !lates.some((other) => covers(other, late)));
  const root = roots.find((each) => covers(each, first)) ?? first;
  return [root, ...lates.filter((late) => late !== root && covers(root, late))];
}

function incidentOf(
  { row }: Pick<Ready, 'row'>,
  { incident }: Pick<DeliveryContext, 'incident'>,
): IncidentRow | null {
  return row.incident === null ? null : incident(row.incident);
}

/**
 * The late messages that wait because the channel refused them, and could go with others now: one about a whole cascade
 * has to be complete.
 */
export function refusedLates(waiting: readonly PendingDelivery[], context: DeliveryContext): Ready[] {
  return waiting.flatMap((pending): Ready[] => {
    const { row } = pending;
    if (row.event !== 'recovered' || !isRefused(pending) || readRecovery(row.payload)?.isLate !== true)
      return [];
    const decision = decide(pending, context);
    return decision.kind === 'send' ? [{ ...pending, ...decision }] : [];
  });
}

/** What people are to read before a late message of a cascade. */
export type Before =
  /** The message about the root cause, which lasts. */
  | { readonly kind: 'send'; readonly root: Ready }
  /** That one has become late, too: they are one message, once this is written. */
  | { readonly kind: 'late'; readonly intents: readonly Intent[] };

/** What the channel refused of the root cause of what `late` is about; null: nothing, or something holds it back. */
export function beforeLate(
  late: Ready,
  waiting: readonly PendingDelivery[],
  context: DeliveryContext,
): Before | null {
  const own = incidentOf(late, context);
  const root = waiting.find(
    (pending) =>
      pending.row.event === 'down' && isRefused(pending) && isNamedBy(own, incidentOf(pending, context)),
  );
  if (root === undefined) return null;
  const decision = decide(root, context);
  if (decision.kind === 'send') return { kind: 'send', root: { ...root, ...decision } };
  return decision.kind === 'late' ? { kind: 'late', intents: intentsOf(root, decision, context) } : null;
}

/** Whether the channel refused it without a wish for a pause. */
function isRefused({ row, hold }: PendingDelivery): boolean {
  return hold?.reason === 'channel_failed' && hold.by === null && messageOf(row.payload) === null;
}

function isNamedBy(dependent: IncidentRow | null, root: IncidentRow | null): boolean {
  if (dependent === null || root?.impacted.includes(dependent.monitor) !== true) return false;
  return wereOpenTogether(root, dependent);
}
