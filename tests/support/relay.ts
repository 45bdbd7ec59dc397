/** A relay on loopback that can be cut: what comes in over TCP or TLS is passed on, or nobody is there. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Credentials } from './tls.ts';

export interface Relay {
  readonly origin: string;
  /** From here on connections are refused, and those that stand are gone, until it is healed. */
  readonly cut: () => Promise<void>;
  readonly heal: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `port` is asked with every connection; null: nobody listens there yet. With `credentials` TLS ends here. */
export async function startRelay(port: () => number | null, credentials?: Credentials): Promise<Relay> {
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
  };
  const pass = (inner: Socket) => {
    keep(inner);
    const to = port();
    if (to === null) {
      inner.destroy();
      return;
    }
    const outer = connect(to, '127.0.0.1');
    keep(outer);
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
    inner.pipe(outer).pipe(inner);
  };
  const server =
    credentials === undefined
      ? createServer(pass)
      : createTlsServer(credentials, pass).on('connection', keep);
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of open) socket.destroy();
    await once(server, 'close');
  };
  const own = await listen(0);
  return {
    origin: `${credentials === undefined ? 'http' : 'https'}://127.0.0.1:${own}`,
    cut: stop,
    heal: async () => {
      await listen(own);
    },
    close: stop,
  };
}
