/** Masks secrets in the texts of a message, whoever brought them in: a target, a producer, a peer. */
import type { Message } from '../message.ts';

/** Words of this program and addresses made by it: a short secret must not tear them apart. */
const own = new Set([
  'event',
  'severity',
  'deliveryId',
  'groupId',
  'link',
  'id',
  'category',
  'from',
  'verdict',
  'pace',
]);

export function withoutSecrets(message: Message, redact: (text: string) => string): Message {
  return masked(message, redact) as Message;
}

function masked(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, own.has(key) ? item : masked(item, redact)]),
  );
}
