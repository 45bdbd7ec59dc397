/** Where a redirect leads (RFC 9110, section 15.4; the Fetch standard, "HTTP-redirect fetch"). */
import { credentialName } from '../../config/redact.ts';
import { printable } from '../faults.ts';
import type { Header, HttpRequest } from './request.ts';

/** The line and headers of a response. */
export interface Head {
  /** Of HTTP; 1.1 without it. */
  readonly version?: '2';
  readonly statusCode: number;
  readonly statusText: string;
  /** Latin-1, as received, in order. */
  readonly headers: readonly Header[];
}

export type RedirectStep =
  /** The response is the answer. */
  | { readonly kind: 'arrived' }
  | { readonly kind: 'follow'; readonly request: HttpRequest }
  /** The response sends to a place that is not gone to; `why` continues "the target ". */
  | { readonly kind: 'refused'; readonly why: string };

/** How far a redirect may lead, and what may go with it. */
export interface RedirectRules {
  /** The headers that another origin is sent, without the body; null: those of the request, and its body. */
  readonly headersElsewhere: readonly Header[] | null;
  /** Whether a target on the internet may redirect to an address that is not on it. */
  readonly allowsPrivate: boolean;
}

/** For requests that carry nothing of an operator's. */
export const plainRules: RedirectRules = { headersElsewhere: null, allowsPrivate: false };

const redirects = new Set([301, 302, 303, 307, 308]);
export const mostRedirects = 10;

/** Headers that describe a body, which a redirected GET no longer has. */
const ofTheBody = new Set(['content-encoding', 'content-language', 'content-location', 'content-type']);

/** `past` holds every request of this probe so far, the one that `head` answers last. */
export function nextStep(
  past: readonly HttpRequest[],
  head: Head,
  { headersElsewhere }: Pick<RedirectRules, 'headersElsewhere'> = plainRules,
): RedirectStep {
  const request = past.at(-1);
  const location = redirects.has(head.statusCode) ? valueOf(head, 'location') : undefined;
  if (request === undefined || location === undefined) return { kind: 'arrived' };

  const url = resolveLocation(location, request.url);
  if (url === null) return refused(`redirects to an address that is none: ${whole(location)}`);
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || request.url.protocol === 'https:')) {
    const what = url.protocol === 'http:' ? 'from https to http' : `to ${printable(url.protocol)}`;
    return refused(`redirects ${what}, which is not followed`);
  }
  const next = redirected(request, { url, statusCode: head.statusCode, headersElsewhere });
  if (next.body !== null && headersElsewhere !== null && !isSameSite(request.url, url)) {
    const cure = 'redirect_headers = true in the monitor sends it there';
    return refused(`redirects a ${request.method} request to another origin, without its body; ${cure}`);
  }
  const isKnown = past.some(
    (earlier) => earlier.method === next.method && earlier.url.href === next.url.href,
  );
  if (isKnown) return refused(`redirects in a circle, back to ${place(next.url)}`);
  if (past.length > mostRedirects) {
    return refused(`redirects more than ${mostRedirects} times, at last to ${place(next.url)}`);
  }
  return { kind: 'follow', request: next };
}

/** The value of the first header of that name. */
export function valueOf({ headers }: Pick<Head, 'headers'>, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

const refused = (why: string): RedirectStep => ({ kind: 'refused', why });

/** Shown as a whole or not at all: secrets are masked later, and half a secret cannot be masked. */
const whole = (text: string) => (text.length <= 100 ? printable(text) : '…');

/** A URL for a sentence: without its query, which may hold a session. */
const place = (url: URL) => `${url.origin}${whole(url.pathname)}`;

function resolveLocation(location: string, base: URL): URL | null {
  try {
    // On the wire it is bytes; browsers take those above ASCII for UTF-8.
    const url = new URL(Buffer.from(location, 'latin1').toString('utf8'), base);
    url.username = '';
    url.password = '';
    url.hash = '';
    return url;
  } catch {
    return null;
  }
}

/**
 * Whether `to` is of the same origin as `from`, or the https side of the same host on the usual ports: whoever answers
 * there is who was asked.
 */
export function isSameSite(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  return isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === '';
}

interface Redirection extends Pick<RedirectRules, 'headersElsewhere'> {
  readonly url: URL;
  readonly statusCode: number;
}

/** Headers are only ever taken away: those dropped on the way to another origin stay away on the way back. */
function redirected(
  { url: from, method, headers, body }: HttpRequest,
  { url, statusCode, headersElsewhere }: Redirection,
): HttpRequest {
  const becomesGet =
    (statusCode === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((statusCode === 301 || statusCode === 302) && method === 'POST');
  const staysHome = url.origin === from.origin;
  const sent = headersElsewhere === null || isSameSite(from, url) ? headers : headersElsewhere;
  const kept = sent.filter(([written]) => {
    const name = written.toLowerCase();
    if (becomesGet && ofTheBody.has(name)) return false;
    return staysHome || (name !== 'host' && !credentialName.test(name));
  });
  return { url, method: becomesGet ? 'GET' : method, headers: kept, body: becomesGet ? null : body };
}
