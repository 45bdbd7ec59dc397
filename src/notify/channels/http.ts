/** Makes the call of an HTTP channel. */
import type { Channel } from '../../engine/config/config.ts';
import type { ChannelType } from '../../engine/config/rows/channels.ts';
import { aNumber, aText, fieldsOf, parseJson, readAs, readList } from '../../engine/core/decode.ts';
import { withDeadline } from '../../engine/net/deadline.ts';
import { printable, ProbeFault } from '../../engine/net/faults.ts';
import type { HttpResponse } from '../../engine/net/http/exchange-terms.ts';
import { basic, type Header, type HttpRequest, loginOf } from '../../engine/net/http/request.ts';
import { visit, type ServerAccess } from '../../engine/probes/http/visit.ts';
import type { Attempt, ChannelKind, ChannelOf, SendContext } from './channel.ts';
import type { Head } from '../../engine/net/http/redirect.ts';
import { retryAfterHeaderMs } from '../../engine/net/http/retry-after.ts';
import type { Message } from '../../engine/alerting/events/catalogue.ts';

/** Vendors answer in a few hundred bytes; some echo the message. */
const maxBodyBytes = 64 * 1024;

/** The statuses below 500 that are about this moment, not about the message. */
const passingStatuses = [408, 425, 429];

/** The types that a vendor's server is asked for. */
export type HttpType = Exclude<ChannelType, 'email' | 'exec'>;

export function overHttp<Type extends HttpType>(row: HttpChannel<Type>): ChannelKind<Type> {
  const { whoAmI, plain } = row;
  return {
    send: async (message, channel, ctx) => {
      const nowAt = ctx.clock.now();
      const call = row.call(message, channel, nowAt);
      if (call === null) return { kind: 'sent' };
      const isUnread = { value: false };
      const onRefused = (answer: string, statusCode: number) => {
        isUnread.value = plain?.isWanted(answer, statusCode) === true;
      };
      const first = await attempt({ ...row, onRefused }, call, { channel, ctx });
      return plain !== undefined && isUnread.value
        ? attempt(row, plain.call(message, channel), { channel, ctx })
        : first;
    },
    verify: whoAmI === null ? null : (channel, ctx) => attempt(row, whoAmI(channel), { channel, ctx }),
  };
}

interface Judge
  extends Pick<HttpChannel<never>, 'vendor' | 'advice' | 'passing' | 'isRefusal' | 'hasReachedSome'> {
  readonly onRefused?: (answer: string, statusCode: number) => void;
}

/** A channel that is reached over the network. */
type NetworkChannel = ServerAccess & Pick<Channel, 'timeout_secs'>;

async function attempt(
  row: Judge,
  call: HttpCall,
  { channel, ctx }: { readonly channel: NetworkChannel; readonly ctx: SendContext },
): Promise<Attempt> {
  const request = { isUnanswered: false };
  const endsAt = ctx.clock.monotonic() + channel.timeout_secs * 1000;
  const onUnanswered = () => {
    request.isUnanswered = true;
  };
  try {
    const response = await exchangeOnce(requestOf(call, ctx.version), { channel, ctx, onUnanswered });
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
    const leftMs = Math.max(0, Math.ceil(endsAt - ctx.clock.monotonic()));
    return request.isUnanswered ? { ...failed, mayBeReceived: true, leftMs } : failed;
  }
}

/** Redirects are not followed: a message with its credentials goes where the configuration says. */
function exchangeOnce(
  request: HttpRequest,
  {
    channel,
    ctx,
    onUnanswered,
  }: { readonly channel: NetworkChannel; readonly ctx: SendContext; readonly onUnanswered: () => void },
): Promise<HttpResponse> {
  const timeoutMs = channel.timeout_secs * 1000;
  return withDeadline({ clock: ctx.clock, timeoutMs, signal: ctx.signal }, async (deadline) => {
    const terms = {
      ctx,
      deadline,
      maxBodyBytes,
      followsRedirects: false,
      isLenient: true,
      onUnanswered,
      way: channel,
    };
    const { response } = await visit(request, terms);
    return response;
  });
}

function requestOf(call: HttpCall, version: string): HttpRequest {
  const url = new URL(call.url);
  const login = loginOf(url);
  url.username = '';
  url.password = '';
  const usual: readonly Header[] = [
    ...(login === null ? [] : ([['authorization', basic(login)]] as const)),
    ['user-agent', `statusd/${version}`],
    ['accept-encoding', 'identity'],
  ];
  return { url, method: call.method, headers: withUsual(call.headers, usual), body: call.body };
}

/** `own`, and of `usual` what is not among them. */
export function withUsual(own: readonly Header[], usual: readonly Header[]): Header[] {
  const isSet = new Set(own.map(([header]) => header.toLowerCase()));
  return [...own, ...usual.filter(([header]) => !isSet.has(header.toLowerCase()))];
}

function judge(row: Judge, { statusCode, headers, body }: HttpResponse, ctx: SendContext): Attempt {
  const answer = body.toString('utf8');
  const fields = fieldsOf(parseJson(answer));
  const isGood = statusCode >= 200 && statusCode < 300;
  if (isGood && row.isRefusal?.(fields, statusCode) !== true) return { kind: 'sent' };
  row.onRefused?.(answer, statusCode);
  // Masked before it is cut: half a secret cannot be masked.
  const complaint = printable(ctx.redact(complaintOf(answer) ?? ''), 200);
  const isPassing = passingStatuses.includes(statusCode) || row.passing?.includes(statusCode) === true;
  return {
    kind: 'failed',
    error: sentence(row, statusCode, complaint),
    isPermanent: statusCode >= 400 && statusCode < 500 && !isPassing,
    retryAfterMs: retryAfterMs({ headers }, answer, ctx.clock.now()),
    ...(row.hasReachedSome?.(fields, statusCode) === true && { mayBeReceived: true }),
  };
}

function sentence({ vendor, advice }: Judge, statusCode: number, complaint: string): string {
  const said = complaint === '' ? '' : `: ${complaint.replace(/[.\s]+$/, '')}`;
  const isMoved = statusCode >= 300 && statusCode < 400;
  const what = advice[statusCode] ?? (isMoved ? 'the address, which redirects' : null);
  return `${vendor} answered ${statusCode}${said}${what === null ? '' : `; check ${what}`}`;
}

/** What the vendor says is wrong, in its own words; null when it says nothing that a person could read. */
function complaintOf(body: string): string | null {
  const answer = fieldsOf(parseJson(body));
  const said = ['description', 'errorDescription', 'message', 'msg', 'error'].map((key) => answer[key]);
  // Google and Microsoft: `{"error": {"code": 401, "message": "…"}}`.
  said.push(fieldsOf(answer['error'])['message']);
  const texts = [...readList(answer['errors'], aText), ...readList(said, aText)];
  const words = texts.find((text) => text.trim() !== '');
  if (words !== undefined) return words;
  const first = body.trimStart().split('\n', 1)[0] ?? '';
  // Pages and other documents are for machines.
  return first === '' || /^[<{[]/.test(first) ? null : first;
}

/**
 * How long the vendor asks to be left alone: the header (RFC 9110, section 10.2.3), or the field of the body that
 * Telegram (`parameters.retry_after`, s), Matrix (`retry_after_ms`) and Discord (`retry_after`, s) have for it.
 */
function retryAfterMs({ headers }: Pick<Head, 'headers'>, body: string, nowAt: number): number | null {
  const answer = fieldsOf(parseJson(body));
  const secs = (value: unknown) => (aNumber(value) ? value * 1000 : null);
  const stated = [
    retryAfterHeaderMs({ headers }, nowAt),
    readAs(answer['retry_after_ms'], aNumber),
    secs(fieldsOf(answer['parameters'])['retry_after']),
    secs(answer['retry_after']),
  ].filter((ms) => ms !== null && Number.isFinite(ms) && ms >= 0);
  return stated.length === 0 ? null : Math.ceil(Math.max(...stated.map(Number)));
}

/** A channel that is reached with one HTTP request, as a row: what to ask, what to make of the answer. */
export interface HttpCall {
  /** May hold a secret: it is never shown. */
  readonly url: string;
  readonly method: string;
  readonly headers: readonly Header[];
  readonly body: string | null;
}

export interface HttpChannel<Type extends HttpType> {
  /** The subject of sentences about what was answered. */
  readonly vendor: string;
  /** `nowAt`: the wall clock at this attempt. Null: there is nothing to say, which the vendor knows already. */
  readonly call: (message: Message, channel: ChannelOf<Type>, nowAt: number) => HttpCall | null;
  /** The same message as plain text, for an answer that says that the vendor cannot read the first one. */
  readonly plain?: {
    readonly isWanted: (answer: string, statusCode: number) => boolean;
    readonly call: (message: Message, channel: ChannelOf<Type>) => HttpCall;
  };
  /** A question that only good credentials answer, and that sends no notification. */
  readonly whoAmI: ((channel: ChannelOf<Type>) => HttpCall) | null;
  /** What to check when it answers a status, after "check ". */
  readonly advice: Readonly<Record<number, string>>;
  /** Statuses below 500 that a later attempt may not get, besides 408, 425 and 429. */
  readonly passing?: readonly number[];
  /** Whether an answer with a good status says no all the same. */
  readonly isRefusal?: (answer: Readonly<Record<string, unknown>>, statusCode: number) => boolean;
  /** Whether a refusal says that some have the message, where it cannot be sent to the others alone. */
  readonly hasReachedSome?: (answer: Readonly<Record<string, unknown>>, statusCode: number) => boolean;
}

export const jsonType: Header = ['content-type', 'application/json'];

/** `value` as the body of a request. */
export function jsonBody(value: Readonly<Record<string, unknown>>): Pick<HttpCall, 'headers' | 'body'> {
  return { headers: [jsonType], body: JSON.stringify(value) };
}
