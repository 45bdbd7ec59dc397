/** Decides what is to become of one delivery now: mute, fold, late, or send. */
import { durationText } from '../../engine/core/duration.ts';
import { eventNames, isPeerEvent, type EventName } from '../../engine/alerting/event-names.ts';
import { causesOf, fold, type Folding, type FoldFacts } from '../../engine/alerting/fold.ts';
import { namedByOf } from '../../engine/alerting/group.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { holdEndsAt } from '../../engine/alerting/hold-limit.ts';
import { late } from '../../engine/alerting/late.ts';
import { mute } from '../../engine/alerting/mute.ts';
import type { Outage } from '../../engine/alerting/outage.ts';
import type { OutagePayload } from '../../engine/alerting/payload.ts';
import { reasons } from '../../engine/alerting/reasons.ts';
import { muteOf } from '../../engine/core/mute.ts';
import { numberIn, fieldsOf, readRecovery, severityOf, textIn } from '../../engine/alerting/payload.ts';
import { keepWithoutChannel } from '../../engine/alerting/keep.ts';
import { alone, type DeliveryDecision, suppress } from './decision.ts';
import { decideChecksAgain, decideUnknown } from './decide-unknown.ts';
import type { DeliveryContext } from './context.ts';
import type { PendingDelivery } from './outbox-cache.ts';

/** What waits for an outage is looked at again when an incident opens or closes; this often in any case. */
const foldedForMs = 3_600_000;

/** A message this much overdue is not sent before somebody looked whether it is still true. */
const overdueMs = 60_000;

export function decide(pending: PendingDelivery, context: DeliveryContext): DeliveryDecision {
  const { row } = pending;
  const { settings } = context;
  const event = eventNames.find((name) => name === row.event);
  if (event === undefined) return suppress('unreadable');
  if (row.monitor !== null && !settings.names.has(row.monitor) && endsWithMonitor(event, pending, context))
    return suppress('monitor_removed');
  if (!settings.channels.has(row.channel)) return withoutChannel(pending, event, context);
  if (event === 'down' || event === 'degraded' || event === 'unknown')
    return decideOutage(pending, event, context);
  if (event === 'budget_burn' && isOutageOpen(pending, context)) return suppress('outage_open');
  if (event === 'channel_failing' && isStreakOver(pending, context)) return suppress('over');
  if (event === 'cert_unreadable' && isReadAgain(pending, context)) return suppress('over');
  const recovery = event === 'recovered' ? readRecovery(row.payload) : null;
  return (
    muted(pending, event, context) ??
    (recovery?.from === 'unknown' ? decideChecksAgain(pending, recovery, context) : null) ??
    (recovery?.from === 'down' && !recovery.isLate ? downAgain(pending, context) : null) ??
    alone(event)
  );
}

/** Nothing that is down is called up: what is down again waits until that outage is over, or its message goes out. */
function downAgain({ row }: PendingDelivery, { outageOf, nowAt }: DeliveryContext): DeliveryDecision | null {
  const by = row.monitor === null ? null : outageOf(row.monitor);
  if (by === null) return null;
  return {
    kind: 'hold',
    untilAt: nowAt + foldedForMs,
    hold: { reason: 'down_again', by },
    detail: reasons.down_again,
  };
}

/**
 * Whether a message is worth nothing once its monitor is not configured. While an incident is open its monitor is
 * configured, whatever the configuration of a moment ago says: it goes by another name.
 */
function endsWithMonitor(event: EventName, { row }: PendingDelivery, context: DeliveryContext): boolean {
  switch (event) {
    case 'down':
    case 'unknown':
      return !hasOpenIncident(row, context);
    case 'recovered':
    case 'peer_recovered':
    case 'alert':
      return false;
    case 'degraded':
    case 'channel_failing':
    case 'cert_expiring':
    case 'cert_changed':
    case 'cert_unreadable':
    case 'domain_expiring':
    case 'budget_burn':
    case 'peer_down':
    case 'peer_link_degraded':
    case 'node_blind':
    case 'storage_failing':
    case 'digest':
    case 'test':
      return true;
  }
}

/** What is to be done for a channel that is not configured, or disabled: it may be back after the next load. */
function withoutChannel(
  pending: PendingDelivery,
  event: EventName,
  context: DeliveryContext,
): DeliveryDecision {
  const { row, outage } = pending;
  const { settings, nowAt } = context;
  const disabled = settings.disabled.get(row.channel);
  const keeping = keepWithoutChannel({
    event,
    severity: severityOf(row.payload),
    isDisabled: disabled !== undefined,
    isOver:
      outage !== null &&
      row.monitor !== null &&
      isOver({ ...pending, monitor: row.monitor }, outage, context),
    sinceAt: readRecovery(row.payload)?.endedAt ?? row.createdAt,
    nowAt,
  });
  if (keeping.kind === 'drop') return suppress('channel_removed');
  const why = disabled === undefined ? 'not configured' : `disabled, because its ${disabled.key} is empty`;
  return {
    kind: 'hold',
    untilAt: keeping.untilAt,
    hold: { reason: 'channel_unavailable', by: null },
    detail: `The channel ${row.channel} is ${why}: the message waits until it is back.`,
  };
}

function decideOutage(
  pending: PendingDelivery,
  event: OutageEvent,
  context: DeliveryContext,
): DeliveryDecision {
  const { row, outage: payload } = pending;
  if (payload === null || row.monitor === null) return suppress('unreadable');
  const about = { ...pending, payload, event, monitor: row.monitor };
  return (
    over(about, context) ??
    muted(pending, event, context) ??
    windowed(about, context) ??
    overdue(about, context) ??
    (event === 'unknown' ? (decideUnknown(about, context) ?? alone(event)) : folded(about, context))
  );
}

type OutageEvent = 'down' | 'degraded' | 'unknown';

interface About extends PendingDelivery {
  readonly payload: OutagePayload;
  readonly event: OutageEvent;
  readonly monitor: string;
}

function hasOpenIncident({ incident: uid }: PendingDelivery['row'], { incident }: DeliveryContext): boolean {
  const found = uid === null ? null : incident(uid);
  return found !== null && found.endedAt === null;
}

function isOver(
  { row, monitor }: Pick<About, 'row' | 'monitor'>,
  { startedAt }: OutagePayload,
  context: DeliveryContext,
): boolean {
  if (row.event === 'down' || row.event === 'unknown') return !hasOpenIncident(row, context);
  const state = context.stateOf(monitor);
  return state !== null && state.degradation?.startedAt !== startedAt;
}

/** What is to be done when the outage is over already. */
function over(about: About, context: DeliveryContext): DeliveryDecision | null {
  const { row, payload, event, monitor } = about;
  if (event === 'degraded') return isOver(about, payload, context) ? suppress('over') : null;
  const incident = row.incident === null ? null : context.incident(row.incident);
  if (incident === null) return suppress('over');
  const { endedAt, startedAt } = incident;
  if (endedAt === null) return null;
  // The message about its upstream named it, so it has a recovery, not a late message.
  if (namedByOf(row.payload) !== null) return suppress('folded');
  // So it has if it may have been received.
  if (copiesOf(row.payload) !== null) return suppress('no_answer');
  const wasMuted = muteOf(monitor, { ...context.situation, nowAt: endedAt }).kind === 'muted';
  const lateness = late({ payload, endedAt, attempts: row.attempts, wasMuted });
  if (lateness.kind === 'spare') return lateness;
  const state = event === 'unknown' ? 'could not be checked for' : 'was down';
  const detail = `It ${state} ${durationText(endedAt - startedAt)} and could not be sent while it lasted.`;
  return { kind: 'late', endedAt, detail };
}

function muted(
  { row }: PendingDelivery,
  event: EventName,
  { situation, settings }: DeliveryContext,
): DeliveryDecision | null {
  const muting = mute(event, mutedAs(row.monitor, event, settings), situation);
  if (muting.kind === 'open') return null;
  const { untilAt, by, detail } = muting;
  return { kind: 'hold', untilAt, hold: { reason: 'muted', by }, detail, isCovered: true };
}

/** A message about a peer bears its id; mutes name it by its `listen_id`, which no monitor has. */
function mutedAs(
  id: string | null,
  event: EventName,
  { listenIds }: DeliveryContext['settings'],
): string | null {
  return id !== null && isPeerEvent(event) ? (listenIds.get(id) ?? id) : id;
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

/** After a stop, or a long mute under one, the outage may be over without anybody having seen it. */
function overdue(
  { row, event, monitor }: About,
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
  const { nowAt, look } = context;
  const isHeld = hold?.reason === 'folded' || hold?.reason === 'upstream_due';
  if (windowMs === 0 && !isHeld) return alone(event);
  if ((graph.above.get(monitor)?.length ?? 0) === 0 && !isHeld) return alone(event);
  const outages = context.outages();
  const outage = event === 'down' ? outages.get(monitor) : degradationOf(about);
  if (outage === undefined) return alone(event);
  const foldFacts = { graph, outages, windowMs, nowAt, look: event === 'down' ? look : neverSuspect };
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
      return {
        kind: 'hold',
        untilAt: folding.untilAt,
        hold: { reason: 'window', by: null },
        detail: `What it depends on is back and it is not: it gets a window of its own, ${durationText(facts.settings.windowMs)}.`,
        isNewWindow: true,
        renewedAfter: about.hold?.by ?? null,
      };
  }
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

function isOutageOpen({ row }: PendingDelivery, { stateOf }: DeliveryContext): boolean {
  return row.monitor !== null && (stateOf(row.monitor)?.incident ?? null) !== null;
}

function isStreakOver({ row }: PendingDelivery, { healthOf }: DeliveryContext): boolean {
  const fields = fieldsOf(row.payload);
  const channel = textIn(fields, 'channel');
  return channel !== null && healthOf(channel)?.failingSinceAt !== numberIn(fields, 'failingSinceAt');
}

function isReadAgain({ row }: PendingDelivery, { unreadableSince }: DeliveryContext): boolean {
  return unreadableSince(row.monitor ?? '') !== numberIn(fieldsOf(row.payload), 'sinceAt');
}
