/** Carries one message to one channel, then writes down what came of it. */
import type { Operation } from '../../db/operation.ts';
import { outbox } from '../../db/topics/outbox.ts';
import type { Channel } from '../../engine/config/config.ts';
import type { Log } from '../../engine/core/log.ts';
import { copiesOf } from '../../engine/core/tell/copies.ts';
import { endsOf, namedOf } from '../../engine/core/tell/group.ts';
import type { Ended } from '../../engine/core/tell/happening.ts';
import { changed } from '../../engine/core/tell/payload.ts';
import { recoveryOf } from '../../engine/core/tell/queue.ts';
import type { Slices } from '../../engine/loop/slices.ts';
import { reasons } from '../../engine/core/tell/reasons.ts';
import type { Delivered, Message } from '../message.ts';
import { account, causeMarks, howEnded, type Parcel, type Part, releasedBy } from './account.ts';
import { begun } from './begun.ts';
import { compose } from './compose.ts';
import { endedWith, type Naming, namingsOf, operationsOfNaming, stillOver } from './contents.ts';
import type { Facts } from './facts.ts';
import { operationsOf } from '../../engine/loop/telling.ts';
import { failedLine, sentLine } from './delivery-lines.ts';
import { say, type Ready } from './plan.ts';
import type { Waiting } from './waiting.ts';

export interface CourierOptions {
  readonly deliver: (message: Message, channel: Channel, signal: AbortSignal) => Promise<Delivered>;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
  readonly facts: () => Facts;
  /** These incidents are over and their recoveries are still to be found. */
  readonly onLeftOut: (incidents: readonly string[]) => void;
  readonly waiting: Waiting;
  readonly slices: Slices;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Deliveries written down in one transaction. */
const atOnce = 25;

/** Answers whether the channel took it. What was not taken because of a stop is not held against the channel. */
export async function carry(chosen: Parcel, options: CourierOptions): Promise<boolean> {
  const { write, signal, log } = options;
  const parcel = await withEnds(chosen, options);
  const facts = options.facts();
  const channel = facts.setting.channels.get(parcel.channel);
  const composed = await compose(parcel.deliveries, facts, options.slices);
  if (channel === undefined) return false;
  if (composed === null) {
    await write(unreadable(parcel, facts));
    return false;
  }
  const { message, contents } = composed;
  const delivered = await delivery(message, channel, options);
  if (delivered.kind === 'failed') {
    if (signal.aborted) return false;
    log(failedLine(message, channel.name, delivered));
  } else {
    const dueAt = parcel.deliveries.reduce((first, { row }) => Math.min(first, row.nextAt), Infinity);
    const lateMs = Math.max(0, options.facts().nowAt - dueAt);
    log(sentLine(message, { channel: channel.name, attempts: delivered.attempts, lateMs }));
  }
  if (isPerhapsReceived(delivered)) await writeNames(namingsOf(parcel.deliveries, contents), options);
  const alsoNamed = message.event === 'unknown' ? message.impacted.map(({ id }) => id) : [];
  await writeDown({ ...parcel, contents, alsoNamed }, delivered, options);
  return delivered.kind === 'sent';
}

/**
 * Fixes what each recovery ends before its first attempt, so that every attempt names the same, and that what ends
 * later has a recovery of its own. Only what is down again is taken out, unless an attempt may have been received.
 */
async function withEnds(parcel: Parcel, options: CourierOptions): Promise<Parcel> {
  const { waiting, slices, write } = options;
  const rowsOf = (uid: string) => waiting.ofIncident(uid);
  const open: number[] = [];
  const fix = async (ready: Ready): Promise<Ready> => {
    const { row } = ready;
    const known = endsOf(row.payload);
    const named = ready.event === 'recovered' ? (known ?? namedOf(row.payload)) : null;
    if (named === null || (known !== null && copiesOf(row.payload) !== null)) return ready;
    await slices.pass();
    const facts = options.facts();
    const ends = known === null ? endedWith({ ...row, named }, rowsOf, facts) : stillOver(known, facts);
    const isSame = known === null ? named.length + ends.length === 0 : ends.length === known.length;
    if (isSame) return ready;
    open.push(...named.filter((id) => !ends.includes(id)));
    const payload = changed(row.payload, { named: [], ends });
    await write([outbox.replace({ ...row, payload })]);
    return { ...ready, row: { ...row, payload } };
  };
  const [first, ...others] = parcel.deliveries;
  const deliveries: [Ready, ...Ready[]] = [await fix(first)];
  for (const ready of others) deliveries.push(await fix(ready));
  const { incidentById } = options.facts();
  const over = open.flatMap((id) => {
    const incident = incidentById(id);
    return incident === null || incident.endedAt === null ? [] : incident.uid;
  });
  if (over.length > 0) options.onLeftOut(over);
  return { ...parcel, deliveries };
}

/** How often a name is written again that a decision taken in the same moment has overwritten. */
const mostRounds = 3;

/** Before the delivery itself counts as sent: after a crash in between it is sent again, and nothing is forgotten. */
async function writeNames(namings: readonly Naming[], options: CourierOptions): Promise<void> {
  const { waiting, slices, write } = options;
  const rowsOf = (uid: string) => waiting.ofIncident(uid);
  let left = namings;
  for (let round = 0; round < mostRounds && left.length > 0; round += 1) {
    const unwritten: Naming[] = [];
    for (let from = 0; from < left.length; from += atOnce) {
      await slices.pass();
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
}

/** A message about thousands is written down in parts, so that checks and answers come in between. */
async function writeDown(
  parcel: Omit<Part, 'part' | 'isLast'>,
  delivered: Delivered,
  options: CourierOptions,
): Promise<void> {
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

function isPerhapsReceived(delivered: Delivered): boolean {
  return delivered.kind === 'sent' || delivered.mayBeReceived === true;
}

async function writePart(part: Part, delivered: Delivered, options: CourierOptions): Promise<void> {
  const facts = options.facts();
  const isWorking = delivered.kind === 'sent' && part.isLast;
  const released = isWorking ? releasedBy(part, options.waiting.all(), facts) : [];
  await options.write([...account(part, delivered, facts), ...released]);
  const owed = isPerhapsReceived(delivered) ? owedAfter(part, options) : [];
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
function owedAfter(part: Part, { facts, waiting }: CourierOptions): Operation[] {
  const now = facts();
  const { nowAt, setting } = now;
  const intents = part.part.flatMap((ready) => {
    const { row } = ready;
    if (row.monitor === null || row.incident === null || ready.outage === null) return [];
    const endedAt = endOf(ready.event, { ...row, monitor: row.monitor, incident: row.incident }, now);
    if (endedAt === null) return [];
    const rows = waiting.ofIncident(row.incident);
    if (rows.some(({ event, channel }) => event === 'recovered' && channel === row.channel)) return [];
    const { startedAt } = ready.outage;
    const about = { monitor: row.monitor, at: nowAt, startedAt, endedAt };
    const ended: Ended =
      ready.event === 'degraded'
        ? { kind: 'degraded_ended', by: 'recovery', ...about }
        : {
            kind: ready.event === 'down' ? 'incident_closed' : 'unknown_ended',
            by: howEnded(row.monitor, setting),
            uid: row.incident,
            ...about,
          };
    const known = rows.find(({ deliveryId }) => deliveryId === row.deliveryId) ?? row;
    const marks = ready.event === 'unknown' ? causeMarks(ready, part) : {};
    return recoveryOf(ended, { ...known, payload: changed(known.payload, marks) }, setting.windowMs);
  });
  return operationsOf(intents, nowAt);
}

interface About {
  readonly monitor: string;
  readonly incident: string;
}

/** When an outage or a degradation that was just told ended; null: it lasts. */
function endOf(event: string, { monitor, incident }: About, facts: Facts): number | null {
  if (event === 'down' || event === 'unknown') return facts.incident(incident)?.endedAt ?? null;
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
