/** Requests a tunnel from a proxy, so that the proxy looks up the target's name. */
import { secondsText } from '../../core/duration.ts';
import type { Socket } from 'node:net';
import type { Deadline } from '../deadline.ts';
import { type NetFault, faultOf, printable, ProbeFault } from '../faults.ts';
import type { HttpClient } from './client.ts';
import { basic, type Header, loginOf, maxHeaderBytes } from './request.ts';

export interface TunnelTerms {
  readonly client: HttpClient;
  readonly proxy: URL;
  /** Where the tunnel is to end: a name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly deadline: Deadline;
}

/** `the proxy p.example:3128`: without user name and password. */
export function proxyName(proxy: URL): string {
  return `the proxy ${proxy.hostname}:${proxyPort(proxy)}`;
}

/** Where no port is given: that of the scheme, for SOCKS 1080 (RFC 1928). */
export function proxyPort(proxy: URL): number {
  if (proxy.port !== '') return Number(proxy.port);
  return { 'http:': 80, 'https:': 443 }[proxy.protocol] ?? 1080;
}

export function proxyAuthorization(proxy: URL): readonly Header[] {
  const login = loginOf(proxy);
  return login === null ? [] : [['proxy-authorization', basic(login)]];
}

/** A fault on the way to the target, reported as one of the proxy. A fault of this host stays one. */
export function faultOfProxy(error: unknown, proxy: URL): NetFault {
  const fault = faultOf(error, proxyName(proxy));
  if (fault.outcome === 'unknown') return fault;
  const isNamed = fault.message.includes(proxyName(proxy));
  const message = isNamed ? fault.message : `${proxyName(proxy)} cannot be used: ${fault.message}`;
  return { ...fault, category: fault.category === 'timeout' ? 'timeout' : 'connection', message };
}

/**
 * Turns a connection to a proxy into one to the target, by CONNECT (RFC 9110, section 9.3.6) or by SOCKS5
 * (RFC 1928). Rejects with a ProbeFault that names the proxy.
 */
export async function tunnel(socket: Socket, terms: TunnelTerms): Promise<Socket> {
  const { proxy, deadline } = terms;
  const isSocks = proxy.protocol === 'socks5:';
  const dig = isSocks ? overSocks(socket, terms) : overHttp(socket, terms);
  const flood = watchFlood(socket, isSocks ? 'data' : 'readable', terms);
  const late = `no tunnel through ${proxyName(proxy)} within ${secondsText(deadline.timeoutMs)}`;
  try {
    return await deadline.bound(Promise.race([dig, flood.rejected]), () => deadline.missed(late));
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    flood.stop();
  }
}

/** Rejects when the proxy has sent more than any answer needs. `event` is the one by which the socket is read. */
function watchFlood(socket: Socket, event: 'data' | 'readable', terms: TunnelTerms) {
  const readBefore = socket.bytesRead;
  let stop = (): void => undefined;
  const rejected = new Promise<never>((_resolve, reject) => {
    const onBytes = () => {
      if (socket.bytesRead - readBefore > maxHeaderBytes)
        reject(refusal(terms, `it sends more than ${maxHeaderBytes / 1024} KiB`));
    };
    socket.on(event, onBytes);
    stop = () => socket.off(event, onBytes);
  });
  return { rejected, stop };
}

function refusal({ proxy, host, port }: TunnelTerms, why: string): ProbeFault {
  const message = `${proxyName(proxy)} does not connect to ${host}:${port}: ${printable(why)}`;
  return new ProbeFault({ outcome: 'failed', category: 'connection', message });
}

function overHttp(socket: Socket, terms: TunnelTerms): Promise<Socket> {
  const { proxy, host, port } = terms;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const client = new terms.client.Client(`http://${proxy.host}`, {
    connect: (_options, callback) => {
      queueMicrotask(() => {
        callback(null, socket);
      });
    },
    headersTimeout: 0,
  });
  return new Promise((resolve, reject) => {
    const headers = [['host', authority], ...proxyAuthorization(proxy)].flat();
    client.dispatch(
      { method: 'CONNECT', path: authority, headers },
      {
        onRequestStart: () => undefined,
        onRequestUpgrade: (_controller, statusCode) => {
          if (statusCode >= 200 && statusCode < 300) resolve(socket);
          else if (statusCode === 407) reject(refusal(terms, 'it wants another user name or password (407)'));
          else reject(refusal(terms, `it answers with status ${statusCode}`));
        },
        onResponseError: (_controller, error) => {
          reject(new ProbeFault(faultOfProxy(error, proxy), { cause: error }));
        },
      },
    );
  });
}

async function overSocks(socket: Socket, terms: TunnelTerms): Promise<Socket> {
  const { proxy, host, port } = terms;
  // The client drops what comes with the last of its answers: a mail server greets at once.
  const replied = new SocksReply();
  const onData = (bytes: Buffer) => {
    replied.read(bytes);
  };
  socket.on('data', onData);
  const client = new terms.client.Socks5Client(socket, loginOf(proxy) ?? {});
  await new Promise<void>((resolve, reject) => {
    // It stays: the client goes on to emit the errors of the connection, and an unheard one ends the process.
    client.on('error', (error: Error & { readonly code?: string }) => {
      if (error.code?.startsWith('UND_ERR_SOCKS5') !== true) {
        reject(new ProbeFault(faultOfProxy(error, proxy), { cause: error }));
      } else reject(refusal(terms, socksReason(error)));
    });
    client.once('close', () => {
      reject(refusal(terms, 'it hangs up'));
    });
    client.once('authenticated', () => {
      replied.begin();
      client.connect(host, port);
    });
    client.once('connected', () => {
      // The client leaves the socket flowing with nobody to listen.
      socket.off('data', onData).pause();
      const rest = replied.beyond();
      if (rest.length > 0) socket.unshift(rest);
      resolve();
    });
    client.handshake();
  });
  return socket;
}

/** The length of the address in the answer to CONNECT, by its type (RFC 1928, section 6). */
const addressBytes: Readonly<Record<number, number>> = { 1: 4, 4: 16 };

/** Finds out what a proxy sent behind its answer to CONNECT. */
class SocksReply {
  private received = Buffer.alloc(0);

  /** What comes from now on is the answer. */
  begin(): void {
    this.received = Buffer.alloc(0);
  }

  read(bytes: Buffer): void {
    this.received = Buffer.concat([this.received, bytes]);
  }

  /** Of an answer that is whole. */
  beyond(): Buffer {
    const { received } = this;
    const address = addressBytes[received.readUInt8(3)] ?? 1 + received.readUInt8(4);
    return received.subarray(4 + address + 2);
  }
}

function socksReason({ code, message }: Error & { readonly code?: string }): string {
  if (code === 'UND_ERR_SOCKS5_VERSION') return 'it does not speak SOCKS5';
  return message.replace(/^SOCKS5 connection failed: /, '');
}
