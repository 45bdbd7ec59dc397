/** Decides what a finished delivery changes: its rows, the health of its channel, pending recoveries. */
import type { Operation } from '../../db/store/operation.ts';
import { channels as channelHealth } from '../../db/tables/channels.ts';
import { type DeliveryRow, outbox } from '../../db/tables/outbox.ts';
import { copiesOf, copySooner, markedAs, messageOf, retryCopy } from '../../engine/alerting/copies.ts';
import { called } from '../../engine/alerting/escalate.ts';
import { isOfReason, readReminder } from '../../engine/alerting/events/reminder.ts';
import { laterMark, namedOf } from '../../engine/alerting/group.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { isOutageEvent } from '../../engine/alerting/events/outage.ts';
import type { EventFields } from '../../engine/alerting/events/stored.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import { alertSeverityOf } from '../../engine/alerting/events/producer-alert.ts';
import type { Delivered } from '../channels/channel.ts';
import { reasons } from '../../engine/alerting/reasons.ts';
import { reminderAfter } from '../../engine/alerting/remind.ts';
import { type Retry, retry, retrySooner } from '../../engine/alerting/retry.ts';
import { messageIdOf } from './message-id.ts';
import { uidsOf } from './context.ts';
import { type MessageContents, mostRemembered } from './contents.ts';
import { type DeliveryContext, repeatMsOf } from './context.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import { type Ready, say } from './plan.ts';
import { failingOperations, unreachedOperations } from './channel-failures.ts';
import { recoveryAfter } from './recoveries.ts';
import { durationText } from '../../engine/core/duration.ts';
import { counted } from '../../engine/core/words.ts';

/** One message that a channel was given, and its deliveries. */
export interface Batch {
  readonly channel: string;
  readonly deliveries: readonly [Ready, ...Ready[]];
  /** Ids of the monitors that the message named beside the first one, where deliveries have to remember them. */
  readonly alsoNamed?: readonly string[];
}

/** Some of the deliveries of a batch. */
export interface BatchPart extends Batch {
  readonly contents: MessageContents;
  readonly part: readonly Ready[];
  /** The health of the channel changes with the last one. */
  readonly isLast: boolean;
}

/** The operations of one transaction; `facts` are those of after the delivery. */
export function recordDelivery(
  { part, isLast, ...given }: BatchPart,
  delivered: Delivered,
  context: DeliveryContext,
): Operation[] {
  const { channel } = given;
  switch (delivered.kind) {
    case 'sent': {
      const notified = part.flatMap((delivery) => sentOperations(delivery, given, context));
      if (!isLast) return notified;
      const { unreached } = delivered;
      if (unreached === undefined)
        return [...notified, channelHealth.succeeded({ channel, at: context.nowAt })];
      return [...notified, ...unreachedOperations(channel, unreached, context)];
    }
    case 'failed': {
      const notNotified = part.flatMap((delivery) =>
        failedOperations(delivery, { ...given, failed: delivered }, context),
      );
      if (!isLast) return notNotified;
      const isCopied = given.deliveries.some((delivery) => isCopiedAgain(delivery, delivered, context));
      return [...notNotified, ...failingOperations(channel, { error: delivered.error, isCopied }, context)];
    }
  }
}

/** Whether a further copy follows one without an answer: until the last, nobody knows that the channel fails. */
function isCopiedAgain(
  { row, event }: Ready,
  { mayBeReceived, reachedSome }: Delivered & { readonly kind: 'failed' },
  { nowAt }: DeliveryContext,
): boolean {
  if (mayBeReceived !== true || reachedSome === true) return false;
  const count = (copiesOf(row.payload)?.count ?? 0) + 1;
  return retryCopy({ event, count, reachedSome: false, nowAt }).kind === 'wait';
}

type Given = Omit<BatchPart, 'part' | 'isLast'>;

function sentOperations(delivery: Ready, given: Given, context: DeliveryContext): Operation[] {
  const { deliveries, channel } = given;
  const { row } = delivery;
  const isGrouped = deliveries.length > 1;
  const marks = marksOf(delivery, given, context);
  const intents: Intent[] = [];
  if (marks !== null) intents.push(marked(delivery, marks));
  const reason = isGrouped ? 'grouped' : isLate(row) ? 'late' : delivery.reason;
  const detail = isGrouped
    ? `It was sent to ${channel} in one message about ${counted(deliveries.length, delivery.event === 'alert' ? 'alert' : 'monitor')}.`
    : reason === 'sent'
      ? `It was sent to ${channel}.`
      : reasons[reason];
  intents.push(say(delivery, 'told', { reason, detail }), ...recoveryAfter(delivery, marks ?? {}, context));
  intents.push(...remindersAfter(delivery, context));
  return [
    ...operationsOf(intents, context.nowAt),
    outbox.sent({ deliveryId: row.deliveryId, at: context.nowAt }),
  ];
}

/** The next reminder, after an alert or a reminder that its channel took, or may have. None where there is to be none. */
function remindersAfter(
  { row, event }: Ready,
  { nowAt, incident, alertsOf, settings }: DeliveryContext,
): readonly Intent[] {
  if (event !== 'down' && event !== 'reminder') return [];
  const outage = row.incident === null ? null : incident(row.incident);
  if (outage === null || outage.endedAt !== null || outage.acknowledged !== null) return [];
  const repeatMs = repeatMsOf({ monitor: outage.monitor, channel: row.channel }, settings);
  if (repeatMs === null) return [];
  const number = (readReminder(row.payload)?.number ?? 0) + 1;
  const rows = alertsOf(outage.uid, 'reminder');
  const isNext = ({ deliveryId, channel, state, ...other }: DeliveryRow) =>
    deliveryId !== row.deliveryId && channel === row.channel && state === 'waiting' && !isOfReason(other);
  // An alert that was given up without an answer, and that an operator had tried again, has it already.
  if (rows.some(isNext)) return [];
  return reminderAfter(outage, { channel: row.channel, number, repeatMs, fromAt: nowAt, rows });
}

/** What a delivery remembers of the message that it was sent in; null: nothing. */
function marksOf(delivery: Ready, given: Given, context: DeliveryContext): EventFields | null {
  const { row, event, cause } = delivery;
  const { deliveries, contents } = given;
  const isGrouped = deliveries.length > 1;
  if (event === 'unknown') return { isGrouped, ...causeMarks(delivery, given) };
  if (event !== 'down') return cause !== null || isGrouped ? { cause, isGrouped } : null;
  // An earlier copy may have named what is up again by now.
  const earlier = copiesOf(row.payload) === null ? [] : uidsOf(namedOf(row.payload) ?? [], context);
  const named = new Set([...earlier, ...(contents.dependents.get(row.deliveryId) ?? [])]);
  const remembered = [...named].slice(0, mostRemembered);
  const failing = contents.failing.get(row.deliveryId) ?? [];
  return {
    cause,
    isGrouped,
    groupId: contents.groupId,
    named: remembered,
    namedBy: null,
    ...(failing.length > 0 && { failing: failing.slice(0, mostNamed) }),
    ...laterMark(delivery.later ?? null),
  };
}

/** More would not fit into a row. */
const mostNamed = 1000;

/** What a delivery about a monitor that cannot be checked remembers of the message it was part of. */
export function causeMarks({ row }: Ready, { deliveries, alsoNamed = [] }: Batch): EventFields {
  const causeGroup = messageIdOf(deliveries);
  if (row.deliveryId !== deliveries[0].row.deliveryId) return { causeGroup };
  const own = new Set(deliveries.map(({ row: { monitor } }) => monitor));
  return { causeGroup, alsoNamed: alsoNamed.filter((id) => !own.has(id)).slice(0, mostNamed) };
}

/** What holds a delivery back whose channel asked for a pause. */
const retryAfter = 'retry-after';

/**
 * What waits for its next try on a channel that works again is due, but for what the channel asked to have later, and
 * copies for those of its recipients that put the message off.
 */
export function releasedBy(
  { deliveries, channel }: Batch,
  waiting: Iterable<PendingDelivery>,
  { nowAt }: Pick<DeliveryContext, 'nowAt'>,
): Operation[] {
  const taken = new Set(deliveries.map(({ row }) => row.deliveryId));
  return [...waiting].flatMap(({ row, hold }) => {
    const { deliveryId, payload, nextAt } = row;
    const copies = copiesOf(payload);
    const isLeft = row.channel !== channel || taken.has(deliveryId) || copies?.leftMs === null;
    if (isLeft || hold?.reason !== 'channel_failed' || hold.by === retryAfter) return [];
    const { leftMs = null, count = 0 } = copies ?? {};
    const soonerAt =
      leftMs === null ? retrySooner({ ...row, nowAt }) : copySooner({ count, leftMs, nextAt, nowAt });
    return soonerAt < nextAt ? [outbox.change({ deliveryId, changes: {}, nextAt: soonerAt })] : [];
  });
}

interface Failed extends Given {
  readonly failed: Delivered & { readonly kind: 'failed' };
}

function failedOperations(
  delivery: Ready,
  { failed, ...given }: Failed,
  context: DeliveryContext,
): Operation[] {
  if (isPerhapsReceived(failed)) return unansweredOperations(delivery, { failed, ...given }, context);
  const { nowAt } = context;
  const { row, cause } = delivery;
  const next = retryLater(delivery, failed, nowAt);
  const nextAt = next.kind === 'wait' ? next.untilAt : null;
  const reason = nextAt === null ? 'given_up' : 'channel_failed';
  const then = nextAt === null ? 'It was given up.' : `It is tried again in ${durationText(nextAt - nowAt)}.`;
  const intents = [
    marked(delivery, {
      cause,
      hold: { reason: 'channel_failed', by: failed.retryAfterMs === null ? null : retryAfter },
      // Refused, so its next try may go with others.
      ...(copiesOf(row.payload) === null && messageOf(row.payload) !== null && { copies: null }),
      ...(delivery.outage !== null && called(row, nowAt)),
    }),
    say(delivery, 'undelivered', { reason, detail: `${failed.error.replace(/[.\s]*$/, '.')} ${then}` }),
  ];
  return [
    ...operationsOf(intents, nowAt),
    outbox.failed({ deliveryId: row.deliveryId, at: nowAt, error: failed.error, nextAt }),
  ];
}

function retryLater({ row, event }: Ready, { retryAfterMs }: Failed['failed'], nowAt: number): Retry {
  return retry({
    event,
    severity: alertSeverityOf(row.payload),
    attempts: row.attempts + 1,
    sinceAt: readRecovery(row.payload)?.endedAt ?? row.createdAt,
    retryAfterMs,
    nowAt,
  });
}

/** Whether some of those it is for have it, or may have it. */
export function isPerhapsReceived(delivered: Delivered): boolean {
  return delivered.kind === 'sent' || delivered.mayBeReceived === true || delivered.reachedSome === true;
}

/** It may have been received, so what it named is remembered as if it had been, and it needs a recovery. */
function unansweredOperations(
  delivery: Ready,
  { failed, ...given }: Failed,
  context: DeliveryContext,
): Operation[] {
  const { row, event, cause } = delivery;
  const { nowAt } = context;
  const [{ row: first }] = given.deliveries;
  const message = {
    as: messageIdOf(given.deliveries),
    lead: messageOf(first.payload)?.lead ?? first.deliveryId,
  };
  // What some have is tried for the others as long as it is true; of that, copies are those without an answer.
  const reachedSome = failed.reachedSome === true;
  const isTriedOn = reachedSome && isOutageEvent(event);
  const count = Math.max(1, (copiesOf(row.payload)?.count ?? 0) + (isTriedOn ? 0 : 1));
  const hold = { reason: 'channel_failed', by: null };
  const mark = markedAs(message, count, reachedSome ? null : (failed.leftMs ?? 0));
  const calls = delivery.outage === null ? {} : called(row, nowAt);
  const marks = { cause, ...marksOf(delivery, given, context), hold, ...mark, ...calls };
  const recoveries = recoveryAfter(delivery, marks, context);
  const next = isTriedOn
    ? retryLater(delivery, failed, nowAt)
    : retryCopy({ event, count, reachedSome, nowAt });
  const nextAt = recoveries.length === 0 && next.kind === 'wait' ? next.untilAt : null;
  const then =
    nextAt === null ? 'No further copy is sent.' : `A copy follows in ${durationText(nextAt - nowAt)}.`;
  const received = reachedSome
    ? 'the other recipients have it'
    : 'all of the message went out, so it may have been received';
  const error = `${failed.error.replace(/[.\s]*$/, '')}; ${received}`;
  const detail = `${error}. ${then}`;
  const intents = [
    marked(delivery, marks),
    say(delivery, 'undelivered', { reason: 'no_answer', detail }),
    ...recoveries,
    ...(nextAt === null || isTriedOn ? remindersAfter(delivery, context) : []),
  ];
  return [
    ...operationsOf(intents, nowAt),
    outbox.failed({ deliveryId: row.deliveryId, at: nowAt, error, nextAt }),
  ];
}

function marked({ row }: Ready, changes: EventFields): Intent {
  return { kind: 'change', deliveryId: row.deliveryId, changes, nextAt: null };
}

function isLate(row: DeliveryRow): boolean {
  return readRecovery(row.payload)?.isLate === true;
}
