/** Decides about the alert of an outage: over, muted, in its window, overdue, part of an upstream's outage, or sent. */
import type { OutageEvent } from '../../engine/alerting/events/outage.ts';
import type { OutagePayload } from '../../engine/alerting/events/outage-payload.ts';
import { causesOf, fold, type FoldFacts, type Folding, type Outage } from '../../engine/alerting/fold.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { namedByOf } from '../../engine/alerting/group.ts';
import { holdEndsAt } from '../../engine/alerting/hold-limit.ts';
import { knows } from '../../engine/alerting/escalate.ts';
import { stepOf } from '../../engine/alerting/events/added-by.ts';
import { late } from '../../engine/alerting/late.ts';
import { reasons } from '../../engine/alerting/reasons.ts';
import { upstreams } from '../../engine/core/graph.ts';
import { instantText } from '../../engine/core/instant.ts';
import { inWords } from '../../engine/core/words.ts';
import { muteOf } from '../../engine/core/mute.ts';
import type { DeliveryContext } from './context.ts';
import { gathered, isUnstable } from './decide-unstable.ts';
import { relievedBy, unroutedWhy } from './route-outage.ts';
import { decideUnknown } from './decide-unknown.ts';
import { alone, type DeliveryDecision, foldedForMs, muted, suppress, wait } from './decision.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import { durationText, shownSpanMs } from '../../engine/core/duration.ts';

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
    (event === 'unstable' ? alone(event) : null) ??
    (event === 'unknown' ? (decideUnknown(about, context) ?? alone(event)) : folded(about, context))
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
  const wasMuted = muteOf(monitor, { ...context.situation, nowAt: endedAt }).kind === 'muted';
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

function folded(about: About, context: DeliveryContext): DeliveryDecision {
  const { row, payload, event, monitor, hold } = about;
  const { graph, windowMs } = context.settings;
  const { nowAt, look, recoveredAt, sinceRecovery } = context;
  const isHeld = hold?.reason === 'folded' || hold?.reason === 'upstream_due';
  const outages = context.outages();
  const outage = event === 'down' ? outages.get(monitor) : degradationOf(about);
  if (outage === undefined) return alone(event);
  const looks = { look: event === 'down' ? look : neverSuspect, recoveredAt, sinceRecovery };
  const foldFacts = { graph, outages, windowMs, nowAt, ...looks };
  const limitAt = holdEndsAt(payload, { windowMs, nowAt });
  const heldFor = (isHeld ? hold.by : payload.renewedAfter)?.split(' ')[0] ?? null;
  const folding = fold({ outage, channel: row.channel, isHeld, heldFor, limitAt }, foldFacts);
  return decisionOf(folding, { about, outage, facts: context, foldFacts });
}

interface Folded {
  readonly about: About;
  readonly outage: Outage;
  readonly facts: DeliveryContext;
  readonly foldFacts: FoldFacts;
}

function decisionOf(folding: Folding, { about, outage, facts, foldFacts }: Folded): DeliveryDecision {
  const nameOf = (id: string) => facts.settings.names.get(id) ?? id;
  switch (folding.kind) {
    case 'send':
      return { kind: 'send', event: about.event, cause: folding.cause, reason: folding.reason };
    case 'ask':
      return { kind: 'ask', ids: folding.ids, untilAt: folding.untilAt };
    case 'fold':
      return {
        kind: 'hold',
        untilAt: facts.nowAt + foldedForMs,
        hold: { reason: 'folded', by: folding.into.join(' ') },
        detail: `The message about ${folding.into.map(nameOf).join(', ')}, which it depends on, covers it.`,
        causes: causesOf(outage, foldFacts),
        isCovered: true,
      };
    case 'await':
      return {
        kind: 'hold',
        untilAt: folding.untilAt,
        hold: { reason: 'upstream_due', by: folding.by.join(' ') },
        detail: `${folding.by.map(nameOf).join(', ')}, which it depends on, is down too: it waits for the message about that.`,
        causes: causesOf(outage, foldFacts),
      };
    case 'hold':
      return {
        kind: 'hold',
        untilAt: folding.untilAt,
        hold: { reason: 'upstream_failing', by: folding.by },
        detail: `${nameOf(folding.by)}, which it depends on, is failing too: it waits to see whether that is the cause.`,
        isNewWindow: true,
      };
    case 'renew':
      return afterRecovery(
        `it is still ${about.event}, and is sent after a window of its own, ${durationText(facts.settings.windowMs)}.`,
        folding,
        { about, facts },
      );
    case 'watch':
      return {
        ...afterRecovery(
          folding.heardBy === null
            ? 'it answers, and the next checks show whether it did too.'
            : `the next heartbeat, due by ${instantText(folding.heardBy)}, shows whether it did too.`,
          folding,
          { about, facts },
        ),
        mayBeOver: true,
      };
  }
}

/** It is held for another window because its upstream recovered; `state`: what is known of it meanwhile. */
function afterRecovery(
  state: string,
  { untilAt }: { readonly untilAt: number },
  { about, facts }: Pick<Folded, 'about' | 'facts'>,
): Extract<DeliveryDecision, { readonly kind: 'hold' }> {
  const { hold, payload, monitor } = about;
  const isHeldBy = hold?.reason === 'folded' || hold?.reason === 'upstream_due';
  const by = (isHeldBy ? hold.by : null) ?? payload.renewedAfter;
  const { graph, names } = facts.settings;
  const ended = upstreams(graph, monitor).filter((id) => (facts.recoveredAt(id) ?? 0) > payload.startedAt);
  const recovered = (by?.split(' ') ?? ended).filter((id) => !facts.outages().has(id));
  const what =
    recovered.length === 0
      ? 'Nothing covers it any more'
      : `${inWords(recovered.map((id) => names.get(id) ?? id))} recovered`;
  return {
    kind: 'hold',
    untilAt,
    hold: { reason: 'window', by: null },
    detail: `${what}; ${state}`,
    isNewWindow: true,
    renewedAfter: by,
  };
}

function degradationOf({ row, payload, monitor }: About): Outage {
  return {
    uid: row.incident ?? row.deliveryId,
    monitor,
    startedAt: payload.startedAt,
    windowEndsAt: payload.windowEndsAt,
    isNotifiedAlone: row.attempts > 0,
    channels: new Map(),
  };
}

/** A degraded monitor is folded into what is down, but does not wait to see what else fails. */
function neverSuspect() {
  return { failingSinceAt: null, lookedAt: Infinity };
}
