/** Remembers the recipients that a mail server has accepted, so that a retry goes to the others alone. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { type Mailbox, mailboxIn } from '../../engine/config/types/mailbox.ts';
import type { ChannelOf } from './channel.ts';

/** What nodemailer says of a mail that was sent. */
interface SentInfo {
  readonly accepted?: readonly unknown[] | undefined;
  readonly rejectedErrors?: readonly RefusedRecipient[] | undefined;
}

/** The reply to one RCPT TO. */
export interface RefusedRecipient {
  readonly recipient?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}

/** The server took the mail for the others, if for any. Has the shape of the errors of nodemailer. */
export class RecipientsRefused extends Error {
  readonly command = 'RCPT TO';
  readonly rejectedErrors: readonly RefusedRecipient[];
  readonly responseCode: number;
  /** The others have it, and another try would reach nobody. */
  readonly isFinal: boolean;

  constructor(refusals: readonly RefusedRecipient[], taken: ReadonlySet<string>) {
    super('some recipients were refused');
    this.rejectedErrors = refusals;
    // One that may pass is worth another try.
    this.responseCode = Math.min(...refusals.map(({ responseCode = 0 }) => responseCode));
    this.isFinal = taken.size > 0 && this.responseCode >= 500;
  }
}

/**
 * By mail, the addresses it was taken for: only of mails that some recipients were refused for, and only while this process
 * runs. A restart sends such a mail to all of them once more.
 */
const takenOf = new Map<string, ReadonlySet<string>>();
const mostMails = 1000;

type Email = ChannelOf<'email'>;

const keyOf = ({ host, port, name }: Email, messageId: string) => `${host}:${port} ${name} ${messageId}`;

/** Whom of `to` the mail has still to be sent to. */
export function recipientsLeft(channel: Email, messageId: string): readonly string[] {
  const taken = takenOf.get(keyOf(channel, messageId));
  return taken === undefined ? channel.to : channel.to.filter((mailbox) => !taken.has(addressIn(mailbox)));
}

/** Whether some recipients have the mail, and others not yet. */
export function isTakenForSome(channel: Email, messageId: string): boolean {
  return (takenOf.get(keyOf(channel, messageId))?.size ?? 0) > 0;
}

/** Throws `RecipientsRefused` unless the server took the mail for all who were left. */
export function noteTaken(channel: Email, messageId: string, info: SentInfo): void {
  const key = keyOf(channel, messageId);
  const { accepted = [], rejectedErrors = [] } = info;
  const before = takenOf.get(key) ?? [];
  takenOf.delete(key);
  if (rejectedErrors.length === 0) return;
  const taken = new Set([...before, ...accepted.map(String)]);
  const refused = new RecipientsRefused(rejectedErrors, taken);
  if (refused.isFinal) throw refused;
  takenOf.set(key, taken);
  const [oldest] = takenOf.keys();
  if (takenOf.size > mostMails && oldest !== undefined) takenOf.delete(oldest);
  throw refused;
}

/** What nodemailer throws when all who were left are refused; others may have been taken before. Throws anything else as it is. */
export function noteRefused(channel: Email, messageId: string, error: unknown): never {
  const { rejectedErrors = [] } = (error ?? {}) as SentInfo;
  if (rejectedErrors.length > 0 && isTakenForSome(channel, messageId))
    noteTaken(channel, messageId, { rejectedErrors });
  throw error;
}

/** An address of the configuration as nodemailer takes it without reading it anew, by rules that are not the same. */
export function asMailbox(text: string): Mailbox {
  return mailboxIn(text) ?? { name: '', address: text };
}

/** What needs no quotes before the `@` (RFC 5322, section 3.2.3, with RFC 6532). */
const dotAtom = /^[^\s."(),:;<>@[\\\]]+(\.[^\s."(),:;<>@[\\\]]+)*$/;

/** As nodemailer names it to the server. */
export function addressIn(mailbox: string): string {
  const { address } = asMailbox(mailbox);
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  // A server that takes other letters before the `@` takes them behind it, too.
  const written = /^[ -~]*$/.test(local) ? domainToASCII(domain) : domainToUnicode(domainToASCII(domain));
  return `${dotAtom.test(local) ? local : `"${local}"`}@${written || domain}`;
}
