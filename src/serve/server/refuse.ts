/** Answers what is no HTTP request, on the bare socket. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { securityHeaders } from '../layers/security-headers.ts';
import { problemBody, problemHeaders } from '../problem.ts';

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
export function statusOfFault({ code = '' }: NodeJS.ErrnoException): number {
  return statuses.get(code) ?? 400;
}

/** Writes a whole answer with every header that answers have, then ends the connection. */
export function refuse(socket: Duplex, status: number, requestId: string): void {
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
