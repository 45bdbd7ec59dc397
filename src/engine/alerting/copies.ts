/**
 * What a delivery remembers of the message in which its channel is given it: which one that is, and how many copies of it
 * went out whole without an answer, each of which may have been received.
 */
import type { EventName } from './events/catalogue.ts';
import { type EventFields, fieldsOf, numberIn, type PayloadJson, textIn } from './events/stored.ts';
import type { Retry } from './retry.ts';

export interface MessageMark {
  /** The id that receivers recognise the message by. */
  readonly as: string;
  /** The id of the delivery that leads it. */
  readonly lead: string;
}

export interface Copies extends MessageMark {
  /** How many copies ended without an answer, at least 1. */
  readonly count: number;
  /**
   * How much of its time to answer the receiver had left when the last one ended, ms; null: a further copy has a time of
   * its own, whatever else the channel takes.
   */
  readonly leftMs: number | null;
}

/** In the life of an outage, or of whatever else the message is about. */
const mostCopies = 4;
/** The same for those who put it off while others took it. */
const mostForSome = 6;

const firstPauseMs = 30_000;

/** Null: no attempt ended without an answer. */
export function copiesOf(payload: PayloadJson): Copies | null {
  const message = messageOf(payload);
  const count = numberIn(fieldsIn(payload), 'count');
  const leftMs = numberIn(fieldsIn(payload), 'leftMs');
  return message === null || count === null || count < 1 ? null : { ...message, count, leftMs };
}

/**
 * The message in which a channel was about to be given a delivery, or was given it without an answer: after a crash the
 * same deliveries go in it again. Null: there is none, or the channel refused it.
 */
export function messageOf(payload: PayloadJson): MessageMark | null {
  const fields = fieldsIn(payload);
  const as = textIn(fields, 'as');
  // Earlier versions called a message by the delivery that leads it.
  return as === null ? null : { as, lead: textIn(fields, 'lead') ?? as };
}

/** What is written of it: before the first attempt, with a count of 0, and after each without an answer. */
export function markedAs(
  { as, lead }: MessageMark,
  count: number,
  leftMs: number | null = null,
): EventFields {
  return { copies: { as, lead, count, ...(leftMs !== null && { leftMs }) } };
}

function fieldsIn(payload: PayloadJson): EventFields {
  return fieldsOf(fieldsOf(payload)['copies']);
}

interface Tried {
  readonly event: EventName;
  /** How many copies ended without an answer, or were taken by some recipients only; at least 1. */
  readonly count: number;
  /** Some recipients have it, and no further copy goes to them. */
  readonly reachedSome: boolean;
  readonly nowAt: number;
}

/**
 * When the next copy goes out: after 30 s, then twice as long each time; none after the fourth. For those who put it off while
 * others took it there are six, the last after a quarter of an hour: mail servers do that to whom they do not know. Of a
 * reminder there is none then: the next one follows in its time.
 */
export function retryCopy({ event, count, reachedSome, nowAt }: Tried): Retry {
  if (reachedSome && event === 'reminder') return { kind: 'give_up' };
  if (count >= (reachedSome ? mostForSome : mostCopies)) return { kind: 'give_up' };
  return { kind: 'wait', untilAt: nowAt + pauseAfter(count) };
}

interface WaitingCopy extends Pick<Copies, 'count'> {
  readonly leftMs: number;
  /** When it is due so far. */
  readonly nextAt: number;
  readonly nowAt: number;
}

/**
 * When a copy goes now that its channel took another message: at once, but no sooner than the receiver could have answered
 * the copy before it. A receiver that is still at work on that one does not know its delivery id yet, and would take the
 * next copy for a new message.
 */
export function copySooner({ count, leftMs, nextAt, nowAt }: WaitingCopy): number {
  const endedAt = nextAt - pauseAfter(count);
  return Math.min(nextAt, Math.max(nowAt, endedAt + leftMs));
}

function pauseAfter(count: number): number {
  return firstPauseMs * 2 ** (count - 1);
}
