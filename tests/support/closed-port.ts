/** Where nobody listens: connections are refused at once. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Servers of other tests listen on another address of loopback, so none of them takes a port that was just given up. */
const unusedHost = '127.0.0.66';

export interface ClosedPort {
  readonly host: string;
  readonly port: number;
  /** `host:port`. */
  readonly address: string;
}

export async function closedPort(): Promise<ClosedPort> {
  const server = createServer().listen(0, unusedHost);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return { host: unusedHost, port, address: `${unusedHost}:${port}` };
}
