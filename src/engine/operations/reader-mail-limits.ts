/** Decides which mails with links may go out to readers, and remembers that a mail server spoke of a quota. */
import { createHash } from 'node:crypto';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { meta } from '../../db/tables/meta.ts';
import { type SubscriberRow, subscribers } from '../../db/tables/subscribers.ts';
import type { Channel } from '../config/config.ts';
import { aText, fieldsOf, readAs } from '../core/decode.ts';
import { confirmationMs } from './subscribe.ts';

const hourMs = 3_600_000;

/** Mails with links an hour that nobody confirmed: over all addresses, and to the addresses of one domain. */
export const linkMailLimits = { overall: 30, perDomain: 10 } as const;

/** A mail with a link that went out, or was about to, and is not confirmed. */
export interface LinkMail {
  /** Epoch ms. */
  readonly at: number;
  /** Of the reader, and of the request: each attempt at one mail has both in common. */
  readonly uid: string;
  readonly askedAt: number;
  /** Digests: the list outlives a reader who is erased. */
  readonly inbox: string;
  readonly domain: string;
}

const linkMailsName = 'reader_link_mails';

/**
 * The mails of the last hour that count: one that was confirmed counts no more. A mail that seems to be of the future was
 * sent before the clock was set back: it counts as sent now.
 */
export function countedLinkMails(sql: SqlReader, nowAt: number): readonly LinkMail[] {
  return linkMailsIn(meta.get(sql, linkMailsName))
    .map((mail) => ({ ...mail, at: Math.min(mail.at, nowAt) }))
    .filter(({ at, uid }) => {
      const confirmedAt = subscribers.find(sql, uid)?.confirmedAt ?? null;
      return at > nowAt - hourMs && (confirmedAt === null || confirmedAt < at);
    });
}

/** What keeps the list as it is now; none: the same is kept already. */
export function keepLinkMails(sql: SqlReader, mails: readonly LinkMail[]): readonly Operation[] {
  const value = mails.map(({ at, uid, askedAt, inbox, domain }) => [at, uid, askedAt, inbox, domain]);
  const isKept = JSON.stringify(meta.get(sql, linkMailsName) ?? []) === JSON.stringify(value);
  return isKept ? [] : [meta.set({ name: linkMailsName, value })];
}

function linkMailsIn(kept: unknown): readonly LinkMail[] {
  if (!Array.isArray(kept)) return [];
  return kept.flatMap((row: unknown) => {
    const [at, uid, askedAt, inbox, domain] = Array.isArray(row) ? (row as readonly unknown[]) : [];
    return typeof at === 'number' &&
      typeof uid === 'string' &&
      typeof askedAt === 'number' &&
      typeof inbox === 'string' &&
      typeof domain === 'string'
      ? [{ at, uid, askedAt, inbox, domain }]
      : [];
  });
}

/** `drop`: the reader has to ask again. `hold`: the mail waits for room; `hold_all`: so does every other. */
type LinkMailVerdict =
  | { readonly kind: 'send'; readonly mail: LinkMail; readonly isNew: boolean }
  | { readonly kind: 'drop' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'hold_all' };

/** `counted`: what `countedLinkMails` answered, and what went out since. `perAddress`: mails an hour to one inbox. */
export function judgeLinkMail(
  { uid, address, askedAt, linkMails }: Omit<SubscriberRow, 'askedAt'> & { readonly askedAt: number },
  {
    counted,
    perAddress,
    nowAt,
  }: { readonly counted: readonly LinkMail[]; readonly perAddress: number; readonly nowAt: number },
): LinkMailVerdict {
  if (askedAt + confirmationMs < nowAt) return { kind: 'drop' };
  const { inbox, domain } = inboxOf(address);
  const own = linkMails.filter((at) => at > nowAt - hourMs && at <= nowAt).length;
  const others = counted.filter((mail) => mail.inbox === inbox && mail.uid !== uid).length;
  if (own + others >= perAddress) return { kind: 'drop' };
  const earlier = counted.find((mail) => mail.uid === uid && mail.askedAt === askedAt);
  if (earlier !== undefined) return { kind: 'send', mail: earlier, isNew: false };
  if (counted.length >= linkMailLimits.overall) return { kind: 'hold_all' };
  if (counted.filter((mail) => mail.domain === domain).length >= linkMailLimits.perDomain)
    return { kind: 'hold' };
  return { kind: 'send', mail: { at: nowAt, uid, askedAt, inbox, domain }, isNew: true };
}

/**
 * Digests of the inbox that an address leads to, and of its domain. Forms of an address with a plus or with dots lead to
 * one inbox at the large providers; elsewhere they may not, so they share a limit and no subscription.
 */
function inboxOf(address: string): Pick<LinkMail, 'inbox' | 'domain'> {
  const [, local = '', host = ''] = /^(.*)@(.*)$/.exec(address.toLowerCase()) ?? [];
  const domain = host === 'googlemail.com' ? 'gmail.com' : host;
  const name = local.replace(/\+.*$/, '').replaceAll('.', '');
  return { inbox: digestOf(`${name}@${domain}`), domain: digestOf(domain) };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

type EmailChannel = Extract<Channel, { readonly type: 'email' }>;

/** The account at a mail server that a quota is of. */
export function accountOf({ host, username }: Pick<EmailChannel, 'host' | 'username'>): string {
  return `${username ?? ''}@${host.toLowerCase()}`;
}

/** Mails to readers stop for an account since `sinceAt`, until `untilAt` (epoch ms). */
export interface MailStop {
  readonly account: string;
  readonly sinceAt: number;
  readonly untilAt: number;
  /** How often in a row the server spoke of a quota. */
  readonly times: number;
  /** The answer of the server, without secrets or addresses of readers. */
  readonly error: string;
}

const stopName = 'reader_mails_stopped';

/** How long mails to readers stop, the first time in a row, the second, … */
const stopsMs = [900_000, hourMs];

/** The last stop for the account of a channel, over or not; null: none since the last mail that was taken. */
export function mailStopOf(sql: SqlReader, channel: EmailChannel): MailStop | null {
  const fields = fieldsOf(meta.get(sql, stopName));
  const { sinceAt, untilAt, times } = fields;
  const account = readAs(fields['account'], aText);
  const error = readAs(fields['error'], aText);
  if (typeof sinceAt !== 'number' || typeof untilAt !== 'number' || typeof times !== 'number') return null;
  if (account !== accountOf(channel) || error === null) return null;
  return { account, sinceAt, untilAt, times, error };
}

/** Until when mails to readers stop, epoch ms; null: they are sent. A clock that was set back ends a stop. */
export function mailsStopUntil(sql: SqlReader, channel: EmailChannel, nowAt: number): number | null {
  const stop = mailStopOf(sql, channel);
  return stop !== null && stop.sinceAt <= nowAt && nowAt < stop.untilAt ? stop.untilAt : null;
}

/** The next stop for a channel, and what keeps it. */
export function stopMails(
  sql: SqlReader,
  channel: EmailChannel,
  { error, nowAt }: { readonly error: string; readonly nowAt: number },
): { readonly stop: MailStop; readonly operations: readonly Operation[] } {
  const times = (mailStopOf(sql, channel)?.times ?? 0) + 1;
  const untilAt = nowAt + (stopsMs[Math.min(times, stopsMs.length) - 1] ?? hourMs);
  const stop = { account: accountOf(channel), sinceAt: nowAt, untilAt, times, error };
  return { stop, operations: [meta.set({ name: stopName, value: { ...stop } })] };
}

/** The server took a mail again. */
export function resumeMails(): readonly Operation[] {
  return [meta.set({ name: stopName, value: null })];
}
