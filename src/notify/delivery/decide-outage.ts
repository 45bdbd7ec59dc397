/** Decides about the alert of an outage: over, muted, in its window, overdue, part of an upstream's outage, or sent. */
import type { OutageEvent } from '../../engine/alerting/events/outage.ts';
import type { OutagePayload } from '../../engine/alerting/events/outage-payload.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { namedByOf } from '../../engine/alerting/group.ts';
import { knows } from '../../engine/alerting/escalate.ts';
import { stepOf } from '../../engine/alerting/events/added-by.ts';
import { late } from '../../engine/alerting/late.ts';
import { reasons } from '../../engine/alerting/reasons.ts';
import { muteOf } from '../../engine/core/mute.ts';
import type { DeliveryContext } from './context.ts';
import { gathered, isUnstable } from './decide-unstable.ts';
import { relievedBy, unroutedWhy } from './route-outage.ts';
import { decideBelow } from './decide-below.ts';
import { decideUnknown } from './decide-unknown.ts';
import { alone, type DeliveryDecision, foldedForMs, muted, suppress, wait } from './decision.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import { durationText, shownSpanMs } from '../../engine/core/duration.ts';

/** Instants of the record are whole seconds apart. */
const sameSecondMs = 1000;

/** An alert this much overdue is not sent before its monitor was checked again. */
const overdueMs = 60_000;

export function decideOutage(
  pending: PendingDelivery,
  event: OutageEvent,
  context: DeliveryContext,
): DeliveryDecision {
  const { row, outage: payload } = pending;
  if (payload === null || row.monitor === null) return suppress('unreadable');
  const about = { ...pending, payload, event, monitor: row.monitor };
  return (
    over(about, context) ??
    unrouted(about, context) ??
    acknowledged(about, context) ??
    offCall(about, context) ??
    muted(pending, event, context) ??
    gathered(about, context) ??
    windowed(about, context) ??
    overdue(about, context) ??
    (event === 'unknown' ? decideUnknown(about, context) : null) ??
    (event === 'down' || event === 'degraded' ? decideBelow({ ...about, event }, context) : null) ??
    alone(event)
  );
}

interface About extends PendingDelivery {
  readonly payload: OutagePayload;
  readonly event: OutageEvent;
  readonly monitor: string;
}

export function hasOpenIncident(
  { incident: uid }: PendingDelivery['row'],
  { incident }: DeliveryContext,
): boolean {
  const found = uid === null ? null : incident(uid);
  return found !== null && found.endedAt === null;
}

export function isOver(
  { row, monitor }: Pick<About, 'row' | 'monitor'>,
  { startedAt }: OutagePayload,
  context: DeliveryContext,
): boolean {
  if (row.event === 'down' || row.event === 'unknown') return !hasOpenIncident(row, context);
  if (row.event === 'unstable') return !isUnstable(row, monitor, context);
  const state = context.stateOf(monitor);
  return state !== null && state.degradation?.startedAt !== startedAt;
}

/** What is to be done when the outage is over already. */
function over(about: About, context: DeliveryContext): DeliveryDecision | null {
  const { row, payload, event, monitor } = about;
  if (event === 'degraded') return isOver(about, payload, context) ? suppress('over') : null;
  const ended = endOf(about, context);
  if (ended === null) return suppress('over');
  const { endedAt, startedAt } = ended;
  if (endedAt === null) return null;
  // The message about its upstream named it, so it has a recovery, not a late message.
  if (namedByOf(row.payload) !== null) return suppress('folded');
  // So it has if it may have been received.
  if (copiesOf(row.payload) !== null) return suppress('no_answer');
  const why = unroutedWhy(about, context.settings);
  if (why !== null) return suppress('not_routed', why);
  const { hold } = about;
  if (hold?.reason === 'acknowledged' || hold?.reason === 'off_call' || hold?.reason === 'unstable')
    return suppress(hold.reason);
  if (hold?.reason === 'quiet_hours' && context.settings.channels.get(row.channel)?.quiet === 'drop')
    return suppress('quiet_hours');
  // An outage may end in the second in which the mute does that held its message.
  const endedMuted = hold?.reason === 'muted' && endedAt <= row.nextAt + sameSecondMs;
  const wasMuted = endedMuted || muteOf(monitor, { ...context.situation, nowAt: endedAt }).kind === 'muted';
  const lateness = late({ payload, endedAt, attempts: row.attempts, wasMuted });
  if (lateness.kind === 'suppress') return lateness;
  const state = { down: 'was down', unknown: 'could not be checked for', unstable: 'was unstable for' }[
    event
  ];
  const detail = `It ${state} ${durationText(shownSpanMs(startedAt, endedAt))} and could not be sent while it lasted.`;
  return { kind: 'late', endedAt, detail };
}

/** When what a message is about began, and when it ended (null: it lasts); null: nothing is known of it. */
function endOf(
  { row, payload, event, monitor }: About,
  context: DeliveryContext,
): { readonly startedAt: number; readonly endedAt: number | null } | null {
  if (event !== 'unstable') return row.incident === null ? null : context.incident(row.incident);
  const { startedAt, confirmedAt } = payload;
  if (isUnstable(row, monitor, context)) return { startedAt, endedAt: null };
  return { startedAt, endedAt: context.stabilityOf(monitor).endedAt ?? confirmedAt };
}

/** The channel left the route. The message waits, for a later load may lead there again while the outage lasts. */
function unrouted(about: About, { nowAt, settings }: DeliveryContext): DeliveryDecision | null {
  const why = copiesOf(about.row.payload) === null ? unroutedWhy(about, settings) : null;
  return why === null ? null : wait({ reason: 'not_routed', by: null }, why, nowAt);
}

/** Nobody else is notified of what is acknowledged. It waits, for an acknowledgement can be withdrawn. */
function acknowledged(
  { row, hold, event, monitor, payload }: About,
  { incident, outagesSince, nowAt }: DeliveryContext,
): DeliveryDecision | null {
  if (copiesOf(row.payload) !== null) return null;
  // Whose turn was over before it could be sent is someone else, too, when the next turn comes.
  const isLater = stepOf(row) !== null || hold?.reason === 'off_call' || hold?.reason === 'acknowledged';
  if (!isLater || row.incident === null) return null;
  // An unstable time has no incident of its own: who acknowledges one of its outages takes care of all of it.
  const outages = event === 'unstable' ? outagesSince(monitor, payload.startedAt) : [incident(row.incident)];
  if (outages.every((outage) => (outage?.acknowledged ?? null) === null)) return null;
  return wait({ reason: 'acknowledged', by: null }, reasons.acknowledged, nowAt);
}

/** What was not sent before the turn ended is for who is on call now. */
function offCall({ row, event, monitor }: About, context: DeliveryContext): DeliveryDecision | null {
  if (event === 'degraded' || row.incident === null || copiesOf(row.payload) !== null) return null;
  const relief = relievedBy({ channel: row.channel, monitor }, context);
  if (relief === null || !knows(context.alertsOf(row.incident, event), relief.by)) return null;
  const { by, untilAt } = relief;
  return {
    kind: 'hold',
    untilAt: Math.min(untilAt, context.nowAt + foldedForMs),
    hold: { reason: 'off_call', by },
    detail: `${by} is on call now, and is notified instead of ${row.channel}.`,
    isCovered: true,
  };
}

/** A mute may be lifted while the window is still open. */
function windowed({ payload, hold }: About, { nowAt }: DeliveryContext): DeliveryDecision | null {
  if (nowAt >= payload.windowEndsAt || hold?.reason === 'upstream_failing') return null;
  return {
    kind: 'hold',
    untilAt: payload.windowEndsAt,
    hold: { reason: 'window', by: null },
    detail: reasons.window,
  };
}

/** After a stop, or a long mute under one, the outage may be over unseen. */
export function overdue(
  { row, event, monitor }: Pick<About, 'row' | 'monitor'> & { readonly event: OutageEvent | 'reminder' },
  { nowAt, startedAt, look }: DeliveryContext,
): DeliveryDecision | null {
  if (event === 'degraded') return null;
  const lookedAt = look(monitor).lookedAt ?? -Infinity;
  const isOverdue = nowAt - row.nextAt > overdueMs && lookedAt < row.nextAt;
  const isFromBefore = nowAt - lookedAt > overdueMs && lookedAt < startedAt;
  return isOverdue || isFromBefore ? { kind: 'ask', ids: [monitor], untilAt: Infinity } : null;
}
