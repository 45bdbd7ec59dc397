/** Asks a mail server for TLS in its own protocol. */
import { isIP } from 'node:net';
import type { TcpMonitor } from '../config/config.ts';
import type { Category } from '../core/probe.ts';
import { printable, ProbeFault } from '../net/faults.ts';
import type { Talk } from './tcp-lines.ts';

export interface StarttlsDialect {
  /** Resolves when the server waits for the handshake; rejects with a ProbeFault when it says no. */
  readonly ask: (talk: Talk, parties: Parties) => Promise<void>;
  /** The line that ends a session. */
  readonly farewell: string;
}

interface Parties {
  /** The address and port talked to, for sentences. */
  readonly peer: string;
  /** What this host calls itself: a name, or the IP address that it has in the connection. */
  readonly ownName: string;
}

export const dialects: Readonly<Record<NonNullable<TcpMonitor['starttls']>, StarttlsDialect>> = {
  smtp: { ask: askSmtp, farewell: 'QUIT' },
  imap: { ask: askImap, farewell: 'z LOGOUT' },
};

/** RFC 3207. */
async function askSmtp(talk: Talk, { peer, ownName }: Parties): Promise<void> {
  const greeting = await reply(talk, peer, 'a greeting');
  if (greeting.code !== '220') throw no('protocol', `${peer} does not take mail`, greeting.text);
  talk.write(`EHLO ${isIP(ownName) === 0 ? ownName : addressLiteral(ownName)}`);
  const hello = await reply(talk, peer, 'an answer to EHLO');
  if (hello.code !== '250') throw no('protocol', `${peer} refuses EHLO`, hello.text);
  if (!hello.words.includes('STARTTLS')) throw no('tls', `${peer} does not offer STARTTLS`);
  talk.write('STARTTLS');
  const verdict = await reply(talk, peer, 'an answer to STARTTLS');
  if (verdict.code !== '220') throw no('tls', `${peer} refuses STARTTLS`, verdict.text);
}

/** RFC 5321, section 4.1.3: what a client without a name of its own calls itself. */
function addressLiteral(scoped: string): string {
  const address = scoped.replace(/%.*$/, '');
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`;
}

interface Reply {
  readonly code: string;
  /** The last line as it came. */
  readonly text: string;
  /** The first word of each line, in capitals: for EHLO, the extensions. */
  readonly words: readonly string[];
}

/** RFC 5321, section 4.2.1: a hyphen after the code says that another line follows. */
async function reply(talk: Talk, peer: string, what: string): Promise<Reply> {
  const words: string[] = [];
  for (;;) {
    const text = await talk.read(what);
    const [, code, mark, rest = ''] = /^(\d{3})(?:([- ])(.*))?$/s.exec(text) ?? [];
    if (code === undefined) throw no('protocol', `${peer} does not speak SMTP`, text);
    words.push(rest.trim().split(' ', 1).join('').toUpperCase());
    if (mark !== '-') return { code, text, words };
  }
}

/** RFC 9051, section 6.2.1. */
async function askImap(talk: Talk, { peer }: Parties): Promise<void> {
  const greeting = await talk.read('a greeting');
  if (/^\* PREAUTH\b/i.test(greeting)) throw no('tls', `${peer} skips TLS`, greeting);
  if (/^\* BYE\b/i.test(greeting)) throw no('protocol', `${peer} does not take connections`, greeting);
  if (!/^\* OK\b/i.test(greeting)) throw no('protocol', `${peer} does not speak IMAP`, greeting);
  talk.write('a STARTTLS');
  for (;;) {
    const line = await talk.read('an answer to STARTTLS');
    if (/^a OK\b/i.test(line)) return;
    if (/^(?:a (?:NO|BAD)|\* BYE)\b/i.test(line)) throw no('tls', `${peer} refuses STARTTLS`, line);
    if (!line.startsWith('* ')) throw no('protocol', `${peer} does not speak IMAP`, line);
  }
}

function no(category: Category, message: string, said?: string): ProbeFault {
  const quoted = said === undefined ? '' : `: "${printable(said)}"`;
  return new ProbeFault({ outcome: 'failed', category, message: message + quoted });
}
