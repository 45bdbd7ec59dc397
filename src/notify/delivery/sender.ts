/** Sends one message to one channel, then writes the result. */
import type { Operation } from '../../db/store/operation.ts';
import type { Channel } from '../../engine/config/config.ts';
import type { Log, LogEntry } from '../../engine/core/log.ts';
import { groupOf } from '../../engine/alerting/group.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import type { Delivered } from '../channels/channel.ts';
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { reasons } from '../../engine/alerting/reasons.ts';
import {
  type Batch,
  type BatchPart,
  causeMarks,
  isPerhapsReceived,
  recordDelivery,
  releasedBy,
} from './record-delivery.ts';
import { type Ready, say } from './plan.ts';
import { begun } from './write-in-parts.ts';
import { compose } from './compose.ts';
import { hasRecovery, type Naming, namingsOf, operationsOfNaming } from './contents.ts';
import type { DeliveryContext } from './context.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import type { OutboxCache } from './outbox-cache.ts';
import { durationText } from '../../engine/core/duration.ts';
import { counted } from '../../engine/core/words.ts';
import { type PrepareOptions, prepare } from './prepare.ts';
import { recoveryAfter } from './recoveries.ts';

export interface SenderOptions extends PrepareOptions {
  readonly deliver: (message: Message, channel: Channel, signal: AbortSignal) => Promise<Delivered>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Deliveries written down in one transaction. */
const atOnce = 25;

/** Answers whether the channel took it. What was not taken because of a stop is not held against the channel. */
export async function sendBatch(chosen: Batch, options: SenderOptions): Promise<boolean> {
  const { write, signal, log } = options;
  const batch = await prepare(chosen, options).catch((error: unknown) => {
    log(unpreparedLine(chosen.channel, error));
    return null;
  });
  if (batch === null) return false;
  const context = options.facts();
  const channel = context.settings.channels.get(batch.channel);
  const composed = await compose(batch.deliveries, context, options.yielder);
  if (channel === undefined) return false;
  if (composed === null) {
    await write(unreadable(batch, context));
    return false;
  }
  const { contents } = composed;
  const message = withOthersDown(composed.message, batch.channel, { cache: options.cache, context });
  const delivered = await delivery(message, channel, options);
  if (delivered.kind === 'failed') {
    if (signal.aborted) return false;
    log(failedLine(message, channel.name, delivered));
  } else {
    const dueAt = batch.deliveries.reduce((first, { row }) => Math.min(first, row.nextAt), Infinity);
    const lateMs = Math.max(0, options.facts().nowAt - dueAt);
    log(sentLine(message, { channel: channel.name, attempts: delivered.attempts, lateMs }));
    if (delivered.unreached !== undefined) log(unreachedLine(message, channel.name, delivered.unreached));
  }
  const done = underCurrentName(batch, options.cache);
  if (isPerhapsReceived(delivered)) await writeNames(namingsOf(done.deliveries, contents), options);
  const alsoNamed = message.event === 'unknown' ? message.impacted.map(({ id }) => id) : [];
  await writeDown({ ...done, contents, alsoNamed }, delivered, options);
  return delivered.kind === 'sent';
}

/** While it was on its way, its channel may have got another name, and another one this name. */
function underCurrentName({ channel, deliveries: [first, ...others] }: Batch, cache: OutboxCache): Batch {
  const current = (ready: Ready): Ready => {
    const { row } = ready;
    const known = row.incident === null ? null : cache.ofIncident(row.incident);
    const now = known?.find(({ deliveryId }) => deliveryId === row.deliveryId)?.channel ?? row.channel;
    return now === row.channel ? ready : { ...ready, row: { ...row, channel: now } };
  };
  const lead = current(first);
  const isSame = lead === first;
  return {
    channel: isSame ? channel : lead.row.channel,
    deliveries: [lead, ...(isSame ? others : others.map(current))],
  };
}

/** For vendors that resolve what they opened: an alert about several monitors lasts until the last one is over. */
function withOthersDown(
  message: Message,
  channel: string,
  { cache, context }: { readonly cache: OutboxCache; readonly context: DeliveryContext },
): Message {
  if (message.event !== 'recovered' || message.grouping.groupId === null) return message;
  const { groupId } = message.grouping;
  const isAlert = (row: DeliveryRow) =>
    row.channel === channel && row.event === 'down' && groupOf(row.payload) === groupId;
  const hasOthersDown =
    message.from === 'unknown'
      ? context.unknownGroups().isOngoing(groupId)
      : [...context.openUids()].some((uid) => cache.ofIncident(uid).some(isAlert));
  return { ...message, grouping: { ...message.grouping, hasOthersDown } };
}

/** How often a name is written again whose delivery ended while it was written, and did not take it. */
const mostRounds = 3;

/** Before the delivery itself counts as sent: after a crash in between it is sent again, and nothing is forgotten. */
async function writeNames(namings: readonly Naming[], options: SenderOptions): Promise<void> {
  const { cache, yielder, write } = options;
  const rowsOf = (uid: string) => cache.ofIncident(uid);
  let left = namings;
  for (let round = 0; round < mostRounds && left.length > 0; round += 1) {
    const unwritten: Naming[] = [];
    for (let from = 0; from < left.length; from += atOnce) {
      await yielder.pass();
      const part = left.slice(from, from + atOnce);
      const operations = part.flatMap((naming) => {
        const written = operationsOfNaming(naming, rowsOf, options.facts());
        if (written.length > 0) unwritten.push(naming);
        return written;
      });
      if (operations.length > 0) await write(operations);
    }
    left = unwritten;
  }
  // Their ends were settled while nobody knew that they were named.
  const { incident } = options.facts();
  const over = namings.filter((naming) => (incident(naming.incident)?.endedAt ?? null) !== null);
  if (over.length > 0) options.onLeftOut(over.map((naming) => naming.incident));
}

/** A message about thousands is written down in parts, so that checks and answers come in between. */
async function writeDown(
  batch: Omit<BatchPart, 'part' | 'isLast'>,
  delivered: Delivered,
  options: SenderOptions,
): Promise<void> {
  const { deliveries } = batch;
  const writes: Promise<void>[] = [];
  for (let from = 0; from < deliveries.length; from += atOnce) {
    await options.yielder.pass();
    const part = deliveries.slice(from, from + atOnce);
    const isLast = from + atOnce >= deliveries.length;
    writes.push(begun(writePart({ ...batch, part, isLast }, delivered, options)));
  }
  await Promise.all(writes);
}

async function writePart(part: BatchPart, delivered: Delivered, options: SenderOptions): Promise<void> {
  const context = options.facts();
  const isWorking = delivered.kind === 'sent' && part.isLast;
  const released = isWorking ? releasedBy(part, options.cache.ofChannel(part.channel), context) : [];
  await options.write([...recordDelivery(part, delivered, context), ...released]);
  const recoveries = isPerhapsReceived(delivered) ? recoveriesAfter(part, options) : [];
  if (recoveries.length > 0) await options.write(recoveries);
}

async function delivery(
  message: Message,
  channel: Channel,
  { deliver, signal }: SenderOptions,
): Promise<Delivered> {
  try {
    return await deliver(message, channel, signal);
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown fault';
    return {
      kind: 'failed',
      attempts: 1,
      error: `The message could not be sent (${reason}).`,
      isPermanent: false,
      retryAfterMs: null,
    };
  }
}

/** What ended while its message was on its way has its recovery now, where the end of the incident had none. */
function recoveriesAfter(part: BatchPart, { facts, cache }: SenderOptions): Operation[] {
  const context = facts();
  const intents = part.part.flatMap((ready) => {
    const { row } = ready;
    const rows = row.incident === null ? [] : cache.ofIncident(row.incident);
    if (hasRecovery(rows, row.channel)) return [];
    const known = rows.find(({ deliveryId }) => deliveryId === row.deliveryId) ?? row;
    const marks = ready.event === 'unknown' ? causeMarks(ready, part) : {};
    return recoveryAfter({ ...ready, row: known }, marks, context);
  });
  return operationsOf(intents, context.nowAt);
}

function unreadable({ deliveries }: Batch, { nowAt }: DeliveryContext): Operation[] {
  return operationsOf(
    deliveries.flatMap((ready) => [
      { kind: 'drop' as const, deliveryId: ready.row.deliveryId },
      say(ready, 'spared', { reason: 'unreadable', detail: reasons.unreadable }),
    ]),
    nowAt,
  );
}

interface Sent {
  readonly channel: string;
  readonly attempts: number;
  /** How long ago the first of its deliveries was due. */
  readonly lateMs: number;
}

/** A channel took a message. */
function sentLine(message: Message, { channel, attempts, lateMs }: Sent): LogEntry {
  const { deliveryId, event } = message;
  const monitors = monitorsOf(message);
  const [only = null] = monitors.length === 1 ? monitors : [];
  const alerts = message.event === 'alert' ? (message.together?.length ?? 1) : 1;
  const what = alerts > 1 ? counted(alerts, 'alert') : event;
  const about =
    alerts > 1 ? null : (only ?? (monitors.length === 0 ? null : counted(monitors.length, 'monitor')));
  const late = lateMs < 1000 ? '' : `, ${durationText(lateMs)} after it was due`;
  return {
    level: 'info',
    event: 'channel.sent',
    message: `sent to ${channel}: ${about === null ? '' : `${about} `}${what}${late}`,
    fields: {
      channel,
      told: event,
      monitor: only,
      monitors: monitors.length,
      late_ms: lateMs,
      attempts,
      delivery_id: deliveryId,
    },
  };
}

/** A channel did not. */
function failedLine(
  { deliveryId }: Message,
  channel: string,
  { attempts, error, reachedSome }: Delivered & { readonly kind: 'failed' },
): LogEntry {
  return {
    level: 'warning',
    event: 'channel.failed',
    message: `not sent to ${reachedSome === true ? 'all recipients of ' : ''}${channel}: ${error}`,
    fields: { channel, delivery_id: deliveryId, attempts },
  };
}

/** A channel took a message, and not for all of its recipients. */
function unreachedLine({ deliveryId }: Message, channel: string, error: string): LogEntry {
  return {
    level: 'warning',
    event: 'channel.unreached',
    message: `not sent to all recipients of ${channel}: ${error}`,
    fields: { channel, delivery_id: deliveryId },
  };
}

/** It waits: sent without that, it could go again with others under the same id. */
function unpreparedLine(channel: string, error: unknown): LogEntry {
  return {
    level: 'error',
    event: 'pipeline.failed',
    message: `A message was not sent because it could not be written to the database first: ${String(error)}`,
    fields: { channel },
  };
}

function monitorsOf(message: Message): readonly string[] {
  if (!('monitor' in message)) return [];
  const others = 'impacted' in message ? message.impacted : [];
  const alerts = message.event === 'alert' ? (message.together ?? []).map(({ monitor }) => monitor) : [];
  return [...new Set([message.monitor, ...others, ...alerts].map(({ id }) => id))];
}
