/** What readers do about the mails they get: the addresses that are taken, and whose a link is. */
import { hash, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { SqlReader } from '../../db/store/sql.ts';
import { type SubscriberRow, subscribers } from '../../db/tables/subscribers.ts';
import type { Config, Monitor } from '../config/config.ts';

/** So long a reader has to confirm. */
export const confirmationMs = 86_400_000;

/** The name of a reader, then the secret of one mail. */
const link = /^([A-Za-z0-9._-]{1,100})~([A-Za-z0-9_-]{43})$/;

/** An address as mail servers take it, its domain in ASCII; null: it is none. */
export function addressIn(typed: string): string | null {
  const [, local, domain] =
    /^([A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64})@([^\s@<>,;[\]"]{1,253})$/.exec(typed.trim()) ?? [];
  if (local === undefined || domain === undefined) return null;
  const ascii = domainToASCII(domain);
  const address = `${local}@${ascii}`;
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(ascii) && address.length <= 254 ? address : null;
}

export function linkOf(uid: string, secret: string): string {
  return `${uid}~${secret}`;
}

/** What is kept of the secret in a link: SHA-256, hexadecimal. */
export function digestOfSecret(secret: string): string {
  return hash('sha256', secret);
}

/**
 * Whose a link is; null: nobody's, or of one who did not confirm in time. Every digest is compared, in a time that shows
 * nothing of how much of it was right.
 */
export function subscriberOfLink(sql: SqlReader, text: string, nowAt: number): SubscriberRow | null {
  const [, uid = '', secret = ''] = link.exec(text) ?? [];
  const row = subscribers.find(sql, uid);
  const given = Buffer.from(digestOfSecret(secret));
  let isRight = false;
  for (const token of row?.tokens ?? [noToken]) {
    const known = Buffer.from(token);
    if (known.length === given.length && timingSafeEqual(known, given)) isRight = true;
  }
  if (row === null || !isRight) return null;
  return row.confirmedAt === null && row.requestedAt + confirmationMs <= nowAt ? null : row;
}

const noToken = '0'.repeat(64);

/** What readers can choose from: the groups that strangers see, then '' for monitors of none; nothing where that is no choice. */
export function groupChoices(monitors: readonly Monitor[]): readonly string[] {
  const shown = monitors.filter((monitor) => monitor.public);
  const names = new Set(shown.flatMap(({ group }) => (group === null ? [] : [group])));
  const choices = shown.some(({ group }) => group === null) ? [...names, ''] : [...names];
  return choices.length < 2 ? [] : choices;
}

/** The channel whose server sends the mails; null: nothing is sent, as things are configured. */
export function mailChannelOf({ subscribe, channels }: Pick<Config, 'subscribe' | 'channels'>) {
  const channel = channels.find(({ name }) => name === subscribe?.email_channel);
  return channel?.type === 'email' ? channel : null;
}
