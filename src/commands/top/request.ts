/** Asks another statusd over HTTP, as an operator with a token or as anybody. */
import type { Trust } from '../../engine/net/tls-trust.ts';
import { httpRequest } from '../http-request.ts';

export interface RemoteServer {
  /** Ends in a slash. */
  readonly base: URL;
  readonly token: string | null;
  readonly trust?: Trust;
}

export interface RemoteRequest {
  readonly method: 'GET' | 'POST';
  /** Relative to the server. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

export interface RemoteAnswer {
  readonly status: number;
  /** Seconds; null: the server did not say. */
  readonly retryAfterSecs: number | null;
  readonly text: string;
}

/** A thousand monitors with a year of days each are about this. */
const maxBytes = 64 * 1024 * 1024;

/** Rejects with `daemon_unreachable`. A redirect is not followed: the token is for this server alone. */
export async function ask(
  { base, token, trust }: RemoteServer,
  { method, path, query = {} }: RemoteRequest,
): Promise<RemoteAnswer> {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { status, headers, text } = await httpRequest(url, {
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    patienceMs: 10_000,
    maxBytes,
    trust,
    what: `${base.origin} cannot be reached`,
    hint: 'Is the address right, and does `statusd serve` run there?',
  });
  return { status, retryAfterSecs: secsOf(headers['retry-after']), text };
}

function secsOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,5}$/.test(header) ? Number(header) : null;
}
