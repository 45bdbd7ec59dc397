/** Decides which origins may read the answers (the Fetch standard's CORS protocol). */
import { withHeaders, type Finish, type Headers, type HttpReply, type Request } from '../http-types.ts';

export interface CorsOptions {
  /** Empty, or with `*` in it: any. */
  readonly allowedOrigins: () => readonly string[];
}

const exposed = 'x-request-id, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';
const accepted = 'authorization, content-type, x-push-token, x-request-id';
const preflightSecs = 600;

export function cors({ allowedOrigins }: CorsOptions): Finish {
  return (httpReply, request) => {
    const given = allowedOrigins();
    const allowed = given.includes('*') ? [] : given;
    if (allowed.length === 0 && request.headers.origin === undefined) return readableByAny(httpReply);
    const headers = corsHeaders(request, httpReply.headers, allowed);
    const vary = [httpReply.headers['vary'], headers['vary']]
      .filter((names) => names !== undefined)
      .join(', ');
    return withHeaders(httpReply, vary === '' ? headers : { ...headers, vary });
  };
}

/** What a cache may hand to any page later says so, too, where no page asked first. */
function readableByAny(httpReply: HttpReply): HttpReply {
  if (httpReply.headers['cache-control']?.startsWith('public') !== true) return httpReply;
  return { ...httpReply, also: [...(httpReply.also ?? []), 'access-control-allow-origin', '*'] };
}

function corsHeaders(request: Request, given: Headers, allowed: readonly string[]): Headers {
  const { origin } = request.headers;
  const isAny = allowed.length === 0;
  // The answer depends on who asks, and a cache in between has to know, also when the answer is no.
  const vary: Headers = isAny ? {} : { vary: 'Origin' };
  if (origin === undefined || !(isAny || allowed.includes(origin))) return vary;
  const isPreflight =
    request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  return {
    ...vary,
    'access-control-allow-origin': isAny ? '*' : origin,
    'access-control-expose-headers': exposed,
    ...(isPreflight
      ? {
          'access-control-allow-methods': given['allow'] ?? '',
          'access-control-allow-headers': accepted,
          'access-control-max-age': String(preflightSecs),
        }
      : {}),
  };
}
