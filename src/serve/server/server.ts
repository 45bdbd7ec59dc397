/** Serves the layers over node:http: limits on what a client may send and hold open, and a graceful stop. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Clock } from '../../engine/core/clock.ts';
import { type OnFault, unattended } from '../../engine/core/unattended.ts';
import type { Handler, HttpReply } from '../http-types.ts';
import { linesOf } from '../responses/cached-response.ts';
import { lengthOf, type Pieces } from '../responses/pieces.ts';
import { afterAnswers, type Connection, type Connections, createConnections } from './connections.ts';
import { createWriteTimeout, type WriteTimeout } from './write-timeout.ts';
import { requestIdOf } from './request-id.ts';
import { HttpProblem, problemBody, problemHeaders } from '../problem.ts';
import type { Duplex } from 'node:stream';
import { securityHeaders } from '../layers/security-headers.ts';

export interface ServerLimits {
  readonly maxConnections: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** For a client to take one answer. */
  readonly answerMs: number;
}

export const defaultLimits: ServerLimits = {
  maxConnections: 1000,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5000,
  answerMs: 60_000,
};

const maxHeaderBytes = 16_384;
/** How many requests of one connection may wait for their answers. */
const maxPipelined = 16;
const sweepMs = 2000;

export interface HttpServer {
  readonly server: Server;
  /** Takes no more requests, finishes those that run, and cuts what is left after `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export interface ServerOptions {
  readonly handler: Handler;
  readonly newRequestId: () => string;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly limits: ServerLimits;
  /** Told what went wrong with one request or connection outside of its handler, which ends that connection alone. */
  readonly onFault: OnFault;
}

interface RunningServer {
  isStopping: boolean;
  readonly connections: Connections;
  readonly writeTimeout: WriteTimeout;
}

export function createHttpServer(options: ServerOptions): HttpServer {
  const { limits, newRequestId, clock } = options;
  const connections = createConnections(limits.maxConnections);
  const running: RunningServer = {
    isStopping: false,
    connections,
    writeTimeout: createWriteTimeout({ clock, answerMs: limits.answerMs, connections: connections.all }),
  };
  const all = { ...options, running };
  const answer = (message: IncomingMessage, response: ServerResponse) => {
    unattended(
      () => exchange(message, response, all),
      (error) => {
        options.onFault(error);
        response.destroy();
      },
    );
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
  // Their bytes are bounded. Of a number too large Node would drop the last without a word: what a proxy appended.
  server.maxHeadersCount = 0;
  // A client that says it has nothing more to send (`printf … | nc`) still wants its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  // A connection that the system could not hand over: the next one may succeed.
  server.on('error', options.onFault);
  server.on('connection', connections.admit);
  server.once('close', running.writeTimeout.end);
  server.on('checkExpectation', answer);
  server.on('connect', (_message, socket) => {
    refuse(socket, 405, newRequestId());
  });
  server.on('clientError', (error, socket) => {
    afterAnswers(connections.of(socket), () => {
      refuse(socket, statusOfFault(error), newRequestId());
    });
  });
  return { server, stop: (graceMs) => stop(server, running, { graceMs, clock }) };
}

const ignore = () => undefined;

interface All extends ServerOptions {
  readonly running: RunningServer;
}

/** Resolves when the answer was handed over; what it throws is of this request alone. */
function exchange(message: IncomingMessage, response: ServerResponse, all: All): Promise<void> | undefined {
  const { handler, newRequestId, running } = all;
  const { connections, writeTimeout } = running;
  const { headers, socket } = message;
  const connection = connections.of(socket);
  // What came in one go with that which ended the connection.
  if (connection === null || socket.destroyed) return undefined;
  connection.open += 1;
  connection.latest = message;
  // A client that sends requests without reading answers fills memory here. What has no answer may be asked again.
  if (connection.open > maxPipelined) {
    socket.destroy();
    return undefined;
  }
  // A client that goes away is no fault.
  response.on('error', ignore);
  // Comes when the last byte was handed to the system, or with the end of the connection.
  response.on('close', () => {
    connection.open -= 1;
    writeTimeout.left(connection);
    if (connection.open === 0) connection.whenAnswered();
  });
  const id = requestIdOf(headers, newRequestId);
  connections.begin(connection);
  const httpReply = handler({
    id,
    method: message.method ?? '',
    target: message.url ?? '',
    headers,
    hosts: message.httpVersion === '1.1' ? countHosts(message.rawHeaders) : null,
    remoteAddress: connection.remoteAddress,
    body: () => bodyOf(message, { connection, connections }),
    prove: () => {
      connections.prove(connection);
    },
  });
  const give = (given: HttpReply) => {
    connections.end(connection);
    if (response.destroyed || !socket.writable) return;
    writeTimeout.waitFor(connection);
    send(response, given, { id, isHead: message.method === 'HEAD', isLast: running.isStopping });
  };
  if (httpReply instanceof Promise) return httpReply.then(give);
  give(httpReply);
  return undefined;
}

/** While it is read, it is the client that keeps us waiting. */
function bodyOf(
  message: IncomingMessage,
  { connection, connections }: { readonly connection: Connection; readonly connections: Connections },
): Promise<Buffer> | Buffer {
  const body = readBody(message);
  if (!(body instanceof Promise)) return body;
  connections.end(connection);
  return body.finally(() => {
    connections.begin(connection);
  });
}

function send(
  response: ServerResponse,
  { status, headers, also, body }: HttpReply,
  { id, isHead, isLast }: { readonly id: string; readonly isHead: boolean; readonly isLast: boolean },
): void {
  const hasBody = status !== 204 && status !== 304;
  const lines = linesOf(headers);
  if (hasBody && headers['content-length'] === undefined) lines.push('content-length', String(bytesIn(body)));
  if (also !== undefined) lines.push(...also);
  lines.push('x-request-id', id);
  if (isLast && headers['connection'] === undefined) lines.push('connection', 'close');
  response.writeHead(status, lines);
  if (!hasBody || isHead) response.end();
  else if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body);
  else sendPieces(response, body);
}

function bytesIn(body: HttpReply['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return Buffer.isBuffer(body) ? body.length : lengthOf(body);
}

/** As many as there are in one go, and none of them is copied. */
function sendPieces(response: ServerResponse, pieces: Pieces): void {
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
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
  running: RunningServer,
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

const maxBytes = 65_536;

/**
 * A body that is a little too large is read to its end, or the connection would be reset before the answer is read;
 * beyond this it is not.
 */
const maxDrained = 1_048_576;

const nothing = Buffer.alloc(0);

/** The whole body, at once when there is none (RFC 9112, section 6.3). Rejects as `readToEnd` does. */
function readBody(message: IncomingMessage): Promise<Buffer> | Buffer {
  const { 'transfer-encoding': coding, 'content-length': length } = message.headers;
  return coding === undefined && Number(length ?? 0) === 0 ? nothing : readToEnd(message);
}

/** Rejects with a 413, or with a 400 when the connection ends before the body does. */
async function readToEnd(message: IncomingMessage): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > maxDrained) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Ending the loop early must not end the connection: the answer is still to be sent on it.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      if (size > maxDrained) break;
    }
  } catch {
    throw new HttpProblem(400, 'The body of the request did not come to its end.');
  }
  if (size > maxBytes) throw tooLarge();
  return Buffer.concat(chunks);
}

function tooLarge(): HttpProblem {
  return new HttpProblem(413, 'The body of a request may have 64 KiB at most.', { connection: 'close' });
}

const details: Readonly<Record<number, string>> = {
  400: 'This is no HTTP request.',
  405: 'This server opens no tunnels.',
  408: 'The request took too long to arrive.',
  413: 'The request is too large.',
  431: 'The headers of the request are too large.',
};

const statuses: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/** The status for an error of the parser (llhttp), by its code. */
function statusOfFault({ code = '' }: NodeJS.ErrnoException): number {
  return statuses.get(code) ?? 400;
}

/** Writes a whole answer with every header that answers have, then ends the connection. */
function refuse(socket: Duplex, status: number, requestId: string): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const body = problemBody(status, details[status] ?? 'The request cannot be answered.');
  const headers = {
    ...securityHeaders,
    ...problemHeaders,
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${head.join('')}\r\n${body}`);
  // What the client still sends is thrown away for a moment, or the reset would overtake the answer.
  socket.resume();
  const patience = setTimeout(() => socket.destroy(), lingerMs);
  patience.unref();
  socket.once('close', () => {
    clearTimeout(patience);
  });
}

const lingerMs = 1000;
