/** Makes one request to another node: one deadline, a bounded answer, no redirects. */
import type { Clock } from '../../core/clock.ts';
import { withDeadline } from '../../net/deadline.ts';
import { printable, ProbeFault } from '../../net/faults.ts';
import type { HttpResponse } from '../../net/http/exchange-terms.ts';
import { basic, type Header, loginOf } from '../../net/http/request.ts';
import { visit } from '../../probes/http/visit.ts';
import type { ProbeContext } from '../../probes/probe-context.ts';
import type { Unreachable } from './clients.ts';

export interface CallTools extends Pick<ProbeContext, 'resolver' | 'trust' | 'version'> {
  readonly clock: Clock;
}

export interface PeerCall {
  readonly method: 'GET' | 'POST';
  /** May hold a secret: it is never shown. */
  readonly url: string;
  readonly token: string | null;
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly timeoutMs: number;
}

export interface PeerCallResult {
  readonly kind: 'called';
  readonly status: number;
  /** Null when the answer is longer than a node's ever is, or broke off. */
  readonly body: string | null;
  /** The clock over there minus this one's. */
  readonly skewMs: number | null;
}

/** A hundred peers fit into a tenth of it. */
const maxBodyBytes = 64 * 1024;

/** A Date header has whole seconds: on average it is half a second behind. */
const halfSecondMs = 500;

/** Never rejects. When `signal` is aborted it ends at once. */
export async function callPeer(
  call: PeerCall,
  { signal, ...tools }: CallTools & { readonly signal: AbortSignal },
): Promise<PeerCallResult | Unreachable> {
  const { clock } = tools;
  const askedMs = clock.monotonic();
  try {
    const response = await exchangeOnce(call, { ...tools, signal });
    const tookMs = clock.monotonic() - askedMs;
    const isWhole = response.end.kind === 'complete';
    return {
      kind: 'called',
      status: response.statusCode,
      body: isWhole ? response.body.toString('utf8') : null,
      skewMs: skewOf(response.headers, clock.now() - tookMs / 2),
    };
  } catch (error) {
    if (signal.aborted) return { kind: 'unreachable', error: 'it was called off' };
    if (error instanceof ProbeFault)
      return { kind: 'unreachable', error: printable(error.fault.message, 400) };
    const why = error instanceof Error ? error.name : 'unknown fault';
    return { kind: 'unreachable', error: `the request could not be made (${why})` };
  }
}

/** Redirects are not followed: a token goes where the configuration says. */
function exchangeOnce(
  call: PeerCall,
  { signal, ...tools }: CallTools & { readonly signal: AbortSignal },
): Promise<HttpResponse> {
  const { timeoutMs } = call;
  return withDeadline({ clock: tools.clock, timeoutMs, signal }, async (deadline) => {
    const { response } = await visit(requestOf(call, tools.version), {
      ctx: tools,
      deadline,
      maxBodyBytes,
      followsRedirects: false,
    });
    return response;
  });
}

function requestOf({ method, url: address, token, json }: PeerCall, version: string) {
  const url = new URL(address);
  const login = loginOf(url);
  url.username = '';
  url.password = '';
  const headers: Header[] = [
    ...(login === null ? [] : ([['authorization', basic(login)]] as const)),
    ...(token === null ? [] : ([['x-push-token', token]] as const)),
    ...(json === null ? [] : ([['content-type', 'application/json']] as const)),
    ['user-agent', `statusd/${version}`],
    ['accept', 'application/json'],
    ['accept-encoding', 'identity'],
  ];
  return { url, method, headers, body: json === null ? null : JSON.stringify(json) };
}

function skewOf(headers: readonly Header[], middleAt: number): number | null {
  const date = headers.find(([name]) => name.toLowerCase() === 'date')?.[1];
  const at = date === undefined ? NaN : Date.parse(date);
  return Number.isNaN(at) ? null : Math.round(at + halfSecondMs - middleAt);
}
