/** Connects to the server of a URL: directly or through a proxy, with TLS if the URL needs it. */
import type { Socket } from 'node:net';
import type { HttpMonitor } from '../../config/config.ts';
import type { Deadline } from '../../net/deadline.ts';
import { dial, type Dialled, peerName, type AddressScreen } from '../../net/dial.ts';
import { ProbeFault } from '../../net/faults.ts';
import type { ProbeContext } from '../probe-context.ts';
import type { AddressFamily } from '../../net/address.ts';
import { type Secured, secure } from '../../net/tls.ts';
import { traced, type ProbeTracer } from '../../net/tracer.ts';
import { loadHttpClient } from '../../net/http/client.ts';
import type { Link } from '../../net/http/request.ts';
import type { PhaseTimes } from '../../net/http/phase-times.ts';
import {
  faultOfProxy,
  proxyAuthorization,
  proxyName,
  proxyPort,
  tunnel,
  type TunnelTerms,
} from '../../net/http/proxy.ts';

export interface LinkTerms {
  readonly monitor: Pick<HttpMonitor, 'proxy' | 'tls_ca_file'>;
  readonly ctx: Pick<ProbeContext, 'resolver' | 'trust'>;
  readonly families: readonly AddressFamily[];
  readonly deadline: Deadline;
  readonly times: PhaseTimes;
  readonly tracer?: ProbeTracer | undefined;
  /** Sees what a TLS server presented before anything is sent to it; throws to end the probe there. */
  readonly judgeTls: (secured: Secured) => void;
  /** What is offered to a TLS target by ALPN; default: `http/1.1`. */
  readonly protocol?: HttpProtocol;
  /** Which addresses of the target may be connected to; default: all. A proxy finds the address of the target itself. */
  readonly screen?: AddressScreen | undefined;
}

type HttpProtocol = 'http/1.1' | 'h2';

/** Rejects with a ProbeFault; what was seen on the way is in the journal. */
export async function openLink(url: URL, terms: LinkTerms): Promise<Link> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port || (isSecure ? 443 : 80));
  const path = `${url.pathname}${url.search}`;
  const { monitor, deadline, times } = terms;

  if (monitor.proxy === null) {
    const { socket, address } = await reach({ host, port }, terms);
    const peer = peerName(address, port);
    if (!isSecure) return { socket, peer, path, headers: [] };
    return { socket: await secureTo({ host, peer, socket }, terms), peer, path, headers: [] };
  }

  const proxy = new URL(monitor.proxy);
  const peer = `${peerName(host, port)} behind ${proxyName(proxy)}`;
  const way = await reachProxy(proxy, terms);
  if (!isSecure && proxy.protocol !== 'socks5:') {
    // A plain target is asked for by its whole URL (RFC 9112, section 3.2.2): proxies seldom tunnel to port 80.
    return { socket: way, peer, path: url.href, headers: proxyAuthorization(proxy) };
  }
  const startedAt = deadline.clock.monotonic();
  const socket = await digTunnel(way, { proxy, host, port }, terms);
  times.add('connectMs', deadline.clock.monotonic() - startedAt);
  if (!isSecure) return { socket, peer, path, headers: [] };
  return { socket: await secureTo({ host, peer, socket }, terms), peer, path, headers: [] };
}

/** A connection to `host` and `port` through a proxy. Rejects with a ProbeFault that names the proxy. */
export async function openTunnel(to: TunnelEnd, terms: LinkTerms): Promise<Socket> {
  return digTunnel(await reachProxy(to.proxy, terms), to, terms);
}

type TunnelEnd = Pick<TunnelTerms, 'proxy' | 'host' | 'port'>;

function digTunnel(way: Socket, to: TunnelEnd, { tracer, deadline }: LinkTerms): Promise<Socket> {
  return traced(tracer, 'tunnel', async () =>
    tunnel(way, { client: await loadHttpClient(), ...to, deadline }),
  );
}

async function reach(
  to: { readonly host: string; readonly port: number },
  { ctx, families, deadline, times, tracer, screen }: LinkTerms,
): Promise<Dialled> {
  try {
    const { host, port } = to;
    const dialled = await dial({ host, port, families, resolver: ctx.resolver, deadline, tracer, screen });
    times.add('dnsMs', dialled.dnsMs);
    times.add('connectMs', dialled.connectMs);
    times.address = dialled.address;
    return dialled;
  } catch (error) {
    if (error instanceof ProbeFault) {
      times.add('dnsMs', error.context.timings?.dnsMs ?? null);
      times.address = error.context.address ?? times.address;
    }
    throw error;
  }
}

async function secureTo(
  { host, peer, socket }: { readonly host: string; readonly peer: string; readonly socket: Socket },
  { monitor, ctx, deadline, times, judgeTls, tracer, protocol = 'http/1.1' }: LinkTerms,
): Promise<Socket> {
  const { tls_ca_file: caFile } = monitor;
  const secured = await secure(socket, {
    host,
    peer,
    trust: ctx.trust,
    caFile,
    deadline,
    protocols: [protocol],
    tracer,
  });
  times.add('tlsMs', secured.tlsMs);
  try {
    judgeTls(secured);
  } catch (error) {
    secured.socket.destroy();
    throw error;
  }
  return secured.socket;
}

/** A connection to the proxy itself. An https proxy must always be trusted: it is sent a password. */
async function reachProxy(proxy: URL, terms: LinkTerms): Promise<Socket> {
  try {
    const { socket } = await reach(
      { host: proxy.hostname, port: proxyPort(proxy) },
      { ...terms, screen: undefined },
    );
    if (proxy.protocol !== 'https:') return socket;
    const judgeTls = ({ distrust }: Secured) => {
      if (distrust !== null) throw new ProbeFault(distrust);
    };
    return await secureTo(
      { host: proxy.hostname, peer: proxyName(proxy), socket },
      {
        ...terms,
        judgeTls,
        protocol: 'http/1.1',
      },
    );
  } catch (error) {
    if (!(error instanceof ProbeFault)) throw error;
    throw new ProbeFault(faultOfProxy(error, proxy), { ...error.context, cause: error });
  }
}
