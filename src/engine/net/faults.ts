/** Maps errors of the network, TLS and HTTP to an outcome, a category and a sentence. */
import { ownFaultKey, type OwnFaultKind } from '../core/own-fault.ts';
import type { Category, Certificate, ProbeResult, Reason, Timings } from '../core/probe.ts';
import { noTimings } from '../core/probe.ts';
import { cleanLine, cutText } from '../core/text.ts';

/** `failed`: the target did not do what it should. `unknown`: this host could not ask. */
export interface NetFault {
  readonly outcome: 'failed' | 'unknown';
  readonly category: Category;
  /** One sentence for the operator, without a full stop, fit for a terminal. */
  readonly message: string;
  /** Nothing came back from the network: a timeout, no route, no name server. Left out: something did. */
  readonly isSilence?: boolean;
  /** Which fault of this host (ownFaultKey); absent where the target is at fault. */
  readonly ownFault?: string;
}

/** An `unknown` outcome because of a fault of this host. */
export function unableFault(ownFault: string, message: string): NetFault {
  return { outcome: 'unknown', category: 'own_fault', message, ownFault };
}

/** What had been seen when the fault happened. */
export interface FaultContext {
  readonly address?: string | null;
  readonly timings?: Partial<Timings>;
  readonly certificate?: Certificate | null;
  readonly cause?: unknown;
}

/** The end of a probe that could not go on. */
export class ProbeFault extends Error {
  override readonly name = 'ProbeFault';
  readonly fault: NetFault;
  readonly context: FaultContext;

  constructor(fault: NetFault, context: FaultContext = {}) {
    super(fault.message, 'cause' in context ? { cause: context.cause } : undefined);
    this.fault = fault;
    this.context = context;
  }
}

/** The result of a probe that ended with a fault. */
export function faultResult({ fault, context }: ProbeFault): ProbeResult {
  return {
    outcome: fault.outcome,
    reason: reasonOf(fault),
    latencyMs: null,
    timings: { ...noTimings, ...context.timings },
    answer: null,
    assertions: [],
    certificate: context.certificate ?? null,
    address: context.address ?? null,
    ...(fault.isSilence === true && { isSilence: true }),
  };
}

function reasonOf({ category, message, ownFault }: NetFault): Reason {
  return ownFault === undefined ? { category, message } : { category, message, ownFault };
}

/**
 * What `error` says of `peer`, the thing talked to as the sentence names it (`127.0.0.1:443`, `the proxy
 * p.example:3128`). A ProbeFault keeps its own words. An error that no network can cause is this program's
 * and thus `unknown`.
 */
export function faultOf(error: unknown, peer: string): NetFault {
  if (error instanceof ProbeFault) return error.fault;
  const {
    code = '',
    reason,
    message,
  } = (error ?? {}) as { code?: string; reason?: string; message?: string };
  const { outcome, category, say, isSilence, ownFault } = table[code] ?? family(code);
  const said = say(peer, printable(reason ?? libraryReason(message ?? ''), 200), code);
  const silence = isSilence === true ? { isSilence } : {};
  if (ownFault !== undefined) return { ...unableFault(ownFaultKey(ownFault), said), ...silence };
  return { outcome, category, message: said, ...silence };
}

/** Text from outside as part of a sentence. The first cut keeps a hostile megabyte cheap. */
export function printable(text: string, maxCharacters = 120): string {
  return cutText(cleanLine(text.slice(0, 4 * maxCharacters)).trim(), maxCharacters);
}

interface Row {
  readonly outcome: NetFault['outcome'];
  readonly category: Category;
  readonly say: (peer: string, detail: string, code: string) => string;
  /** Nothing came back from the network. */
  readonly isSilence?: boolean;
  readonly ownFault?: OwnFaultKind;
}

const own = (ownFault: OwnFaultKind, say: Row['say']): Row => ({
  outcome: 'unknown',
  category: 'own_fault',
  say,
  ownFault,
});
const failed = (category: Category, say: Row['say']): Row => ({ outcome: 'failed', category, say });

const exhausted = (ownFault: OwnFaultKind, what: string) =>
  own(ownFault, (peer, _detail, code) => `this host has no ${what} left to ask ${peer} (${code})`);
const unable = (ownFault: OwnFaultKind, why: string) =>
  own(ownFault, (peer, _detail, code) => `this host ${why} ${peer} (${code})`);
const silent = (row: Row): Row => ({ ...row, isSilence: true });
const unreachable = (why: string) => silent(failed('connection', (peer) => `${peer} is unreachable: ${why}`));
const closed = failed('connection', (peer) => `connection closed by ${peer}`);
const untrusted = (why: string) => failed('tls', (peer) => `the certificate of ${peer} ${why}`);
const notTls = failed('tls', (peer) => `${peer} does not speak TLS`);
const oldTls = failed('tls', (peer) => `${peer} supports no version of TLS that this host accepts`);
const brokenTls = failed('tls', (peer, detail) => `TLS with ${peer} failed: ${detail}`);
const otherwise = failed(
  'connection',
  (peer, detail, code) => `talking to ${peer} failed: ${detail || code}`,
);
const program = own('program', (peer, detail) => `the probe of ${peer} could not be carried out: ${detail}`);

const unknownIssuer = untrusted('comes from an unknown authority');

const table: Readonly<Record<string, Row>> = {
  EMFILE: exhausted('descriptors', 'file descriptors'),
  ENFILE: exhausted('descriptors', 'file descriptors'),
  ENOBUFS: exhausted('memory', 'buffers'),
  ENOMEM: exhausted('memory', 'memory'),
  EAGAIN: exhausted('ports', 'ports'),
  EADDRINUSE: exhausted('ports', 'ports'),
  EADDRNOTAVAIL: unable('address', 'has no address or port of its own to reach'),
  EAFNOSUPPORT: unable('address', 'does not speak the address family of'),
  EACCES: unable('permission', 'does not allow connections to'),
  EPERM: unable('permission', 'does not allow connections to'),
  ENETDOWN: silent(unable('network', 'has no network to reach')),

  ECONNREFUSED: failed('connection', (peer) => `connection refused by ${peer}`),
  ECONNRESET: failed('connection', (peer) => `connection reset by ${peer}`),
  ECONNABORTED: failed('connection', (peer) => `connection to ${peer} broke off`),
  ENETRESET: failed('connection', (peer) => `connection to ${peer} broke off`),
  EPIPE: closed,
  ERR_SOCKET_CLOSED: closed,
  ERR_STREAM_DESTROYED: closed,
  ERR_STREAM_PREMATURE_CLOSE: closed,
  EHOSTDOWN: unreachable('the host is down'),
  EHOSTUNREACH: unreachable('no route to the host'),
  ENETUNREACH: unreachable('no route to its network'),
  ETIMEDOUT: silent(failed('timeout', (peer) => `${peer} does not answer`)),

  EPROTO: brokenTls,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  ERR_SSL_HTTP_REQUEST: notTls,
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldTls,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: failed('tls', (peer) => `${peer} asks for a client certificate`),
  CERT_HAS_EXPIRED: untrusted('has expired'),
  CERT_NOT_YET_VALID: untrusted('is not valid yet'),
  ERROR_IN_CERT_NOT_BEFORE_FIELD: untrusted('does not say since when it is valid'),
  ERROR_IN_CERT_NOT_AFTER_FIELD: untrusted('does not say until when it is valid'),
  CERT_REVOKED: untrusted('is revoked'),
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted('is self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  CERT_SIGNATURE_FAILURE: untrusted('has a wrong signature'),
  CERT_UNTRUSTED: untrusted('comes from an authority that is not trusted for this use'),
  CERT_REJECTED: untrusted('comes from an authority that rejects this use'),
  CERT_CHAIN_TOO_LONG: untrusted('has too long a chain'),
  PATH_LENGTH_EXCEEDED: untrusted('has too long a chain'),
  INVALID_CA: untrusted('was issued by a certificate that is no authority'),
  INVALID_PURPOSE: untrusted('is not meant for a server'),
  HOSTNAME_MISMATCH: untrusted('is for another name'),
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted('is for another name'),

  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: failed(
    'protocol',
    (peer) => `${peer} sent a body of another length than its content-length`,
  ),
};

/** Codes that differ by their beginning alone: OpenSSL has hundreds. */
function family(code: string): Row {
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return brokenTls;
  if (code.startsWith('ERR_') || code.startsWith('UND_ERR_INVALID') || code === '') return program;
  return otherwise;
}

/** OpenSSL packs its reason between colons: `write EPROTO 80…:error:0A000410:SSL routines:f:reason:file:1:`. */
function libraryReason(message: string): string {
  return /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] ?? message;
}
