/** Carries one message to one channel, then writes down what came of it. */
import type { Operation } from '../../db/operation.ts';
import type { Channel } from '../../engine/config/config.ts';
import type { Log } from '../../engine/core/log.ts';
import { recoveryOf } from '../../engine/core/tell/queue.ts';
import type { Slices } from '../../engine/loop/slices.ts';
import { reasons } from '../../engine/core/tell/reasons.ts';
import type { Delivered, Message } from '../message.ts';
import { account, type Parcel, type Part } from './account.ts';
import { begun } from './begun.ts';
import { compose } from './compose.ts';
import type { Facts } from './facts.ts';
import { operationsOf } from '../../engine/loop/telling.ts';
import { failedLine, sentLine } from './delivery-lines.ts';
import { say, type Ready } from './plan.ts';
import type { Waiting } from './waiting.ts';

export interface CourierOptions {
  readonly deliver: (message: Message, channel: Channel, signal: AbortSignal) => Promise<Delivered>;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
  readonly facts: () => Facts;
  readonly waiting: Waiting;
  readonly slices: Slices;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Deliveries written down in one transaction. */
const atOnce = 25;

/** Answers whether the channel took it. What was not taken because of a stop is not held against the channel. */
export async function carry(parcel: Parcel, options: CourierOptions): Promise<boolean> {
  const { write, signal, log } = options;
  const facts = options.facts();
  const channel = facts.setting.channels.get(parcel.channel);
  const message = await compose(parcel.deliveries, facts, options.slices);
  if (channel === undefined) return false;
  if (message === null) {
    await write(unreadable(parcel, facts));
    return false;
  }
  const delivered = await delivery(message, channel, options);
  if (delivered.kind === 'failed') {
    if (signal.aborted) return false;
    log(failedLine(message, channel.name, delivered));
  } else {
    const dueAt = parcel.deliveries.reduce((first, { row }) => Math.min(first, row.nextAt), Infinity);
    const lateMs = Math.max(0, options.facts().nowAt - dueAt);
    log(sentLine(message, { channel: channel.name, attempts: delivered.attempts, lateMs }));
  }
  await writeDown(parcel, delivered, options);
  return delivered.kind === 'sent';
}

/** A message about thousands is written down in parts, so that checks and answers come in between. */
async function writeDown(parcel: Parcel, delivered: Delivered, options: CourierOptions): Promise<void> {
  const { deliveries } = parcel;
  const writes: Promise<void>[] = [];
  for (let from = 0; from < deliveries.length; from += atOnce) {
    await options.slices.pass();
    const part = deliveries.slice(from, from + atOnce);
    const isLast = from + atOnce >= deliveries.length;
    writes.push(begun(writePart({ ...parcel, part, isLast }, delivered, options)));
  }
  await Promise.all(writes);
}

async function writePart(part: Part, delivered: Delivered, options: CourierOptions): Promise<void> {
  await options.write(account(part, delivered, options.facts()));
  const owed = delivered.kind === 'sent' ? owedAfter(part.part, options) : [];
  if (owed.length > 0) await options.write(owed);
}

async function delivery(
  message: Message,
  channel: Channel,
  { deliver, signal }: CourierOptions,
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

/** What ended while its message was on its way, and in the meantime was taken for never told, has its recovery now. */
function owedAfter(deliveries: readonly Ready[], { facts, waiting }: CourierOptions): Operation[] {
  const now = facts();
  const { nowAt, setting } = now;
  const intents = deliveries.flatMap((ready) => {
    const { row } = ready;
    if (row.monitor === null || row.incident === null || ready.outage === null) return [];
    const endedAt = endOf(ready.event, { ...row, monitor: row.monitor, incident: row.incident }, now);
    if (endedAt === null) return [];
    const rows = waiting.ofIncident(row.incident);
    if (rows.some(({ event, channel }) => event === 'recovered' && channel === row.channel)) return [];
    const { startedAt } = ready.outage;
    const about = { monitor: row.monitor, at: nowAt, startedAt, endedAt };
    return recoveryOf(
      ready.event === 'down'
        ? { kind: 'incident_closed', uid: row.incident, ...about }
        : { kind: 'degraded_ended', by: 'recovery', ...about },
      row,
      setting.windowMs,
    );
  });
  return operationsOf(intents, nowAt);
}

interface About {
  readonly monitor: string;
  readonly incident: string;
}

/** When an outage or a degradation that was just told ended; null: it lasts. */
function endOf(event: string, { monitor, incident }: About, facts: Facts): number | null {
  if (event === 'down') return facts.incident(incident)?.endedAt ?? null;
  const state = facts.stateOf(monitor);
  return state !== null && state.degradation === null && state.incident === null ? facts.nowAt : null;
}

function unreadable({ deliveries }: Parcel, { nowAt }: Facts): Operation[] {
  return operationsOf(
    deliveries.flatMap((ready) => [
      { kind: 'drop' as const, deliveryId: ready.row.deliveryId },
      say(ready, 'spared', { reason: 'unreadable', detail: reasons.unreadable }),
    ]),
    nowAt,
  );
}
