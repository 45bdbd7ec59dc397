/** The types of the HTTP layers: request, response, handler, layer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Pieces } from './responses/pieces.ts';

export interface Request {
  /** What its answer and the log call it. */
  readonly id: string;
  readonly method: string;
  /** The request target as it came: nothing about it is known to be right. May hold a token. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** How many Host headers it has; null: a version of HTTP that needs none. */
  readonly hosts: number | null;
  /** Where the connection comes from. */
  readonly remoteAddress: string;
  /** The body, at once when there is none. Rejects with a Problem when it is too large. */
  readonly body: () => Promise<Buffer> | Buffer;
  /** A token in it was right: its connection makes room after others. Absent: it came by none. */
  readonly prove?: () => void;
}

export type Headers = Readonly<Record<string, string>>;

export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  /** Further headers, of this answer alone, as names and values by turns. */
  readonly also?: readonly string[];
  /** Or the pieces it is in. */
  readonly body: string | Buffer | Pieces;
}

/** Answers at once what is there already: a promise in between costs more than finding it does. */
export type Handler = (request: Request) => Promise<HttpReply> | HttpReply;

/** Something around every request. */
export type HttpLayer = (next: Handler) => Handler;

/** The layers around a handler, the first one outermost. */
export function compose(httpLayers: readonly HttpLayer[], handler: Handler): Handler {
  return httpLayers.reduceRight((next, httpLayer) => httpLayer(next), handler);
}

/** What is done to every answer before it leaves. */
export type Finish = (httpReply: HttpReply, request: Request) => HttpReply;

/** One after the other, the first one first. */
export function inTurn(finishes: readonly Finish[]): Finish {
  return (httpReply, request) => {
    let done = httpReply;
    for (const one of finishes) done = one(done, request);
    return done;
  };
}

/** Names and values by turns, as headers. */
export function recordOf(lines: readonly string[]): Headers {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < lines.length; index += 2)
    headers[lines[index] ?? ''] = lines[index + 1] ?? '';
  return headers;
}

/** An answer with further headers. */
export function withHeaders(httpReply: HttpReply, headers: Headers): HttpReply {
  return { ...httpReply, headers: { ...httpReply.headers, ...headers } };
}

export const jsonType = 'application/json; charset=utf-8';

/** JSON that no cache keeps: what it shows depends on who asks and when. */
export function jsonAnswer(status: number, value: unknown): HttpReply & { readonly body: string } {
  return {
    status,
    headers: { 'content-type': jsonType, 'cache-control': 'no-store' },
    body: JSON.stringify(value),
  };
}
