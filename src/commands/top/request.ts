/** Asks another statusd over HTTP, as an operator with a token or as anybody. */
import type { IncomingMessage } from 'node:http';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';

export interface Server {
  /** Ends in a slash. */
  readonly base: URL;
  readonly token: string | null;
}

export interface Asked {
  readonly method: 'GET' | 'POST';
  /** Relative to the server. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  /** Seconds; null: the server did not say. */
  readonly retryAfterSecs: number | null;
  readonly text: string;
}

const patienceMs = 10_000;
/** A thousand monitors with a year of days each are about this. */
const maxBytes = 64 * 1024 * 1024;

/** Rejects with `daemon_unreachable`. A redirect is not followed: the token is for this server alone. */
export async function ask({ base, token }: Server, { method, path, query = {} }: Asked): Promise<Answer> {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const signal = AbortSignal.timeout(patienceMs);
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const headers = { accept: 'application/json', ...authorization };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { method, signal, agent: false, headers }, resolve).on('error', reject).end();
    });
    const { statusCode = 0, headers: received } = response;
    return {
      status: statusCode,
      retryAfterSecs: secsOf(received['retry-after']),
      text: await bodyOf(response),
    };
  } catch (error) {
    const why = signal.aborted ? `no answer within ${patienceMs / 1000} s` : reasonOf(error);
    throw new StatusdError('daemon_unreachable', `${base.origin} cannot be reached: ${why}`, {
      hint: 'Is the address right, and does `statusd serve` run there?',
      cause: error,
    });
  }
}

function secsOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,5}$/.test(header) ? Number(header) : null;
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the answer is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'the connection is refused' : cleanLine(message);
}
