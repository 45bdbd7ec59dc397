/** An RDAP registry on loopback, with the bootstrap document that leads to it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface RdapServer {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** The paths asked for so far. */
  readonly paths: readonly string[];
  readonly close: () => Promise<void>;
}

/** Answers by path; 404 for one that is not in `answers`, which may be changed while it runs. */
export async function startRdapServer(answers: Readonly<Record<string, Answer>>): Promise<RdapServer> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    paths.push(path);
    const answer = answers[path];
    if (answer !== undefined) answer(request, response);
    else response.writeHead(404, { 'content-type': 'application/rdap+json' }).end('{"errorCode":404}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    paths,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers 200 with a document. */
export function json(document: () => unknown): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/rdap+json' }).end(JSON.stringify(document()));
  };
}

/** A domain object with one expiration event among others. */
export function domainObject(eventDate: unknown) {
  return {
    objectClassName: 'domain',
    events: [
      { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
      { eventAction: 'expiration', eventDate },
      { eventAction: 'last update of RDAP database', eventDate: '2026-01-01T00:00:00Z' },
    ],
  };
}
