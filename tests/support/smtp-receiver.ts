/** A real mail server on loopback that keeps what it takes, opened up: headers decoded, parts by their type. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Credentials } from './tls.ts';

export interface ReceivedMail {
  readonly sender: string;
  readonly recipients: readonly string[];
  /** The login it came with; null without one. */
  readonly login: string | null;
  readonly isEncrypted: boolean;
  /** As they came, unfolded, in order: names in lower case, encoded words decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** By their type: `text/plain`, `text/html`. */
  readonly parts: Readonly<Record<string, string>>;
  readonly raw: string;
}

export interface SmtpReceiver {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Logins that were tried, with the right password or not. */
  readonly logins: readonly string[];
  /** What clients called themselves (EHLO), once a mail. */
  readonly greetings: readonly string[];
  readonly close: () => Promise<void>;
}

export interface SmtpRules {
  readonly credentials?: Credentials;
  readonly isImplicit?: boolean;
  /** `user:password`. */
  readonly login?: string;
  readonly hidesStarttls?: boolean;
  /** Answers instead of 250, at this step; what a test sets is answered from then on. */
  refusal?: { readonly at: 'RCPT TO' | 'MAIL FROM' | 'DATA'; readonly reply: string };
  /** How long a mail takes to be taken, in milliseconds. */
  readonly delayMs?: number;
  /** What each recipient is answered instead of 250; what a test takes out of it is taken from then on. */
  readonly refused?: ReadonlyMap<string, string>;
}

export async function startSmtp(rules: SmtpRules = {}): Promise<SmtpReceiver> {
  const { credentials, isImplicit = false, login, hidesStarttls = false } = rules;
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  const greetings: string[] = [];
  const refusalAt = (step: string): Error | null =>
    rules.refusal?.at === step ? replying(rules.refusal.reply) : null;
  const options: SMTPServerOptions = {
    secure: isImplicit,
    ...(credentials && { key: credentials.key, cert: credentials.cert }),
    ...(hidesStarttls && { hideSTARTTLS: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
    authOptional: login === undefined,
    ...(login === undefined && { disabledCommands: [...(hidesStarttls ? ['STARTTLS'] : []), 'AUTH'] }),
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
    onAuth: ({ username = '', password = '' }, _session, done) => {
      logins.push(`${username}:${password}`);
      if (`${username}:${password}` === login) done(null, { user: username });
      else {
        const echo = Buffer.from(`\0${username}\0${password}`).toString('base64');
        done(replying(`535 5.7.8 Authentication failed for ${username} with ${password} (${echo})`));
      }
    },
    onMailFrom: (_address, { hostNameAppearsAs }, done) => {
      greetings.push(hostNameAppearsAs);
      done(refusalAt('MAIL FROM'));
    },
    onRcptTo: ({ address }, _session, done) => {
      const reply = rules.refused?.get(address);
      done(reply === undefined ? refusalAt('RCPT TO') : replying(reply));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refusal = refusalAt('DATA');
        if (refusal === null) {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            sender: mailFrom === false ? '' : mailFrom.address,
            recipients: rcptTo.map(({ address }) => address),
            login: typeof session.user === 'string' ? session.user : null,
            isEncrypted: session.secure,
            ...openMail(Buffer.concat(chunks).toString('latin1')),
          });
        }
        setTimeout(() => {
          done(refusal);
        }, rules.delayMs ?? 0);
      });
    },
  };
  const server = new SMTPServer(options);
  // What clients do to a connection is theirs to report.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    logins,
    greetings,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** An error that smtp-server answers with exactly this reply. */
function replying(reply: string): Error {
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}

/** Opens the bytes of a mail (as Latin-1) by RFC 5322 and 2045, as far as a reader of mail needs them. */
export function openMail(raw: string): Pick<ReceivedMail, 'headers' | 'parts' | 'raw'> {
  const [headers, body] = split(raw);
  return {
    headers: headers.map(([name, value]) => [name, words(value)]),
    parts: partsOf(headers, body),
    raw,
  };
}

type Headers = readonly (readonly [name: string, value: string])[];

function split(entity: string): readonly [Headers, string] {
  const end = entity.indexOf('\r\n\r\n');
  const head = (end === -1 ? entity : entity.slice(0, end)).replace(/\r\n[ \t]+/g, ' ');
  const headers = head.split('\r\n').map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`no header: ${JSON.stringify(line)}`);
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return [headers, end === -1 ? '' : entity.slice(end + 4)];
}

const valueOf = (headers: Headers, name: string) => headers.find(([key]) => key === name)?.[1] ?? '';

function partsOf(headers: Headers, body: string): Record<string, string> {
  const type = valueOf(headers, 'content-type');
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  if (boundary === undefined) {
    const kind = (type.split(';')[0] ?? '').trim();
    return { [kind]: decoded(body, valueOf(headers, 'content-transfer-encoding').toLowerCase()) };
  }
  const pieces = body.split(`--${boundary}`).slice(1, -1);
  return Object.assign({}, ...pieces.map((piece) => partsOf(...split(piece.replace(/^\r\n/, ''))))) as Record<
    string,
    string
  >;
}

function decoded(body: string, encoding: string): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? unquoted(body.replace(/=\r\n/g, '')) : body, 'latin1');
  return bytes.toString('utf8').replaceAll('\r\n', '\n').replace(/\n$/, '');
}

const unquoted = (text: string) =>
  text.replace(/=([0-9A-F]{2})/g, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/** RFC 2047; the space between two encoded words is none. */
function words(value: string): string {
  return value
    .replace(/(\?=)\s+(?==\?)/g, '$1')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, encoding: string, text: string) => {
      const bytes =
        encoding.toLowerCase() === 'b'
          ? Buffer.from(text, 'base64')
          : Buffer.from(unquoted(text.replaceAll('_', ' ')), 'latin1');
      return bytes.toString('utf8');
    });
}
