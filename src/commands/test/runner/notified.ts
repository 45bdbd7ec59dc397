/** What stays of a message that a channel took. */
import type { Message } from '../../../notify/message.ts';
import { wordingOf } from '../../../notify/wording/words.ts';
import type { Notified } from './test-run.ts';

/** `atMs`: when, from the start of the test. */
export function notifiedOf(message: Message, channel: string, atMs: number): Notified {
  return {
    atMs,
    channel,
    event: message.event,
    monitor: 'monitor' in message ? message.monitor.id : null,
    impacted: 'impacted' in message ? message.impacted.map(({ id }) => id) : [],
    cause: message.event === 'down' ? (message.cause?.id ?? null) : null,
    isLate: message.event === 'recovered' && message.isLate,
    title: wordingOf(message).title,
  };
}
