/** Subscriptions of readers to mails: valid addresses, the owner of a link, and who gets a mail. */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { BroadcastRow } from '../../db/tables/broadcasts.ts';
import { type SubscriberRow, subscribers } from '../../db/tables/subscribers.ts';
import type { Config, Monitor } from '../config/config.ts';

/** How long a reader has to confirm. */
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

/** What an address is asked mails for with; `max` readers are kept, who confirmed. */
interface SignUp {
  readonly uid: string;
  readonly address: string;
  readonly groups: readonly string[];
  readonly at: number;
  readonly max: number;
}

/** A bound of the record, beyond all that is kept. */
const unbounded = 1_000_000;

/**
 * What is to be written of a sign-up. Who did not confirm yet takes the place of no reader: beside those who did, a tenth as
 * many as may be kept wait for it, and at least 100. When more ask, who has waited longest gives way, and has to ask again;
 * so one visitor, who can ask for thousands of addresses, keeps nobody out who confirms within minutes.
 */
export function signUp(sql: SqlReader, { max, ...asked }: SignUp): readonly Operation[] {
  const { confirmed, waiting } = subscribers.counts(sql);
  if (subscribers.findByAddress(sql, asked.address) !== null)
    return [subscribers.ask({ ...asked, max: unbounded })];
  // A new one is not kept.
  if (confirmed >= max) return [subscribers.ask({ ...asked, max: 1 })];
  const tooMany = waiting + 1 - Math.max(leastWaiting, Math.ceil(max / 10));
  const leaving = tooMany <= 0 ? [] : subscribers.oldestWaiting(sql, tooMany);
  return [
    ...leaving.map((uid) => subscribers.remove({ uid })),
    subscribers.ask({ ...asked, max: unbounded }),
  ];
}

const leastWaiting = 100;

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

/** The links of one reader, whole. */
export interface ReaderLinks {
  readonly manage: string;
  readonly unsubscribe: string;
}

/**
 * Makes the links in mails, and what has to be written before they work (null: they do already). Their secrets follow from
 * a key that this process alone has, so that a reader gets new ones only after a start, and those of mails before it go on
 * working. `baseUrl` has no slash at its end.
 */
export function createLinks(baseUrl: () => string) {
  const key = randomBytes(32);
  return ({ uid, tokens }: Pick<SubscriberRow, 'uid' | 'tokens'>) => {
    const secret = createHmac('sha256', key).update(uid).digest('base64url');
    const token = digestOfSecret(secret);
    const link = linkOf(uid, secret);
    const links: ReaderLinks = {
      manage: `${baseUrl()}/subscribe/${link}`,
      unsubscribe: `${baseUrl()}/unsubscribe/${link}`,
    };
    return { links, admission: tokens.includes(token) ? null : subscribers.admit({ uid, token }) };
  };
}

/** What readers can choose from: the groups that are public, then '' for monitors of none; nothing where that is no choice. */
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

/** A mail to one reader. */
export interface ReaderMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What becomes of a broadcast now. `untilAt`: when to ask again at the latest, epoch ms. */
export type BroadcastDecision =
  | { readonly kind: 'drop' }
  | { readonly kind: 'wait'; readonly untilAt: number }
  | {
      readonly kind: 'send';
      /** Only to those who want any of these groups; null: to all. */
      readonly groups: readonly string[] | null;
      /** Not to those who want any of these: they are notified of the cause. */
      readonly without: readonly string[];
      readonly mail: (links: ReaderLinks) => ReaderMail;
    };

/** What readers are mailed, as it is public at this moment. */
export interface ReaderMails {
  readonly decide: (broadcast: BroadcastRow) => BroadcastDecision;
  /** What is to be put down about maintenance, that was not yet, and when there may be more (epoch ms; Infinity: never). */
  readonly dueMaintenance: () => { readonly operations: readonly Operation[]; readonly nextAt: number };
  /** With the link that a reader asked for. */
  readonly linkMail: (link: string, isConfirmed: boolean) => ReaderMail;
}

/** Whether a reader gets a broadcast: one who chose no groups wants everything. */
export function isAddressed(
  wanted: readonly string[],
  { groups, without }: Pick<Extract<BroadcastDecision, { kind: 'send' }>, 'groups' | 'without'>,
): boolean {
  const wants = (some: readonly string[]) =>
    wanted.length === 0 || some.some((group) => wanted.includes(group));
  if (without.length > 0 && wants(without)) return false;
  return groups === null || wants(groups);
}
