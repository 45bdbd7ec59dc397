/** From a request to its answer: the layers, the routes, and what routes may change. */
import { randomInt } from 'node:crypto';
import type { Operation } from '../db/store/operation.ts';
import type { Store } from '../db/store/store.ts';
import type { Config } from '../engine/config/config.ts';
import type { LoadedConfig } from '../engine/config/load.ts';
import type { Clock } from '../engine/core/clock.ts';
import type { Log } from '../engine/core/log.ts';
import type { Access } from './access/admit.ts';
import { siteOfFailure } from './access/reader-context.ts';
import { siteOfConfig } from './pages/site.ts';
import { type Presented, textsOf } from './access/token.ts';
import { clientKey, socketAddress } from './client/address.ts';
import { clientIpOf } from './client/client-ip.ts';
import { originOf } from './client/origin.ts';
import { dispatch } from './dispatch.ts';
import { compose, type Handler, inTurn, type Request } from './http-types.ts';
import { cors } from './layers/cors.ts';
import { errorPages } from './layers/error-pages.ts';
import { requireHost } from './layers/host.ts';
import { problems } from './layers/problems.ts';
import { robots } from './layers/robots.ts';
import { secured } from './layers/security-headers.ts';
import { createGuesses, type Guesser, type GuessVerdict, type Purpose } from './limit/guesses.ts';
import { createLimiter, limitsOf } from './limit/limiter.ts';
import type { RefusalReason, Refusals } from './limit/refusals.ts';
import { routes } from './routes/all.ts';
import type { Effects } from './routes/route.ts';
import { tableOf } from './routes/table.ts';
import type { ScopeOf } from './scope/viewer-scope.ts';

/** What requests change of the engine. */
export interface RequestEngine extends Pick<Effects, 'heartbeat' | 'peerHeartbeat'> {
  readonly checkNow: (ids: readonly string[]) => Promise<void>;
}

export interface HandlerOptions {
  /** The configuration of the moment, after every reload. */
  readonly loaded: () => Pick<LoadedConfig, 'config' | 'redact' | 'pageFiles'>;
  readonly store: Pick<Store, 'write' | 'sql'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly engine: RequestEngine;
  /** Makes checks for the nodes that share its database; absent: it has one to itself. */
  readonly answerNode?: Effects['answerNode'] | undefined;
  /** Of the characters A-Z a-z 0-9 . _ - and never the same twice. */
  readonly newRequestId: () => string;
}

interface HandlerParts extends Pick<Effects, 'answerPeer'> {
  readonly scopeOf: ScopeOf;
  readonly refusals: Pick<Refusals, 'note'>;
}

/** How long a client waits for its check. Most take less; the result of a longer one is in the summary. */
const checkPatienceMs = 3000;

/** Answers every request, with a problem document where a layer or a route throws. */
export function createHandler(
  { loaded, store, clock, log, engine, version, newRequestId, answerNode }: HandlerOptions,
  { scopeOf, answerPeer, refusals }: HandlerParts,
): Handler {
  const { config } = loaded();
  const redact = (text: string) => loaded().redact(text);
  const effects: Effects = {
    heartbeat: (heartbeat) => engine.heartbeat(heartbeat),
    peerHeartbeat: (heartbeat) => engine.peerHeartbeat(heartbeat),
    answerPeer,
    answerNode: async (question) => (await answerNode?.(question)) ?? null,
    write: (operations) => store.write(operations),
    note: (operations) => {
      keep(store, ...operations);
    },
    identity: ({ identity }) => identity(store.sql, newRequestId()),
    end: async ({ sweep, clear }, id) => {
      const operations = [sweep({ at: clock.now() }), clear({ id, sql: store.sql })];
      return clear.answer((await store.write(operations)).at(-1));
    },
    checkNow: async (id) => {
      const patience = new AbortController();
      const notDone = () => false;
      const late = clock.sleep(checkPatienceMs, patience.signal).then(notDone, notDone);
      const checked = engine.checkNow([id]).then(() => true);
      return Promise.race([checked, late]).finally(() => {
        patience.abort();
      });
    },
    newUid: newRequestId,
  };
  const limits = limitsOf(config.server);
  const counting = { monotonic: clock.monotonic, seed: randomInt(2 ** 32) };
  const guesses = createGuesses(limits, counting);
  const siteOf = remembered((given) => siteOfConfig(given, loaded().pageFiles));
  const site = () => siteOf(loaded().config);
  const clientIpOfConfig = remembered(clientIpRules);
  const originOfConfig = remembered(originRules);
  const guesserOf = (request: Request): Guesser => {
    const { remoteAddress } = request;
    const address = clientIpOfConfig(loaded().config)(request);
    const client = clientKey(address);
    return { client, socket: address === remoteAddress ? client : clientKey(socketAddress(remoteAddress)) };
  };
  const guessed = (request: Request, presented: Presented, purpose: Purpose): GuessVerdict => {
    const tokens = textsOf(presented);
    if (tokens.length === 0) return { kind: 'clear' };
    return guesses.judge(guesserOf(request), purpose, { tokens, config: loaded().config });
  };
  const noteRefusal = (request: Request, reason: RefusalReason, access: Access) => {
    const { client, socket } = guesserOf(request);
    const proxy = socket === client ? null : socket;
    refusals.note({ reason, access, client, proxy, requestId: request.id });
  };
  const handler = dispatch({
    find: tableOf(routes),
    loaded,
    clientIp: (request, given) => clientIpOfConfig(given)(request),
    origin: (request, given) => originOfConfig(given)(request),
    site,
    limits,
    limiters: {
      api: createLimiter(limits.api, counting),
      pages: createLimiter(limits.pages, counting),
      mails: createLimiter(limits.mails, counting),
    },
    guessed,
    noteRefusal,
    scopeOf,
    effects,
    now: clock.now,
    version,
    log,
    redact,
  });
  const finish = inTurn([
    errorPages({ site: (request) => siteOfFailure(site(), request, { config: loaded().config, guessed }) }),
    cors({ allowedOrigins: () => loaded().config.server.allowed_origins }),
    robots({ isIndexed: () => loaded().config.page.robots === 'index' }),
    secured,
  ]);
  return compose([problems({ log, redact, finish }), requireHost()], handler);
}

/** Kept in memory while the disk fails; a store that is closing has no use for it. */
export function keep(store: Pick<Store, 'write'>, ...operations: readonly Operation[]): void {
  store.write(operations, { mustBeDurable: false }).catch(() => undefined);
}

function clientIpRules({ server }: Config): (request: Request) => string {
  const find = clientIpOf({ trustedProxies: server.trusted_proxies, header: server.client_ip_header });
  return ({ remoteAddress, headers }) => find(remoteAddress, headers);
}

function originRules({ server }: Config): (request: Request) => string {
  return originOf({ baseUrl: server.base_url, trustedProxies: server.trusted_proxies });
}

/** What follows from a configuration, made once for each. */
function remembered<T>(make: (config: Config) => T): (config: Config) => T {
  let seen: { readonly config: Config; readonly made: T } | null = null;
  return (config) => {
    if (seen?.config !== config) seen = { config, made: make(config) };
    return seen.made;
  };
}
