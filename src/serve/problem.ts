/** What is refused or goes wrong, as RFC 9457 problem documents; the one place where HTTP statuses of errors are decided. */
import { STATUS_CODES } from 'node:http';
import { type ErrorCode, StatusdError } from '../engine/core/errors.ts';
import type { HttpReply, Headers } from './http-types.ts';

/** A request that is refused: the status and one sentence for its sender. Holds no secret. */
export class HttpProblem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly headers: Headers;

  constructor(status: number, detail: string, headers: Headers = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/** The HTTP status of each named error. What a request cannot cause is a fault of the server. */
const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  usage: 400,
  config_missing: 500,
  config_unreadable: 500,
  config_invalid: 500,
  store_unusable: 503,
  store_in_use: 503,
  store_full: 503,
  store_failing: 503,
  address_unusable: 500,
  daemon_unreachable: 503,
  not_found: 404,
  conflict: 409,
  refused: 401,
  interrupted: 503,
};

/** How soon to try again what the server cannot do at the moment. */
const retryAfterSecs = 5;

/** What to say of an error; null: it was not foreseen, and nothing of it may be shown. */
export function problemOf(error: unknown): HttpProblem | null {
  if (error instanceof HttpProblem) return error;
  if (!(error instanceof StatusdError)) return null;
  const status = statusOfCode[error.code];
  if (status === 500) return null;
  if (status !== 503) {
    const { message, hint } = error;
    const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
    return new HttpProblem(status, hint === null ? sentence : `${sentence} ${hint}`);
  }
  // The sentence of a store names files: it is for the operator, who has it in the log and in /healthz.
  return new HttpProblem(503, 'The database cannot keep this at the moment.', {
    'retry-after': String(retryAfterSecs),
  });
}

export function problemAnswer({ status, message, headers }: HttpProblem): HttpReply {
  return { status, headers: { ...problemHeaders, ...headers }, body: problemBody(status, message) };
}

export const problemHeaders: Headers = {
  'content-type': 'application/problem+json',
  'cache-control': 'no-store',
};

export function problemBody(status: number, detail: string): string {
  return JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail });
}
