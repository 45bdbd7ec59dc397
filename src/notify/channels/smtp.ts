/** One SMTP session with a mail server. */
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Transporter } from 'nodemailer';
import { type Deadline, withDeadline } from '../../engine/net/deadline.ts';
import { dial } from '../../engine/net/dial.ts';
import { PhaseTimes } from '../../engine/net/http/phase-times.ts';
import { faultOf, printable, ProbeFault } from '../../engine/net/faults.ts';
import type { Authorities } from '../../engine/net/tls-trust.ts';
import { openTunnel } from '../../engine/probes/http/link.ts';
import type { Attempt, ChannelOf, SendContext } from './channel.ts';
import { speaksOfQuota } from './quota.ts';
import { RecipientsRefused, type RefusedRecipient } from './recipients.ts';
import { unknownAuthority } from '../../engine/net/certificate.ts';
import { secondsText } from '../../engine/core/duration.ts';

type Email = ChannelOf<'email'>;

/** Lets `talk` use a transport for one connection. Rejects only with the reason of `ctx.signal`. */
export async function converse(
  channel: Email,
  ctx: SendContext,
  talk: (transport: Transporter, signal: AbortSignal) => Promise<void>,
): Promise<Attempt> {
  const timeoutMs = channel.timeout_secs * 1000;
  const mail = { isWhole: false };
  const onMailWhole = () => {
    mail.isWhole = true;
  };
  let sources = '';
  const endsAt = ctx.clock.monotonic() + timeoutMs;
  const perhaps = <Failed extends object>(failed: Failed) => {
    const leftMs = Math.max(0, Math.ceil(endsAt - ctx.clock.monotonic()));
    return mail.isWhole ? { ...failed, mayBeReceived: true as const, leftMs } : failed;
  };
  try {
    await withDeadline({ clock: ctx.clock, timeoutMs, signal: ctx.signal }, async (deadline) => {
      const authorities = await ctx.trust.authorities(channel.ca_file);
      ({ sources } = authorities);
      const transport = await openTransport(channel, ctx, { deadline, onMailWhole, authorities });
      const late = `no end of the conversation with ${channel.host}:${channel.port} within ${secondsText(timeoutMs)}`;
      try {
        await deadline.bound(talk(transport, deadline.signal), () => deadline.missed(late));
      } finally {
        transport.close();
      }
    });
    return { kind: 'sent' };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    if (!(error instanceof ProbeFault)) {
      const failed = failureOf(error, channel, { redact: ctx.redact, sources });
      if (error instanceof RecipientsRefused)
        return error.isFinal ? { kind: 'sent', unreached: failed.error } : failed;
      // The connection was lost, or the reply is none, after the last line of the mail.
      const isReplied = ((error ?? {}) as SmtpError).responseCode !== undefined;
      return isReplied ? failed : perhaps(failed);
    }
    const said = ctx.redact(error.fault.message);
    const failed = { kind: 'failed', error: said, isPermanent: false, retryAfterMs: null } as const;
    return perhaps(failed);
  }
}

interface Watched {
  readonly deadline: Deadline;
  readonly authorities: Authorities;
  /** The mail is out to its last line; what is missing is the answer to it. */
  readonly onMailWhole: () => void;
}

async function openTransport(
  channel: Email,
  ctx: SendContext,
  { deadline, onMailWhole, authorities }: Watched,
): Promise<Transporter> {
  const { default: nodemailer } = await import('nodemailer');
  return nodemailer.createTransport({
    ...settingsOf(channel, authorities.context),
    logger: loggerFor(onMailWhole),
    // Dialled when nodemailer is ready to listen: what the server says before that would be lost.
    getSocket: (_options, done) => {
      connectionTo(channel, ctx, deadline).then(
        (socket) => {
          deadline.signal.addEventListener('abort', () => socket.destroy(), { once: true });
          done(null, { connection: socket });
        },
        (error: unknown) => {
          done(error as Error);
        },
      );
    },
  });
}

async function connectionTo(
  { host, port, proxy, ca_file: caFile }: Email,
  ctx: SendContext,
  deadline: Deadline,
): Promise<Socket> {
  if (proxy === null) return (await dial({ host, port, resolver: ctx.resolver, deadline })).socket;
  return openTunnel(
    { proxy: new URL(proxy), host: host.replace(/^\[(.*)\]$/, '$1'), port },
    {
      monitor: { proxy, tls_ca_file: caFile },
      ctx,
      families: [4, 6],
      deadline,
      times: new PhaseTimes(),
      // That of the mail server is for nodemailer to judge.
      judgeTls: () => undefined,
    },
  );
}

/** nodemailer says in its log alone that a mail is out; nothing else of it is kept. */
function loggerFor(onMailWhole: () => void) {
  const ignore = () => undefined;
  const info = (entry: unknown) => {
    const { tnx } = (entry ?? {}) as { readonly tnx?: unknown };
    if (tnx === 'message') onMailWhole();
  };
  return { level: ignore, trace: ignore, debug: ignore, info, warn: ignore, error: ignore, fatal: ignore };
}

/** An address in a greeting is a literal (RFC 5321, section 4.1.3). */
function literalOf(name: string): string {
  const version = isIP(name);
  return version === 0 ? name : `[${version === 6 ? 'IPv6:' : ''}${name}]`;
}

/**
 * Who logs in, or uses the port that is meant for it, gets TLS with a certificate that is checked, or no mail at
 * all: an attacker in between could take STARTTLS out of the server's list. A relay that wants no login is used
 * as well as it can be, as mail servers do among each other.
 */
export function settingsOf(channel: Email, secureContext: SecureContext) {
  const { host, port, implicit_tls: isImplicit, username, password, ehlo_name: ehloName } = channel;
  const timeoutMs = channel.timeout_secs * 1000;
  const mustBeSecure = isImplicit || port === 587 || username !== null || password !== null;
  const servername = host.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port,
    ...(ehloName !== null && { name: literalOf(ehloName) }),
    secure: isImplicit,
    requireTLS: mustBeSecure && !isImplicit,
    opportunisticTLS: !mustBeSecure,
    tls: {
      secureContext,
      servername: isIP(servername) === 0 ? servername : '',
      rejectUnauthorized: mustBeSecure && channel.tls_verify,
    },
    ...(username !== null && { auth: { user: username, pass: password?.reveal() ?? '' }, forceAuth: true }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxResponseSize: 64 * 1024,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** What nodemailer adds to its errors. */
interface SmtpError {
  readonly message?: string;
  readonly code?: string;
  /** The code of the system error or the certificate error behind it. */
  readonly originalCode?: string;
  /** The reply of the server. */
  readonly response?: string;
  readonly responseCode?: number;
  /** What was asked last: `AUTH PLAIN`, `RCPT TO`. */
  readonly command?: string;
  readonly rejectedErrors?: readonly RefusedRecipient[];
}

interface Circumstances extends Pick<SendContext, 'redact'> {
  /** Where the trusted authorities come from, in words. */
  readonly sources: string;
}

/** A reply of 5xx is final (RFC 5321, section 4.2.1), unless it speaks of a quota; anything else may pass. */
function failureOf(
  thrown: unknown,
  channel: ChannelOf<'email'>,
  { redact, sources }: Circumstances,
): Extract<Attempt, { readonly kind: 'failed' }> {
  const error = (thrown ?? {}) as SmtpError;
  const { code, responseCode = 0, command = '' } = error;
  const isRefused = code !== 'ETLS' && responseCode >= 500 && responseCode < 600;
  const advice = adviceFor(code === 'ETLS' ? 'STARTTLS' : command);
  // Masked before it is cut: half a secret cannot be masked.
  const said = describe(error, { server: `${channel.host}:${channel.port}`, sources });
  const what = printable(redact(maskLogin(said, channel)), 400);
  const isQuota = speaksOfQuota(error);
  return {
    kind: 'failed',
    error: `${what.replace(/[.\s]+$/, '')}${advice === null || isQuota ? '' : `; check ${advice}`}`,
    isPermanent: isRefused && !isQuota,
    retryAfterMs: null,
    ...(isQuota && { isQuota }),
  };
}

function describe(
  { originalCode: code, message, response, command, rejectedErrors = [] }: SmtpError,
  { server, sources }: { readonly server: string; readonly sources: string },
): string {
  if (code !== undefined) {
    const { message: said } =
      unknownAuthority(code, { host: server, sources }) ?? faultOf({ code, message: message ?? '' }, server);
    return said;
  }
  if (command === 'RCPT TO' && rejectedErrors.length > 0)
    return `the mail server ${server} refused ${refusalsText(rejectedErrors)}`;
  if (response !== undefined) return `the mail server ${server} answered ${response}`;
  return `talking to the mail server ${server} failed: ${message ?? 'no reason given'}`;
}

/** Those with the same reply together. */
function refusalsText(refusals: readonly RefusedRecipient[]): string {
  const byReply = new Map<string, string[]>();
  for (const { recipient = 'a recipient', response = 'no reply' } of refusals)
    byReply.set(response, [...(byReply.get(response) ?? []), recipient]);
  return [...byReply].map(([reply, recipients]) => `${recipients.join(' and ')}: ${reply}`).join(', ');
}

function adviceFor(command: string): string | null {
  if (command.startsWith('AUTH')) return 'username and password';
  if (command === 'STARTTLS') return 'port and implicit_tls: the connection has to be encrypted';
  if (command === 'MAIL FROM') return 'from';
  return command === 'RCPT TO' ? 'to' : null;
}

/** A server may repeat what it was sent, and the login is sent in base64 (RFC 4616). */
function maskLogin(text: string, { username, password }: ChannelOf<'email'>): string {
  const word = password?.reveal() ?? '';
  if (word === '') return text;
  const base64 = (plain: string) => Buffer.from(plain).toString('base64').replace(/=+$/, '');
  return [base64(`\0${username ?? ''}\0${word}`), base64(word)].reduce(
    (masked, sent) => masked.replaceAll(sent, '***'),
    text,
  );
}
