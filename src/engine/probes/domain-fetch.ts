/** Fetches a JSON document with bounds on all of it: time, bytes, redirects. */
import { ProbeFault } from '../net/faults.ts';
import type { LinkTerms } from './http/link.ts';
import type { HttpRequest } from '../net/http/request.ts';
import { visit } from './http/visit.ts';
import type { ProbeContext } from './probe-context.ts';

export interface FetchTools extends Pick<LinkTerms, 'deadline'> {
  readonly ctx: Pick<ProbeContext, 'resolver' | 'trust' | 'version'>;
}

const maxBodyBytes = 1024 * 1024;

const statusWords: Readonly<Record<number, string>> = {
  404: 'the registry does not know it (404)',
  429: 'the registry asks to come back later (429)',
};

/** Rejects with an Error whose message says what went wrong, or with the reason why it was called off. */
export async function fetchJson(address: string, { ctx, deadline }: FetchTools): Promise<unknown> {
  const { request, response, refusal } = await visit(documentRequest(address, ctx.version), {
    ctx,
    deadline,
    maxBodyBytes,
    followsRedirects: true,
  });
  const { host } = request.url;
  const { statusCode, body, end } = response;
  if (refusal !== null) throw new Error(`${host} ${refusal}`);
  if (statusCode !== 200) throw new Error(statusWords[statusCode] ?? `${host} answered ${statusCode}`);
  if (end.kind === 'cut') throw new Error(`${host} answered with more than 1 MiB`);
  if (end.kind === 'broken') throw new ProbeFault(end.fault);
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (cause) {
    throw new Error(`${host} did not answer in JSON`, { cause });
  }
}

function documentRequest(address: string, version: string): HttpRequest {
  return {
    url: new URL(address),
    method: 'GET',
    headers: [
      ['user-agent', `statusd/${version}`],
      ['accept', 'application/rdap+json, application/json'],
      ['accept-encoding', 'identity'],
    ],
    body: null,
  };
}
