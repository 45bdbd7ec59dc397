/** Makes the call of an HTTP channel. */
import type { Channel } from '../../engine/config/config.ts';
import type { ChannelType } from '../../engine/config/rows/channels.ts';
import { withDeadline } from '../../engine/net/deadline.ts';
import { printable, ProbeFault } from '../../engine/net/faults.ts';
import type { HttpResponse } from '../../engine/net/http/exchange.ts';
import { basic, type HttpRequest, loginOf } from '../../engine/net/http/request.ts';
import { visit } from '../../engine/probes/http/visit.ts';
import { complaintOf, objectOf, retryAfterMs } from './answer.ts';
import type { Attempt, ChannelKind, SendContext } from './channel.ts';
import type { HttpCall, HttpChannel } from './http-call.ts';

/** Vendors answer in a few hundred bytes; some echo the message. */
const maxBodyBytes = 64 * 1024;

/** The statuses below 500 that speak of this moment, not of the message. */
const passingStatuses = [408, 425, 429];

export function overHttp<Type extends ChannelType>(row: HttpChannel<Type>): ChannelKind<Type> {
  const { whoAmI } = row;
  return {
    send: (message, channel, ctx) =>
      attempt(row, { ...row.call(message, channel, ctx.clock.now()), ...limitsOf(channel) }, ctx),
    verify:
      whoAmI === null
        ? null
        : (channel, ctx) => attempt(row, { ...whoAmI(channel), ...limitsOf(channel) }, ctx),
  };
}

type Judge = Pick<HttpChannel<never>, 'vendor' | 'advice' | 'passing' | 'isRefusal'>;

interface LimitedCall extends HttpCall {
  readonly timeoutMs: number;
}

const limitsOf = ({ timeout_secs }: Channel) => ({ timeoutMs: timeout_secs * 1000 });

async function attempt(row: Judge, call: LimitedCall, ctx: SendContext): Promise<Attempt> {
  const request = { isUnanswered: false };
  const onUnanswered = () => {
    request.isUnanswered = true;
  };
  try {
    const response = await exchangeOnce(requestOf(call, ctx.version), ctx, { ...call, onUnanswered });
    return judge(row, response, ctx);
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof ProbeFault)) throw error;
    const { message } = error.fault;
    const failed = {
      kind: 'failed',
      error: ctx.redact(message),
      isPermanent: false,
      retryAfterMs: null,
    } as const;
    return request.isUnanswered ? { ...failed, mayBeReceived: true } : failed;
  }
}

/** Redirects are not followed: a message with its credentials goes where the configuration says. */
function exchangeOnce(
  request: HttpRequest,
  ctx: SendContext,
  { timeoutMs, onUnanswered }: { readonly timeoutMs: number; readonly onUnanswered: () => void },
): Promise<HttpResponse> {
  return withDeadline({ clock: ctx.clock, timeoutMs, signal: ctx.signal }, async (deadline) => {
    const terms = { ctx, deadline, maxBodyBytes, followsRedirects: false, onUnanswered };
    const { response } = await visit(request, terms);
    return response;
  });
}

function requestOf(call: HttpCall, version: string): HttpRequest {
  const url = new URL(call.url);
  const login = loginOf(url);
  url.username = '';
  url.password = '';
  return {
    url,
    method: call.method,
    headers: [
      ...call.headers,
      ...(login === null ? [] : ([['authorization', basic(login)]] as const)),
      ['user-agent', `statusd/${version}`],
      ['accept-encoding', 'identity'],
    ],
    body: call.body,
  };
}

function judge(row: Judge, { statusCode, headers, body }: HttpResponse, ctx: SendContext): Attempt {
  const answer = body.toString('utf8');
  const isGood = statusCode >= 200 && statusCode < 300;
  if (isGood && row.isRefusal?.(objectOf(answer)) !== true) return { kind: 'sent' };
  // Masked before it is cut: half a secret would be known to nobody.
  const complaint = printable(ctx.redact(complaintOf(answer) ?? ''), 200);
  const isPassing = passingStatuses.includes(statusCode) || row.passing?.includes(statusCode) === true;
  return {
    kind: 'failed',
    error: sentence(row, statusCode, complaint),
    isPermanent: statusCode >= 400 && statusCode < 500 && !isPassing,
    retryAfterMs: retryAfterMs({ headers }, answer, ctx.clock.now()),
  };
}

function sentence({ vendor, advice }: Judge, statusCode: number, complaint: string): string {
  const said = complaint === '' ? '' : `: ${complaint.replace(/[.\s]+$/, '')}`;
  const isMoved = statusCode >= 300 && statusCode < 400;
  const what = advice[statusCode] ?? (isMoved ? 'the address, which redirects' : null);
  return `${vendor} answered ${statusCode}${said}${what === null ? '' : `; check ${what}`}`;
}
