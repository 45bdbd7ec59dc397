/** Makes one small HTTP request. */
import { secondsText } from '../engine/core/duration.ts';
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import type { SecureContext } from 'node:tls';
import { StatusdError } from '../engine/core/errors.ts';
import { cleanLine } from '../engine/core/text.ts';
import { BodyCollector } from '../engine/net/http/body.ts';
import type { Trust } from '../engine/net/tls-trust.ts';
import type { Context } from './context.ts';

export interface HttpTerms {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** JSON; left out: none. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly patienceMs: number;
  readonly maxBytes: number;
  /** The authorities that a server over https may have its certificate from; default: those of Node.js. */
  readonly trust?: Trust | undefined;
  /** What is said when there is no answer: `what: why`, then what to do. */
  readonly what: string;
  readonly hint: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The authorities of this host, loaded for the first https request: most commands make none. */
export function trustOf({ env }: Pick<Context, 'env'>): Trust {
  let loaded: Promise<Trust> | undefined;
  return {
    authorities: async (caFile) => {
      loaded ??= import('../engine/net/tls-trust.ts').then(({ createTrust }) => createTrust({ env }));
      return (await loaded).authorities(caFile);
    },
  };
}

/** Asks for JSON. Follows no redirect. Rejects with `daemon_unreachable`. */
export async function httpRequest(url: URL, terms: HttpTerms): Promise<HttpAnswer> {
  const { method = 'GET', patienceMs, maxBytes } = terms;
  const isSecure = url.protocol === 'https:';
  const { request } = isSecure ? await import('node:https') : await import('node:http');
  const trusted = isSecure ? await terms.trust?.authorities(null) : undefined;
  const signal = AbortSignal.timeout(patienceMs);
  const options: RequestOptions & { readonly secureContext?: SecureContext | undefined } = {
    method,
    signal,
    agent: false,
    headers: { accept: 'application/json', ...terms.headers },
    secureContext: trusted?.context,
    // What is to be trusted is named, so NODE_TLS_REJECT_UNAUTHORIZED does not take it away.
    ...(trusted !== undefined && { rejectUnauthorized: true }),
  };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, options, resolve).on('error', reject).end(terms.body);
    });
    const text = await bodyOf(response, maxBytes);
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  } catch (cause) {
    const trouble = isSecure ? await troubleOfTls(cause, url, trusted?.sources ?? 'Node.js') : null;
    const why = signal.aborted ? `no answer within ${secondsText(patienceMs)}` : (trouble ?? reasonOf(cause));
    throw new StatusdError('daemon_unreachable', `${terms.what}: ${why}`, { hint: terms.hint, cause });
  }
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<string> {
  const body = new BodyCollector(maxBytes);
  for await (const chunk of response as AsyncIterable<Buffer>)
    if (!body.add(chunk)) throw new Error('the answer is too long');
  return body.bytes().toString('utf8');
}

async function troubleOfTls(error: unknown, { host }: URL, sources: string): Promise<string | null> {
  const { tlsTrouble } = await import('../engine/net/certificate.ts');
  return tlsTrouble(error, { host, sources });
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'the connection is refused' : cleanLine(message);
}
