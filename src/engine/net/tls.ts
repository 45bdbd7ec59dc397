/** Speaks TLS over a connected socket. */
import { secondsText } from '../core/duration.ts';
import { isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Certificate } from '../core/probe.ts';
import { certificateOf, distrust } from './certificate.ts';
import { type Deadline } from './deadline.ts';
import { type NetFault, faultOf, ProbeFault } from './faults.ts';
import type { Authorities, Trust } from './tls-trust.ts';
import { traced, type TraceEvent, type ProbeTracer } from './tracer.ts';

export interface TlsTerms {
  /** The name that the server is asked for (SNI) and that its certificate must bear; an IP address too. */
  readonly host: string;
  /** The address and port talked to, for sentences. */
  readonly peer: string;
  readonly trust: Trust;
  /** PEM authorities trusted besides those of this host. */
  readonly caFile: string | null;
  readonly deadline: Deadline;
  /** The protocols offered by ALPN; default: none. */
  readonly protocols?: readonly string[];
  readonly tracer?: ProbeTracer | undefined;
}

export interface Secured {
  readonly socket: TLSSocket;
  readonly certificate: Certificate | null;
  /** Why the certificate is not to be trusted for `host`; null when it is. The caller decides whether that matters. */
  readonly distrust: NetFault | null;
  readonly tlsMs: number;
}

/**
 * A full handshake, never a resumed one. An untrusted certificate does not end it: it is reported.
 * Rejects with a ProbeFault when there is no handshake; the socket is closed then.
 */
export async function secure(raw: Socket, terms: TlsTerms): Promise<Secured> {
  const { deadline } = terms;
  const host = terms.host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const authorities = await trusted(raw, terms);
  const startedAt = deadline.clock.monotonic();
  try {
    const socket = await traced(terms.tracer, 'tls', () => handshake(raw, { ...terms, host }, authorities));
    const secured = {
      socket,
      certificate: certificateOf(socket),
      distrust: distrust(socket, { host, nowAt: deadline.clock.now(), sources: authorities.sources }),
      tlsMs: deadline.clock.monotonic() - startedAt,
    };
    terms.tracer?.(traceEventOf(secured));
    return secured;
  } catch (error) {
    raw.destroy();
    throw error;
  }
}

/** The time of reading them does not count as that of the target. */
async function trusted(raw: Socket, { trust, caFile }: TlsTerms): Promise<Authorities> {
  try {
    return await trust.authorities(caFile);
  } catch (error) {
    raw.destroy();
    throw error;
  }
}

function traceEventOf({ socket, certificate, distrust: fault }: Secured): TraceEvent {
  const cipher = socket.getCipher() as { readonly standardName?: string } | undefined;
  return {
    kind: 'secured',
    protocol: socket.getProtocol(),
    cipher: cipher?.standardName ?? null,
    certificate,
    distrust: fault?.message ?? null,
  };
}

async function handshake(
  raw: Socket,
  { host, peer, deadline, protocols }: TlsTerms,
  { context: secureContext }: Authorities,
): Promise<TLSSocket> {
  const socket = connect({
    socket: raw,
    host,
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: false,
    secureContext,
    ...(protocols && { ALPNProtocols: [...protocols] }),
  });
  const done = new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    // Errors after the handshake are the caller's to hear of; unheard, they must not end the process.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reject(new ProbeFault(handshakeFault(error, peer), { cause: error }));
    });
    socket.once('close', () => {
      const message = `connection closed by ${peer} during the TLS handshake`;
      reject(new ProbeFault({ outcome: 'failed', category: 'tls', message }));
    });
  });
  try {
    const late = `no TLS handshake with ${peer} within ${secondsText(deadline.timeoutMs)}`;
    await deadline.bound(done, () => deadline.missed(late));
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** A connection that breaks in the handshake is a matter of TLS: TCP had worked. */
function handshakeFault(error: NodeJS.ErrnoException, peer: string): NetFault {
  const fault = faultOf(error, peer);
  if (fault.category !== 'connection') return fault;
  return { ...fault, category: 'tls', message: `${fault.message} during the TLS handshake` };
}
