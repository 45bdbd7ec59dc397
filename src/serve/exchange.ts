/** The words of the HTTP layers: a request as they see it, an answer as they give it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Pieces } from './rendition/pieces.ts';

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
  /** The body. Rejects with a Problem when it is too large. */
  readonly body: () => Promise<Buffer>;
}

export type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Or the pieces it is in. */
  readonly body: string | Buffer | Pieces;
}

/** Answers at once what is there already: a promise in between costs more than finding it does. */
export type Handler = (request: Request) => Promise<Answer> | Answer;

/** Something around every request. */
export type Layer = (next: Handler) => Handler;

/** The layers around a handler, the first one outermost. */
export function compose(layers: readonly Layer[], handler: Handler): Handler {
  return layers.reduceRight((next, layer) => layer(next), handler);
}

/** What is done to every answer before it leaves. */
export type Finish = (answer: Answer, request: Request) => Answer;

/** One after the other, the first one first. */
export function finished(handler: Handler, finishes: readonly Finish[]): Handler {
  const finish = (answer: Answer, request: Request) => {
    let done = answer;
    for (const one of finishes) done = one(done, request);
    return done;
  };
  return (request) => {
    const answer = handler(request);
    return answer instanceof Promise ? answer.then((late) => finish(late, request)) : finish(answer, request);
  };
}

/** An answer with further headers. */
export function withHeaders(answer: Answer, headers: Headers): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

export const jsonType = 'application/json; charset=utf-8';

/** JSON that no cache keeps: what it shows depends on who asks and when. */
export function jsonAnswer(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'content-type': jsonType, 'cache-control': 'no-store' },
    body: JSON.stringify(value),
  };
}
