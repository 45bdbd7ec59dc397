/** Mail addresses. */
import { domainToASCII } from 'node:url';
import { hasControlCode } from './text.ts';
import { bad, good, notA, type ValueType } from './value.ts';

const name = 'a mail address';
const hint = 'for example ops@example.com or Operations <ops@example.com>';

/** What has a meaning of its own in a list of addresses (RFC 5322, section 3.2.3) is part of none. */
const address = /^[^\s@<>,;:()"\\[\]]+@([^\s@<>,;:()"\\[\]]+|\[[0-9A-Za-z.:]+\])$/;

/** In ASCII, as the DNS has it. */
const hostName = /^[\w-]+(\.[\w-]+)*\.?$/;

/** A mail address, with the name before it; '': none. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** Reads `local@domain`, or `Name <local@domain>`; null: it is neither. */
export function mailboxIn(text: string): Mailbox | null {
  const written = text.trim();
  const [, before = '', within = written] = /^([^<>]*)<([^<>]+)>$/.exec(written) ?? [];
  const domain = address.exec(within)?.[1];
  if (domain === undefined || (!domain.startsWith('[') && !hostName.test(domainToASCII(domain)))) return null;
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(before.trim())?.[1];
  return { name: quoted?.replace(/\\(.)/g, '$1') ?? before.trim(), address: within };
}

export const mailbox: ValueType<string> = {
  name,
  schema: { type: 'string', pattern: '@' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA(name, raw);
    if (raw === '') return bad('must not be empty', hint);
    // A line break would let a value add headers to the mail.
    if (hasControlCode(raw)) return bad('must not contain control codes or line breaks');
    const written = raw.trim();
    return mailboxIn(written) !== null && written.length <= 500
      ? good(written)
      : bad(`must be ${name}`, hint);
  },
};
