/** Probes a TCP port, with the certificate behind it where a mail server is asked for TLS. */
import type { Socket } from 'node:net';
import type { TcpMonitor } from '../config/config.ts';
import { parseHostPort } from '../config/types/address.ts';
import { noTimings, type ProbeResult } from '../core/probe.ts';
import type { Deadline } from '../net/deadline.ts';
import { dial, peerName } from '../net/dial.ts';
import { ProbeFault } from '../net/faults.ts';
import { attempt } from './probe-attempt.ts';
import { judgeCertificate } from '../net/judge-certificate.ts';
import type { ProbeContext } from './probe-context.ts';
import { inFamilies } from './probe-families.ts';
import type { AddressFamily } from '../net/address.ts';
import { talk } from './tcp-lines.ts';
import { type StarttlsDialect, dialects } from './tcp-starttls.ts';
import { type Secured, secure, type TlsTerms } from '../net/tls.ts';
import { traced } from '../net/tracer.ts';

/**
 * Healthy when the port takes a connection. With `starttls`, TLS must follow and its certificate must be what
 * `tls_verify` and `cert_pin` ask for. The latency is that of the whole probe, name lookup included.
 */
export function probeTcp(monitor: TcpMonitor, ctx: ProbeContext): Promise<ProbeResult> {
  return inFamilies(monitor.dual_stack, (families) =>
    attempt(monitor, ctx, (deadline) => open(monitor, { ctx, families, deadline })),
  );
}

interface Attempt {
  readonly ctx: ProbeContext;
  readonly families: readonly AddressFamily[];
  readonly deadline: Deadline;
}

async function open(monitor: TcpMonitor, { ctx, families, deadline }: Attempt): Promise<ProbeResult> {
  const { clock } = deadline;
  const to = parseHostPort(monitor.target);
  if (to === null) throw new Error(`${monitor.target} is not host:port`);
  const startedAt = clock.monotonic();
  const tracer = ctx.openTracer?.(families);
  const { socket, address, dnsMs, connectMs } = await dial({
    families,
    resolver: ctx.resolver,
    deadline,
    tracer,
    ...to,
  });
  const timings = { ...noTimings, dnsMs, connectMs };
  const result = (more: Partial<ProbeResult>, tlsMs: number | null): ProbeResult => {
    const totalMs = clock.monotonic() - startedAt;
    return { ...connected, address, latencyMs: totalMs, timings: { ...timings, tlsMs, totalMs }, ...more };
  };
  if (monitor.starttls === null) {
    socket.destroy();
    return result({}, null);
  }
  try {
    const peer = peerName(address, to.port);
    const terms = { host: to.host, peer, trust: ctx.trust, caFile: monitor.tls_ca_file, deadline, tracer };
    const dialect = dialects[monitor.starttls];
    const ownName = monitor.ehlo_name ?? socket.localAddress ?? '';
    return await upgrade(socket, { dialect, ownName, terms }, (secured) => {
      const reason = judgeCertificate(secured, monitor);
      const outcome = reason === null ? 'healthy' : 'degraded';
      return result({ outcome, reason, certificate: secured.certificate }, secured.tlsMs);
    });
  } catch (error) {
    throw error instanceof ProbeFault
      ? new ProbeFault(error.fault, { address, timings, ...error.context })
      : error;
  }
}

const connected = {
  outcome: 'healthy',
  reason: null,
  answer: null,
  assertions: [],
  certificate: null,
} as const;

interface Upgrade {
  readonly dialect: StarttlsDialect;
  readonly ownName: string;
  readonly terms: TlsTerms;
}

/** From plain text to TLS to `judge`, and out: the goodbye is sent, the connection is closed. */
async function upgrade<T>(
  raw: Socket,
  { dialect, ownName, terms }: Upgrade,
  judge: (secured: Secured) => T,
): Promise<T> {
  const { peer, deadline } = terms;
  let socket = raw;
  try {
    const conversation = talk(raw, peer, deadline);
    await traced(terms.tracer, 'starttls', () => dialect.ask(conversation, { peer, ownName }));
    if (conversation.leave()) {
      // Taken for a part of the encrypted session, it would be taken for the server's own answer.
      const message = `${peer} goes on in plain text after it agreed to TLS`;
      throw new ProbeFault({ outcome: 'failed', category: 'protocol', message });
    }
    const secured = await secure(raw, terms);
    socket = secured.socket;
    return judge(secured);
  } finally {
    await part(socket, dialect.farewell, deadline);
  }
}

/** How long a server gets to hang up by itself once the goodbye is sent. */
const patienceMs = 250;

async function part(socket: Socket, farewell: string, { clock, signal }: Deadline): Promise<void> {
  if (socket.writable && !signal.aborted) {
    const closed = new AbortController();
    socket.once('close', () => {
      closed.abort();
    });
    socket.resume().end(`${farewell}\r\n`);
    await clock.sleep(patienceMs, AbortSignal.any([signal, closed.signal])).catch(() => undefined);
  }
  socket.destroy();
}
