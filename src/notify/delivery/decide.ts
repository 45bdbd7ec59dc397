/** Decides about one delivery now: suppress, hold, send late, or send. */
import { copiesOf } from '../../engine/alerting/copies.ts';
import { endsOf, failingOf, namedOf } from '../../engine/alerting/group.ts';
import { quieted } from '../../engine/alerting/filter.ts';
import { instantText } from '../../engine/core/instant.ts';
import { fieldsOf, type Hold } from '../../engine/alerting/events/stored.ts';
import { keepWithoutChannel } from '../../engine/alerting/retry.ts';
import { reasons } from '../../engine/alerting/reasons.ts';
import { lookedAgainMs } from '../../engine/alerting/queue.ts';
import { readRecovery, type RecoveryPayload } from '../../engine/alerting/events/recovered.ts';
import { alertSeverityOf } from '../../engine/alerting/events/producer-alert.ts';
import { isOutageEvent } from '../../engine/alerting/events/outage.ts';
import { eventRow, type EventName, severityOf } from '../../engine/alerting/events/catalogue.ts';
import type { DeliveryContext } from './context.ts';
import { uidsOf } from './context.ts';
import { decideOutage, hasOpenIncident, isOver } from './decide-outage.ts';
import { decideReminder } from './decide-reminder.ts';
import { decideChecksAgain } from './decide-unknown.ts';
import { alone, type DeliveryDecision, foldedForMs, muted, suppress } from './decision.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import { unroutedWhy } from './route-outage.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import type { Channel } from '../../engine/config/config.ts';

export function decide(pending: PendingDelivery, context: DeliveryContext): DeliveryDecision {
  const { row } = pending;
  const { settings } = context;
  const about = eventRow(row.event);
  if (about === null) return suppress('unreadable');
  const { event, withoutMonitor } = about;
  const isGone = row.monitor !== null && !settings.names.has(row.monitor);
  // While an incident is open its monitor is configured under another name, whatever the last configuration says.
  const isKept = withoutMonitor === 'dropped_when_over' && hasOpenIncident(row, context);
  if (isGone && withoutMonitor !== 'sent' && !isKept && !settings.isStandIn)
    return suppress('monitor_removed');
  const channel = settings.channels.get(row.channel);
  if (channel === undefined) return withoutChannel(pending, event, context);
  const decision = decideAloud(pending, about, context);
  const isSaid = decision.kind === 'send' || decision.kind === 'ask';
  const waitsForOther = decision.kind === 'hold' && waitingForOthers.includes(decision.hold.reason);
  return isSaid || waitsForOther ? (inQuietHours(row, { channel, event }, context) ?? decision) : decision;
}

const waitingForOthers: readonly Hold['reason'][] = ['upstream_due', 'upstream_failing'];

/** What the quiet hours of its channel make of what is to be sent, or soon; null: there are none now, or it passes. */
function inQuietHours(
  row: DeliveryRow,
  { channel, event }: { readonly channel: Channel; readonly event: EventName },
  { nowAt, settings }: DeliveryContext,
): DeliveryDecision | null {
  const monitor = row.monitor === null ? null : (settings.monitors.get(row.monitor) ?? null);
  const answer = quieted(channel, { event, severity: severityOf(event, row.payload), monitor }, nowAt);
  if (answer.kind === 'open') return null;
  if (answer.kind === 'drop') return suppress('quiet_hours');
  const { untilAt } = answer;
  const detail = `${row.channel} has its quiet hours until ${instantText(untilAt)}: it is sent then.`;
  return { kind: 'hold', untilAt, hold: { reason: 'quiet_hours', by: null }, detail, isCovered: true };
}

/** What becomes of it whatever the hour. */
function decideAloud(
  pending: PendingDelivery,
  { event, suppressedBy }: NonNullable<ReturnType<typeof eventRow>>,
  context: DeliveryContext,
): DeliveryDecision {
  const { row, hold } = pending;
  const { stateOf, burningOf, healthOf, unreadableSince, certExpiresAt, domainExpiresAt } = context;
  if (isOutageEvent(event)) return decideOutage(pending, event, context);
  if (event === 'reminder') return decideReminder(pending, context);
  const monitor = row.monitor ?? '';
  const suppressed =
    suppressedBy?.(fieldsOf(row.payload), {
      isDown: () => (stateOf(monitor)?.incident ?? null) !== null,
      isBurning: (pace) => burningOf(monitor).some((each) => each === pace),
      wasMuted: hold?.reason === 'muted',
      failingSinceOf: (channel) => healthOf(channel)?.failingSinceAt ?? null,
      unreadableSince: () => unreadableSince(monitor),
      certExpiresAt: () => certExpiresAt(monitor),
      domainExpiresAt: () => domainExpiresAt(monitor),
    }) ?? null;
  if (suppressed !== null) return suppress(suppressed);
  const recovery = event === 'recovered' ? readRecovery(row.payload) : null;
  const unrouted = recovery?.isLate === true ? unroutedRecovery(row, recovery, context) : null;
  if (unrouted !== null) return suppress('not_routed', unrouted);
  return (
    muted(pending, event, context) ??
    (recovery?.from === 'unknown' ? decideChecksAgain(recovery, context) : null) ??
    ((recovery?.from === 'down' || recovery?.from === 'unstable') && !recovery.isLate
      ? (downAgain(pending, context) ??
        (recovery.from === 'down' ? comingBack(row, recovery, context) : null))
      : null) ??
    (recovery?.from === 'degraded' && !recovery.isRemoved
      ? stillDegraded(pending, recovery.endedAt, context)
      : null) ??
    alone(event)
  );
}

/** Why a channel that was sent nothing of an outage that is over left the route of its alerts since; null: it did not. */
function unroutedRecovery(
  row: DeliveryRow,
  { from }: RecoveryPayload,
  { settings }: DeliveryContext,
): string | null {
  const isKnown = from === 'degraded' || copiesOf(row.payload) !== null;
  return isKnown ? null : unroutedWhy({ row, event: from }, settings);
}

/** No recovery is sent of what is down again: it waits until that outage is over, or the alert about it is sent. */
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
 * No recovery is sent while the monitor is degraded again, or still is since an outage ended with a slow answer. Its state
 * follows `endedAt`, when the degradation ended, a moment later; until then the state is not judged.
 */
function stillDegraded(
  { row, hold }: PendingDelivery,
  endedAt: number,
  { stateOf, nowAt }: DeliveryContext,
): DeliveryDecision | null {
  const state = row.monitor === null ? null : stateOf(row.monitor);
  if (state === null || (state.slow === null && state.degradation === null && state.incident === null))
    return null;
  if (hold?.reason !== 'still_degraded' && (state.knownAt ?? 0) <= endedAt) return null;
  return {
    kind: 'hold',
    untilAt: nowAt + lookedAgainMs,
    hold: { reason: 'still_degraded', by: null },
    detail: reasons.still_degraded,
  };
}

/** How long a recovery waits for the first check of what its alert named. */
const checkedWithinMs = 12_000;

/**
 * The recovery of a root waits for the monitors that its alert named and that come back with it, one window at most: they
 * are checked once, and those that answer again are waited for.
 */
function comingBack(
  row: DeliveryRow,
  { endedAt, isRemoved }: RecoveryPayload,
  context: DeliveryContext,
): DeliveryDecision | null {
  const { nowAt, settings, incident, outageOf, sinceRecovery } = context;
  const untilAt = endedAt + settings.windowMs;
  if (isRemoved || endsOf(row.payload) !== null || nowAt >= untilAt) return null;
  const open = uidsOf(namedOf(row.payload) ?? [], context).flatMap((uid) => {
    const named = incident(uid);
    return named !== null && named.endedAt === null ? named.monitor : [];
  });
  const confirmedSince = failingOf(row.payload).filter((id) => outageOf(id) !== null);
  const since = [...open, ...confirmedSince].map((id) => [id, sinceRecovery(id, endedAt).kind] as const);
  const unchecked = since.filter(([, kind]) => kind === 'unchecked').map(([id]) => id);
  const askedUntilAt = Math.min(untilAt, endedAt + checkedWithinMs);
  if (unchecked.length > 0 && nowAt < askedUntilAt)
    return { kind: 'ask', ids: unchecked, untilAt: askedUntilAt };
  if (!since.some(([, kind]) => kind === 'recovering')) return null;
  return {
    kind: 'hold',
    untilAt,
    hold: { reason: 'coming_back', by: null },
    detail: reasons.coming_back,
  };
}

/** How often a message is looked at again that waits for the leader whose configuration has its channel. */
const standInLookMs = 60_000;

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
    severity: alertSeverityOf(row.payload),
    isDisabled: disabled !== undefined,
    isOver:
      outage !== null &&
      row.monitor !== null &&
      isOver({ ...pending, monitor: row.monitor }, outage, context),
    sinceAt: readRecovery(row.payload)?.endedAt ?? row.createdAt,
    nowAt,
  });
  if (keeping.kind === 'drop' && !settings.isStandIn) return suppress('channel_removed');
  const untilAt = keeping.kind === 'drop' ? nowAt + standInLookMs : keeping.untilAt;
  const why = disabled === undefined ? 'not configured' : `disabled, because its ${disabled.key} is empty`;
  return {
    kind: 'hold',
    untilAt,
    hold: { reason: 'channel_unavailable', by: null },
    detail: `The channel ${row.channel} is ${why}: the message waits until it is back.`,
  };
}
