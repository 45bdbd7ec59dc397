/** Says what went wrong with a mail server. */
import { unknownAuthority } from '../../../engine/net/certificate.ts';
import { faultOf, printable } from '../../../engine/net/faults.ts';
import type { Attempt, ChannelOf, SendContext } from '../channel.ts';

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
}

interface Circumstances extends Pick<SendContext, 'redact'> {
  /** Where the trusted authorities come from, in words. */
  readonly sources: string;
}

/** A reply of 5xx stands (RFC 5321, section 4.2.1); anything else may pass. */
export function failureOf(
  thrown: unknown,
  channel: ChannelOf<'email'>,
  { redact, sources }: Circumstances,
): Attempt {
  const error = (thrown ?? {}) as SmtpError;
  const { code, responseCode = 0, command = '' } = error;
  const isRefused = code !== 'ETLS' && responseCode >= 500 && responseCode < 600;
  const advice = adviceFor(code === 'ETLS' ? 'STARTTLS' : command);
  // Masked before it is cut: half a secret would be known to nobody.
  const said = describe(error, { server: `${channel.host}:${channel.port}`, sources });
  const what = printable(redact(maskLogin(said, channel)), 400);
  return {
    kind: 'failed',
    error: `${what.replace(/[.\s]+$/, '')}${advice === null ? '' : `; check ${advice}`}`,
    isPermanent: isRefused,
    retryAfterMs: null,
  };
}

function describe(
  { originalCode: code, message, response }: SmtpError,
  { server, sources }: { readonly server: string; readonly sources: string },
): string {
  if (code !== undefined) {
    const { message: said } =
      unknownAuthority(code, { host: server, sources }) ?? faultOf({ code, message: message ?? '' }, server);
    return said;
  }
  if (response !== undefined) return `the mail server ${server} answered ${response}`;
  return `talking to the mail server ${server} failed: ${message ?? 'no reason given'}`;
}

function adviceFor(command: string): string | null {
  if (command.startsWith('AUTH')) return 'username and password';
  if (command === 'STARTTLS') return 'port and implicit_tls: the connection has to be encrypted';
  if (command === 'MAIL FROM') return 'from';
  return command === 'RCPT TO' ? 'to' : null;
}

/** A server may repeat what it was told, and it is told the login in base64 (RFC 4616). */
function maskLogin(text: string, { username, password }: ChannelOf<'email'>): string {
  const word = password?.reveal() ?? '';
  if (word === '') return text;
  const base64 = (plain: string) => Buffer.from(plain).toString('base64').replace(/=+$/, '');
  return [base64(`\0${username ?? ''}\0${word}`), base64(word)].reduce(
    (masked, sent) => masked.replaceAll(sent, '***'),
    text,
  );
}
