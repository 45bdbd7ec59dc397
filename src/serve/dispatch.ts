/** Dispatches a request: path, method, viewer, rate limit, parameters, then the handler of the route. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../engine/config/config.ts';
import { rfc3339 } from '../engine/core/instant.ts';
import type { LoadedConfig } from '../engine/config/load.ts';
import { type Access, type Admission, admit, isProven } from './access/admit.ts';
import {
  inPathAlone,
  isHiddenId,
  isPathToken,
  mayBeToken,
  monitorOfToken,
  takesAnyMethod,
} from './access/path-token.ts';
import { siteFor } from './access/reader-context.ts';
import type { Viewer } from './access/viewer.ts';
import { noToken, type Presented, presentedBy } from './access/token.ts';
import { clientKey } from './client/address.ts';
import type { Handler, HttpReply, Request } from './http-types.ts';
import { answered, type ProblemsOptions } from './layers/problems.ts';
import { anyPurpose, type GuessVerdict, ownPurpose, type Purpose, purposeOf } from './limit/guesses.ts';
import {
  type GuessLimits,
  type Limit,
  type Limiter,
  type RateLimitKey,
  standingOf,
  tooMany,
} from './limit/limiter.ts';
import type { Bucket } from './limit/buckets.ts';
import { refusalIn, type RefusalReason } from './limit/refusals.ts';
import { HttpProblem } from './problem.ts';
import { withBody } from './routes/body-parameters.ts';
import { readParameters, refuseOtherNames } from './routes/parameter.ts';
import type { Effects, Method, Route } from './routes/route.ts';
import type { FindRoute, FoundRoute } from './routes/table.ts';
import type { ScopeOf } from './scope/viewer-scope.ts';
import type { PageContext } from './pages/page-context.ts';
import { readTarget } from './target.ts';

export interface DispatchOptions extends ProblemsOptions {
  readonly find: FindRoute;
  readonly loaded: () => Pick<LoadedConfig, 'config' | 'redact'>;
  readonly origin: (request: Request, config: Config) => string;
  readonly site: () => PageContext;
  readonly clientIp: (request: Request, config: Config) => string;
  readonly limits: Readonly<Record<Limit, Bucket>> & GuessLimits;
  readonly limiters: Readonly<Record<Limit | 'mails', Limiter>>;
  /** Whether the tokens of a request may be compared with the secrets of a purpose. Those that are wrong are counted. */
  readonly guessed: (request: Request, presented: Presented, purpose: Purpose) => GuessVerdict;
  readonly noteRefusal: (request: Request, reason: RefusalReason, access: Access) => void;
  readonly scopeOf: ScopeOf;
  readonly effects: Effects;
  readonly now: () => number;
  readonly version: string;
}

interface Matched {
  readonly row: Route;
  readonly found: CachedRoute;
  readonly presented: Presented;
}

export function dispatch(options: DispatchOptions): Handler {
  const lead = createRouteCache(options.find);
  return (request) => {
    // The server as a whole (RFC 9110, section 9.3.7).
    if (request.method === 'OPTIONS' && request.target === '*') return optionsAnswer(anyMethod);
    const found = lead(request.target);
    if (found === null) {
      const isReading = request.method === 'GET' || request.method === 'HEAD';
      const moved = isReading ? movedTo(request.target, options) : null;
      if (moved !== null) return moved;
      throw new HttpProblem(404, 'There is nothing at this address.');
    }
    if (request.method === 'OPTIONS') {
      return optionsAnswer(allowedMethods(found));
    }
    const { config } = options.loaded();
    const row = rowOf(found, request.method, config);
    if (row === null) {
      const allow = allowedMethods(found);
      throw new HttpProblem(405, `This address takes ${allow}.`, { allow });
    }
    const { id: given = null, group = null } = found.path;
    const named = row.access === 'heartbeat' ? given : null;
    const token = named !== null && isPathToken(named, config) ? named : null;
    const sent = presentedBy(request.headers, found.query);
    const presented = token === null ? sent : { ...sent, path: token };
    let hasWrong = false;
    const judge = (tokens: Presented, purpose: Purpose) => {
      const verdict = options.guessed(request, tokens, purpose);
      if (verdict.kind === 'wrong') hasWrong = true;
      if (verdict.kind !== 'refused') return;
      options.noteRefusal(request, 'too_many_wrong_tokens', row.access);
      throw tooMany('Too many wrong tokens from this address.', options.limits.guesses, verdict.taken);
    };
    // With a purpose of its own for each token in a path, every guess would be the first.
    if (token !== null) judge(inPathAlone(token), anyPurpose);
    if (row.access === 'alert') {
      judge({ ...noToken, push: sent.push }, ownPurpose(given));
      judge({ ...sent, push: null }, anyPurpose);
    } else if (row.access !== 'anyone') judge(sent, purposeOf(row.access, given));
    const id = (token === null ? null : monitorOfToken(token, config)) ?? given;
    const matched = { row, found: id === null || id === given ? found : withId(found, id), presented };
    const admission = admit(row.access, { presented, id, group }, config);
    if (admission.kind === 'refused' && named !== null && isHiddenId(named, config))
      judge(inPathAlone(named), anyPurpose);
    if (isProven(admission)) request.prove?.();
    else {
      const reason = refusalIn(admission, { presented, hasWrong });
      if (reason !== null) options.noteRefusal(request, reason, row.access);
    }
    switch (row.limit) {
      case 'api':
        return limited(request, matched, { admission, options });
      case 'pages': {
        const taken = options.limiters.pages.take(clientOf(request, options));
        if (!taken.isAllowed) {
          options.noteRefusal(request, 'rate_limit', row.access);
          throw tooMany('Too many requests.', options.limits.pages, taken);
        }
        return called(request, matched, { admission, options });
      }
      case null:
        return called(request, matched, { admission, options });
    }
  };
}

/** Null: the address does not take the method. */
function rowOf({ rows, path }: CachedRoute, method: string, config: Config): Route | null {
  const row = rows.get(method === 'HEAD' ? 'GET' : (method as Method));
  if (row !== undefined) return row;
  const post = rows.get('POST');
  return post?.access === 'heartbeat' && takesAnyMethod(path['id'] ?? '', config) ? post : null;
}

/** As if the id had stood in the path. */
function withId(found: CachedRoute, id: string): CachedRoute {
  return { ...found, path: { ...found.path, id }, values: new Map() };
}

/**
 * Leads readers from addresses that people guess to those that there are: a slash at the end, the report of no month. What
 * brings something is never led elsewhere: clients follow with a GET, or take the answer for success.
 */
function movedTo(target: string, { find, site, now }: DispatchOptions): HttpReply | null {
  const mark = target.indexOf('?');
  const [path, query] = mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark)];
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  const bare = path.slice(0, end);
  const to = bare === '/report' ? `/report/${rfc3339(now()).slice(0, 7)}` : bare;
  if (to === path || !to.startsWith('/') || find(readTarget(to).segments) === null) return null;
  const headers = { location: `${site().base}${to}${query}`, 'cache-control': 'no-store' };
  return { status: 302, headers, body: '' };
}

function clientOf(request: Request, { clientIp, loaded }: DispatchOptions): RateLimitKey {
  return { kind: 'client', address: clientKey(clientIp(request, loaded().config)) };
}

const noBody = Buffer.alloc(0);

interface Admitted {
  readonly admission: Admission;
  readonly options: DispatchOptions;
}

function limited(request: Request, matched: Matched, admitted: Admitted): Promise<HttpReply> | HttpReply {
  const { options } = admitted;
  const { limits, limiters } = options;
  const taken = limiters.api.take(rateLimitKeyOf(request, matched, admitted));
  if (!taken.isAllowed) {
    options.noteRefusal(request, 'rate_limit', matched.row.access);
    throw tooMany('Too many requests.', limits.api, taken);
  }
  return answered(request, options, {
    work: () => called(request, matched, admitted),
    finish: ({ status, headers, body }) => ({ status, headers, also: standingOf(limits.api, taken), body }),
  });
}

function rateLimitKeyOf(
  request: Request,
  { row, found: { path } }: Matched,
  { admission, options }: Admitted,
): RateLimitKey {
  if (admission.kind === 'admitted' && admission.hasProof) {
    const { viewer } = admission;
    const who = path['id'] ?? (viewer.kind === 'peer' ? viewer.peer : '');
    return { kind: 'producer', key: `${row.access}:${who}` };
  }
  return clientOf(request, options);
}

function called(request: Request, matched: Matched, admitted: Admitted): Promise<HttpReply> | HttpReply {
  const { admission, options } = admitted;
  if (admission.kind === 'refused') throw admission.problem;
  const call = { request, matched, viewer: admission.viewer, options };
  if (matched.row.method === 'GET') return handled(call, noBody);
  const body = request.body();
  return body instanceof Promise ? body.then((late) => handled(call, late)) : handled(call, body);
}

interface Calling {
  readonly request: Request;
  readonly matched: Matched;
  readonly viewer: Viewer;
  readonly options: DispatchOptions;
}

function handled(
  { request, matched, viewer, options }: Calling,
  body: Buffer,
): Promise<HttpReply> | HttpReply {
  const { row } = matched;
  const { effects, scopeOf } = options;
  const { redact } = options.loaded();
  return row.handle({
    values: valuesOf(matched, { redact, headers: request.headers, body }),
    hasPathToken: matched.presented.path !== null,
    scope: scopeOf(viewer),
    effects,
    body,
    nowAt: options.now(),
    headers: request.headers,
    origin: () => options.origin(request, options.loaded().config),
    site: siteFor(options.site(), viewer, matched.presented),
    version: options.version,
    noteWrongLink: () => {
      options.noteRefusal(request, 'wrong_link', row.access);
    },
    countMail: () => {
      const taken = options.limiters.mails.take(clientOf(request, options));
      if (taken.isAllowed) return;
      options.noteRefusal(request, 'rate_limit', row.access);
      // The answer has the headers of the general limit.
      throw tooMany('Too many mails were asked for from this address.', null, taken);
    },
    redact,
  });
}

/** What some address or other takes. */
const anyMethod = 'GET, HEAD, POST, DELETE, OPTIONS';

function optionsAnswer(allow: string): HttpReply {
  return { status: 204, headers: { allow }, body: '' };
}

function allowedMethods({ rows }: FoundRoute): string {
  const methods = [...rows.keys()].flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method]));
  return [...methods, 'OPTIONS'].join(', ');
}

interface CachedRoute extends FoundRoute {
  /** Null: the target has none. */
  readonly query: URLSearchParams | null;
  /** What the parameters of a row come to where there is no query, made once. */
  readonly values: Map<Route, Values>;
}

type Values = ReturnType<typeof readParameters>;

const noQuery = new URLSearchParams();

function valuesOf(
  { row, found: { path, query, values } }: Matched,
  {
    redact,
    headers,
    body,
  }: {
    readonly redact: (text: string) => string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  },
): Values {
  if (row.body?.hasParameters === true && body.length > 0) {
    const both = withBody(query ?? noQuery, row.parameters, { headers, body });
    return readParameters(row.parameters, { path, query: both, redact });
  }
  // A misspelt id would end everything.
  if (row.method === 'DELETE' && query !== null)
    refuseOtherNames(query.keys(), [...Object.keys(row.parameters), 'token'], { what: 'parameter', redact });
  const known = values.get(row);
  if (known !== undefined) return known;
  const read = readParameters(row.parameters, { path, query: query ?? noQuery, redact });
  if (query === null) values.set(row, read);
  return read;
}

function holdsToken({ rows, path: { id = '' } }: FoundRoute): boolean {
  return mayBeToken(id) && rows.values().next().value?.access === 'heartbeat';
}

const maxRemembered = 256;
const maxLength = 256;

/**
 * Finds what request targets lead to, and remembers those that are asked for again and again. Null: there is nothing
 * at this address. Throws a 400 for what is no target. What may hold a token is not kept: a query, the path of a heartbeat.
 */
function createRouteCache(find: FindRoute): (target: string) => CachedRoute | null {
  const remembered = new Map<string, CachedRoute>();
  return (target) => {
    const known = remembered.get(target);
    if (known !== undefined) return known;
    const { segments, query } = readTarget(target);
    const found = find(segments);
    if (found === null) return null;
    const hasQuery = target.includes('?');
    const led = { query: hasQuery ? query : null, values: new Map<Route, Values>(), ...found };
    if (target.length <= maxLength && !hasQuery && !holdsToken(found)) {
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(target, led);
    }
    return led;
  };
}
