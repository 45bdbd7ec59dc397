/** Posts to other nodes over connections that are kept: one pool for each of them. */
import type { Pool } from 'undici';
import { tlsTrouble } from '../net/certificate.ts';
import { printable } from '../net/faults.ts';
import { BodyCollector } from '../net/http/body.ts';
import type { Trust } from '../net/tls-trust.ts';
import { mostAnswerBytes } from './wire.ts';

export interface NodePost {
  /** Where the node is reached, without a path. */
  readonly url: string;
  readonly token: string;
  readonly body: string;
  readonly timeoutMs: number;
}

/** `status` 0: it did not answer, and `text` says why. */
export interface Posted {
  readonly status: number;
  readonly text: string;
  /** No TLS, or not with whom it should be: nothing was sent. */
  readonly isInsecure?: true;
}

export interface NodeLine {
  /** Never rejects. */
  readonly post: (what: NodePost) => Promise<Posted>;
  readonly close: () => void;
}

/** Where a node answers the others. */
const nodePath = '/api/node/checks';

/** More than two questions of one node are never open at a time. */
const connections = 4;

const connectTimeoutMs = 3000;

export function createNodeLine({
  trust,
  version,
}: {
  readonly trust: Trust;
  readonly version: string;
}): NodeLine {
  const pools = new Map<string, Promise<Pool>>();
  const poolOf = (origin: string) => {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const made = openPool(origin, trust);
    pools.set(origin, made);
    // It may be a file that could not be opened for a moment.
    made.catch(() => pools.delete(origin));
    return made;
  };
  return {
    post: async ({ url, token, body, timeoutMs }) => {
      try {
        const pool = await poolOf(new URL(url).origin);
        const headers = {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'user-agent': `statusd/${version}`,
        };
        return await exchange(pool, { headers, body, timeoutMs });
      } catch (error) {
        const trouble = await troubleOfTls(error, url, trust);
        if (trouble !== null) return { status: 0, text: trouble, isInsecure: true };
        return { status: 0, text: printable(error instanceof Error ? error.message : String(error), 200) };
      }
    },
    close: () => {
      for (const pool of pools.values()) pool.then((each) => each.destroy()).catch(() => undefined);
      pools.clear();
    },
  };
}

/** Null: the trouble is another one, as that `url` is none because the node is gone. */
async function troubleOfTls(error: unknown, url: string, trust: Trust): Promise<string | null> {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '' };
  if (protocol !== 'https:') return null;
  const authorities = await trust.authorities(null).catch(() => null);
  return authorities === null ? null : tlsTrouble(error, { host, sources: authorities.sources });
}

async function openPool(origin: string, trust: Trust): Promise<Pool> {
  const { default: HttpPool } = await import('undici/lib/dispatcher/pool.js');
  const isSecure = origin.startsWith('https:');
  const secureContext = isSecure ? (await trust.authorities(null)).context : undefined;
  return new HttpPool(origin, {
    connections,
    connect: {
      timeout: connectTimeoutMs,
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says: the token is for the other nodes alone.
      rejectUnauthorized: true,
      ...(secureContext === undefined ? {} : { secureContext }),
    },
    // The timer of each request is the only one.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

interface Terms extends Pick<NodePost, 'body' | 'timeoutMs'> {
  readonly headers: Readonly<Record<string, string>>;
}

function exchange(pool: Pool, { headers, body, timeoutMs }: Terms): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const answer = new BodyCollector(mostAnswerBytes);
    let status = 0;
    let abort: (reason: Error) => void = () => undefined;
    const timer = setTimeout(() => {
      const late = new Error(`no answer within ${timeoutMs / 1000} s`);
      reject(late);
      abort(late);
    }, timeoutMs);
    pool.dispatch(
      { path: nodePath, method: 'POST', headers, body },
      {
        onRequestStart: (controller) => {
          abort = (reason) => {
            controller.abort(reason);
          };
        },
        onResponseStart: (_controller, statusCode) => {
          status = statusCode;
        },
        onResponseData: (controller, part) => {
          if (!answer.add(part)) controller.abort(new Error('the answer is too long'));
        },
        onResponseEnd: () => {
          clearTimeout(timer);
          resolve({ status, text: answer.bytes().toString('utf8') });
        },
        onResponseError: (_controller, error) => {
          clearTimeout(timer);
          reject(error);
        },
      },
    );
  });
}
