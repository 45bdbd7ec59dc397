/** The targets of the demo: servers on loopback that do what the switches say. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import type { Switches } from './switches.ts';

export interface World {
  readonly ports: Readonly<Record<'website' | 'search' | 'flaky' | 'api' | 'shop' | 'database', number>>;
  /** What works from now on; the rest stays as it is. */
  readonly change: (change: Partial<Switches>) => void;
  readonly close: () => void;
}

const loopback = '127.0.0.1';
const slowMs = 900;

export async function startWorld(switches: Switches): Promise<World> {
  const servers: Server[] = [];
  const site = (listener: RequestListener) => {
    const server = createServer(listener);
    servers.push(server);
    return listen(server, 0);
  };
  const database = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy()).end();
  });
  servers.push(database);
  const ports = {
    website: await site((_, response) => response.end('welcome\n')),
    search: await site((_, response) => {
      setTimeout(() => response.end('found\n'), switches.isSearchSlow ? slowMs : 5);
    }),
    flaky: await site(flaky()),
    api: await site((_, response) => {
      if (switches.isDatabaseUp) response.end('{"status":"ok"}\n');
      else response.writeHead(503).end('{"error":"the database does not answer"}\n');
    }),
    shop: await site((_, response) => {
      if (switches.isDatabaseUp) response.end('open\n');
      else response.writeHead(502).end('the API is not available\n');
    }),
    database: await listen(database, 0),
  };
  return {
    ports,
    change: (change) => {
      Object.assign(switches, change);
      if (!switches.isDatabaseUp) database.close();
      else if (!database.listening) database.listen(ports.database, loopback);
    },
    close: () => {
      for (const server of servers) server.close();
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, loopback);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Fails twice in a row out of ten times, which is never enough to believe that it is down. */
function flaky(): RequestListener {
  let count = 0;
  return (_, response) => {
    count += 1;
    if (count % 10 < 2) response.writeHead(500).end('try again\n');
    else response.end('fine\n');
  };
}
