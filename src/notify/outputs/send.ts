/** Makes one request to a receiver of metrics. */
import type { OutputSettings } from '../../engine/config/config.ts';
import { withDeadline } from '../../engine/net/deadline.ts';
import { printable, ProbeFault } from '../../engine/net/faults.ts';
import { basic, type Header, type HttpRequest, loginOf } from '../../engine/net/http/request.ts';
import { retryAfterHeaderMs } from '../../engine/net/http/retry-after.ts';
import { visit } from '../../engine/probes/http/visit.ts';
import type { SendContext } from '../channels/channel.ts';
import { withUsual } from '../channels/http.ts';
import type { OutputFormat, Remark } from './format.ts';

/** How it ended. `why` is one sentence, fit for a terminal, without secrets. */
export type SendOutcome =
  /** `warning`: what the receiver says all the same; null: nothing. */
  | { readonly kind: 'sent'; readonly warning: string | null }
  /** How many of its samples are never accepted; the others are. */
  | { readonly kind: 'partly'; readonly rejected: number; readonly why: string }
  /** The same may be taken later; `retryAfterMs` null: the receiver does not say when. */
  | { readonly kind: 'later'; readonly why: string; readonly retryAfterMs: number | null }
  /** The same is never taken. */
  | { readonly kind: 'refused'; readonly why: string };

export interface SendRequest {
  readonly output: OutputSettings;
  readonly format: Pick<OutputFormat, 'headers' | 'isPassing' | 'readRemark'>;
  readonly body: Uint8Array;
}

/** Receivers say in a line what is wrong. */
const maxBodyBytes = 64 * 1024;

/** What to check where a receiver answers a status. */
const advice: Readonly<Record<number, string>> = {
  400: 'whether its clock and the labels are right',
  401: 'headers, or the login in url',
  403: 'headers, or the login in url',
  404: 'url',
  405: 'url',
  413: 'the size of requests that it takes',
  415: 'url, and whether it speaks this protocol',
};

/** Rejects only when `ctx.signal` is aborted. Redirects are not followed: credentials go where the file says. */
export async function sendBatch(asked: SendRequest, ctx: SendContext): Promise<SendOutcome> {
  const { output } = asked;
  const timeoutMs = output.timeout_secs * 1000;
  try {
    return await withDeadline({ clock: ctx.clock, timeoutMs, signal: ctx.signal }, async (deadline) => {
      const terms = { ctx, deadline, maxBodyBytes, followsRedirects: false, way: output };
      const { response } = await visit(requestOf(asked, ctx.version), terms);
      const { statusCode, headers, body } = response;
      if (statusCode >= 200 && statusCode < 300) return taken(asked.format.readRemark(body), ctx);
      const why = sentence(statusCode, printable(ctx.redact(firstLine(body)), 200));
      return asked.format.isPassing(statusCode)
        ? { kind: 'later', why, retryAfterMs: retryAfterHeaderMs({ headers }, ctx.clock.now()) }
        : { kind: 'refused', why };
    });
  } catch (error) {
    ctx.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    // What else breaks here is a fault of this program; the same batch would break it again.
    return error instanceof ProbeFault
      ? { kind: 'later', why: ctx.redact(why), retryAfterMs: null }
      : { kind: 'refused', why: `the request could not be made: ${printable(ctx.redact(why), 200)}` };
  }
}

function requestOf({ output, format, body }: SendRequest, version: string): HttpRequest {
  const url = new URL(output.url);
  if (output.type === 'otlp' && url.pathname === '/') url.pathname = '/v1/metrics';
  const login = loginOf(url);
  url.username = '';
  url.password = '';
  const own = Object.entries(output.headers).map(([name, value]): Header => [name, value.reveal()]);
  const usual: readonly Header[] = [
    ...(login === null ? [] : ([['authorization', basic(login)]] as const)),
    ['user-agent', `statusd/${version}`],
    ['accept-encoding', 'identity'],
  ];
  return { url, method: 'POST', headers: [...format.headers, ...withUsual(own, usual)], body };
}

function taken(remark: Remark | null, ctx: SendContext): SendOutcome {
  if (remark === null) return { kind: 'sent', warning: null };
  const { rejected, message } = remark;
  const said = words(printable(ctx.redact(message), 200));
  return rejected === 0
    ? { kind: 'sent', warning: said === '' ? null : `the receiver warns${said}` }
    : { kind: 'partly', rejected, why: `the receiver takes a request only in part${said}` };
}

function firstLine(body: Buffer): string {
  const [first = ''] = body.toString('utf8').trimStart().split('\n', 1);
  // Pages and binary messages are for machines.
  return /^[<{[]/.test(first) || /[\0-\x08\ufffd]/.test(first) ? '' : first;
}

function sentence(statusCode: number, said: string): string {
  const isMoved = statusCode >= 300 && statusCode < 400;
  const what = advice[statusCode] ?? (isMoved ? 'url, which redirects' : null);
  return `the receiver answers ${statusCode}${words(said)}${what === null ? '' : `; check ${what}`}`;
}

/** What a receiver says, as the end of a sentence. */
function words(said: string): string {
  return said === '' ? '' : `: ${said.replace(/[.\s]+$/, '')}`;
}
