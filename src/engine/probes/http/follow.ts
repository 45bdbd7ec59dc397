/** Sends a request and follows redirects. */
import { addressClass, type AddressClass, classWords, hostClass } from '../../net/address-class.ts';
import type { AddressScreen } from '../../net/dial.ts';
import { ProbeFault } from '../../net/faults.ts';
import { exchange } from '../../net/http/exchange.ts';
import type { ExchangeTerms, HttpResponse } from '../../net/http/exchange-terms.ts';
import { exchangeH2 } from '../../net/http/exchange-h2.ts';
import { type LinkTerms, openLink } from './link.ts';
import { proxyName } from '../../net/http/proxy.ts';
import {
  type Head,
  nextStep,
  plainRules,
  type RedirectRules,
  type RedirectStep,
} from '../../net/http/redirect.ts';
import type { HttpRequest, Link } from '../../net/http/request.ts';

export interface Visit {
  /** The one that was answered. */
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** Why a redirect was not followed; continues the name of the target. Null when there was none. */
  readonly refusal: string | null;
}

export interface FollowTerms extends LinkTerms {
  readonly maxBodyBytes: number;
  readonly onUnanswered?: (() => void) | undefined;
  readonly isLenient?: boolean | undefined;
  /** False takes a redirect for the answer. */
  readonly followsRedirects: boolean;
  /** Default: `plainRules`. */
  readonly rules?: RedirectRules;
}

/** Rejects with a ProbeFault when there is no answer at all. */
export async function follow(first: HttpRequest, terms: FollowTerms): Promise<Visit> {
  const past = [first];
  const { rules = plainRules } = terms;
  const stepAfter = (head: Head): RedirectStep =>
    terms.followsRedirects ? nextStep(past, head, rules) : { kind: 'arrived' };
  let isHeld = false;
  for (let request = first; ; ) {
    terms.tracer?.({ kind: 'request', method: request.method, url: request.url.href });
    const from = past.at(-2)?.url;
    const way = isHeld && from !== undefined ? held(from, request.url, terms) : terms;
    const wantsBody = (head: Head) => stepAfter(head).kind !== 'follow';
    const response = await ask(request, way, wantsBody);
    const { proxy } = terms.monitor;
    if (response.statusCode === 407 && proxy !== null) throw unwelcome(new URL(proxy));
    const step = stepAfter(response);
    if (step.kind !== 'follow') {
      return { request, response, refusal: step.kind === 'refused' ? step.why : null };
    }
    if (past.length === 1) isHeld = !rules.allowsPrivate && isPublic(first, terms);
    request = step.request;
    past.push(request);
  }
}

/** Whether the target, which has just answered, is on the internet. A proxy alone knows the address of a name. */
function isPublic({ url }: HttpRequest, { monitor, times }: FollowTerms): boolean {
  const { address } = times;
  const reached =
    monitor.proxy === null && address !== null ? addressClass(address) : hostClass(url.hostname);
  return reached === 'public';
}

/**
 * The terms under which a redirect from the internet is followed: to addresses on the internet alone. They are judged as
 * the name resolves to them, and the connection goes to one of these, so that the name cannot change in between.
 */
function held(from: URL, to: URL, terms: FollowTerms): FollowTerms {
  const refuse = (named: AddressClass): never => {
    const cure = 'allow_private_redirects = true in the monitor follows it';
    const message = `${from.origin} redirects to ${classWords[named]}, which is not followed; ${cure}`;
    throw new ProbeFault({ outcome: 'failed', category: 'redirect', message });
  };
  if (terms.monitor.proxy !== null) {
    const named = hostClass(to.hostname);
    return named === 'public' ? terms : refuse(named);
  }
  const screen: AddressScreen = (addresses) => {
    const open = addresses.filter(({ address }) => addressClass(address) === 'public');
    const [shut] = addresses;
    return open.length > 0 || shut === undefined ? open : refuse(addressClass(shut.address));
  };
  return { ...terms, screen };
}

/**
 * In HTTP/1.1, which is cheaper and which nearly everything speaks. A TLS server that does not is asked once more, in
 * HTTP/2; one that does not choose that either has failed the first time.
 */
async function ask(
  request: HttpRequest,
  terms: FollowTerms,
  wantsBody: ExchangeTerms['wantsBody'],
): Promise<HttpResponse> {
  const { deadline, times, tracer, maxBodyBytes, onUnanswered, isLenient } = terms;
  const over = (way: Link): ExchangeTerms =>
    // Written out: behind a spread each field takes a slow path, for every check.
    ({ link: way, deadline, times, tracer, maxBodyBytes, onUnanswered, isLenient, wantsBody });
  let link: Link | null = null;
  try {
    link = await openLink(request.url, terms);
    return await exchange(request, over(link));
  } catch (error) {
    if (terms.deadline.isOver || !refusesHttp1(error, link)) throw error;
    const again = await openLink(request.url, { ...terms, protocol: 'h2' }).catch((later: unknown) => {
      throw terms.deadline.isOver ? later : error;
    });
    if (protocolOf(again) !== 'h2') {
      again.socket.destroy();
      throw error;
    }
    return exchangeH2(request, over(again));
  }
}

/** What the server chose by ALPN; null: nothing, or it was not asked. */
function protocolOf({ socket }: Link): string | null {
  return 'alpnProtocol' in socket && typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : null;
}

/** A frame of settings or of the end, on no stream: how HTTP/2 begins (RFC 9113, section 3.4). */
const firstFrame = /^\0[^]{2}[\x04\x07]\0\0{4}/;

/** The handshake ended for want of a protocol; or none was chosen, and what came is HTTP/2 or nothing. */
function refusesHttp1(error: unknown, link: Link | null): boolean {
  if (!(error instanceof ProbeFault)) return false;
  const { code, data } = (error.cause ?? {}) as { readonly code?: string; readonly data?: string };
  if (link === null) return code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';
  if (!('encrypted' in link.socket) || protocolOf(link) !== null) return false;
  return code === 'UND_ERR_SOCKET' || firstFrame.test(data ?? '');
}

/** A proxy answers in the place of a plain target: this is not what the target said. */
function unwelcome(proxy: URL): ProbeFault {
  const message = `${proxyName(proxy)} wants another user name or password (407)`;
  return new ProbeFault({ outcome: 'failed', category: 'connection', message });
}
