/** The layers on node:http: limits on what a client may send and hold, and a graceful end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../engine/core/clock.ts';
import type { Answer, Handler } from '../exchange.ts';
import { readBody } from './body.ts';
import { createConnections, type Connections } from './connections.ts';
import { createPending, type Pending } from './pending.ts';
import { refuse, statusOfFault } from './refuse.ts';

export interface ServerLimits {
  readonly maxConnections: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
}

export const defaultLimits: ServerLimits = {
  maxConnections: 1000,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5000,
  idleMs: 60_000,
};

const maxHeaderBytes = 16_384;
const maxHeaders = 100;
const sweepMs = 2000;

export interface HttpServer {
  readonly server: Server;
  /** Takes no more requests, finishes those that run, and cuts what is left after `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export interface ServerOptions {
  readonly handler: Handler;
  readonly newRequestId: () => string;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly limits: ServerLimits;
}

interface Running {
  isStopping: boolean;
  readonly connections: Connections;
  readonly pending: Pending;
}

export function createHttpServer(options: ServerOptions): HttpServer {
  const { limits, newRequestId, clock } = options;
  const running: Running = {
    isStopping: false,
    connections: createConnections(limits.maxConnections),
    pending: createPending(),
  };
  const answer = (message: IncomingMessage, response: ServerResponse) => {
    void exchange(message, response, { ...options, running });
  };
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: sweepMs,
      // The layers say it with all headers that answers have.
      requireHostHeader: false,
    },
    answer,
  );
  server.maxHeadersCount = maxHeaders;
  // A client that says it has nothing more to send (`printf … | nc`) still wants its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.setTimeout(limits.idleMs);
  server.on('connection', running.connections.admit);
  server.on('checkExpectation', answer);
  server.on('connect', (_message, socket) => {
    refuse(socket, 405, newRequestId());
  });
  server.on('clientError', (error, socket) => {
    running.pending.after(socket, () => {
      refuse(socket, statusOfFault(error), newRequestId());
    });
  });
  return { server, stop: (graceMs) => stop(server, running, { graceMs, clock }) };
}

async function exchange(
  message: IncomingMessage,
  response: ServerResponse,
  { handler, running }: ServerOptions & { readonly running: Running },
): Promise<void> {
  const { socket } = message;
  running.pending.add(message, response);
  // A client that goes away is no fault of anybody.
  response.on('error', () => undefined);
  message.on('error', () => undefined);
  const answer = await running.connections.during(socket, () =>
    handler({
      id: '',
      method: message.method ?? '',
      target: message.url ?? '',
      headers: message.headers,
      hosts: message.httpVersion === '1.1' ? countHosts(message.rawHeaders) : null,
      remoteAddress: socket.remoteAddress ?? '',
      body: () => running.connections.awaiting(socket, () => readBody(message)),
    }),
  );
  if (response.destroyed || !socket.writable) return;
  send(response, answer, { isHead: message.method === 'HEAD', isLast: running.isStopping });
}

function send(
  response: ServerResponse,
  { status, headers, body }: Answer,
  { isHead, isLast }: { readonly isHead: boolean; readonly isLast: boolean },
): void {
  const hasBody = status !== 204 && status !== 304;
  const all: Record<string, string> = { ...headers };
  if (hasBody) all['content-length'] = String(Buffer.byteLength(body));
  if (isLast) all['connection'] = 'close';
  response.writeHead(status, all);
  if (hasBody && !isHead) response.end(body);
  else response.end();
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

async function stop(
  server: Server,
  running: Running,
  { graceMs, clock }: { readonly graceMs: number; readonly clock: Pick<Clock, 'sleep'> },
): Promise<void> {
  running.isStopping = true;
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  server.closeIdleConnections();
  const patience = new AbortController();
  const cut = clock.sleep(graceMs, patience.signal).then(
    () => {
      server.closeAllConnections();
    },
    () => undefined,
  );
  await closed;
  patience.abort();
  await cut;
}
