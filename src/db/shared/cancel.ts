/** Asks a database server to end a statement. */
import { connect, type Socket } from 'node:net';
import type { Client } from 'pg';

/** A server takes it at once; a pooler may wait for a connection, and gives up by itself before that. */
const patienceMs = 30_000;

/** Protocol 3.0, CancelRequest: its length, its code, and the process that it is about with its key. */
const requestBytes = 16;
const requestCode = 80_877_102;

/**
 * Has the server end the running statement of this client. Otherwise the server notices only afterwards that the connection
 * is gone: each statement that waits there for a lock would hold a connection, until the server accepts no more. Resolves
 * when the server has taken the request, or does not take it; the outcome of the statement stays unknown. `connection` is
 * the socket of the client. Never rejects. A client without the key of its process is left alone.
 */
export function cancel(client: Client, connection: Socket): Promise<void> {
  const { processID: id, secretKey: key } = client as Client & Readonly<Record<string, unknown>>;
  if (typeof id !== 'number' || typeof key !== 'number') return Promise.resolve();
  const request = Buffer.alloc(requestBytes);
  request.writeInt32BE(requestBytes, 0);
  request.writeInt32BE(requestCode, 4);
  request.writeInt32BE(id, 8);
  request.writeInt32BE(key, 12);
  const { host, port } = client;
  // A name may lead to several servers.
  const { remoteAddress = host } = connection;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, remoteAddress);
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), patienceMs).unref();
    socket
      .on('error', () => undefined)
      .on('close', () => {
        clearTimeout(timer);
        resolve();
      })
      .resume()
      .unref()
      // The other side ends it: PgBouncer 1.18 breaks down where the connection is ended while it is at work on it.
      .write(request);
  });
}
