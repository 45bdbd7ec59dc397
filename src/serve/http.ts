/** The HTTP side of the daemon: from an address to answers. */
import { randomInt } from 'node:crypto';
import type { Operation } from '../db/store/operation.ts';
import type { Store } from '../db/store/store.ts';
import { meta } from '../db/tables/meta.ts';
import type { Config } from '../engine/config/config.ts';
import type { LoadedConfig } from '../engine/config/load.ts';
import type { Clock } from '../engine/core/clock.ts';
import { deferred } from '../engine/core/deferred.ts';
import type { MonitorState } from '../engine/monitoring/confirm/state.ts';
import type { Log } from '../engine/core/log.ts';
import type { MetricReading } from '../engine/views/metrics/families.ts';
import type { NodeCheckCounts, OutputCounts } from '../engine/views/metrics/inside-families.ts';
import { siteOfFailure } from './access/reader-context.ts';
import { siteOfConfig } from './pages/site.ts';
import { type Presented, textsOf } from './access/token.ts';
import { clientKey } from './client/address.ts';
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
import { createGuesses } from './limit/guesses.ts';
import { createLimiter, limitsOf } from './limit/limiter.ts';
import {
  createProbeAnswers,
  type ProbeAnswers,
  type ProbeAnswersOptions,
} from '../engine/peers/answer-probe.ts';
import { routes } from './routes/all.ts';
import type { Effects } from './routes/route.ts';
import { tableOf } from './routes/table.ts';
import { listen, type ListenAddress } from './server/listen.ts';
import { createHttpServer, defaultLimits, type ServerLimits } from './server/server.ts';
import { createFigures } from './scope/figures.ts';
import type { HealthStanding, ReportedHealth } from './scope/health.ts';
import { createScopes, type ScopeOf } from './scope/scope.ts';
import { createLagMeter, type LagMeter } from './metrics/loop-lag.ts';
import { createProbeTally } from './metrics/probe-tally.ts';
import { createResponseCache } from './responses/cache.ts';
import { paced } from '../engine/core/yielding.ts';
import { createHourlyReading, createKeptPage, isMadeAhead, keepWarm, laterRequest, warmUp } from './warm.ts';

/** How long a client waits for its check. Most take less; the result of a longer one is in the summary. */
const checkPatienceMs = 3000;

/** What is asked of the engine. */
export interface HttpEngine extends Pick<Effects, 'heartbeat' | 'peerHeartbeat'> {
  readonly checkNow: (ids: readonly string[]) => Promise<void>;
  readonly health: () => ReportedHealth;
  readonly stateOf: (monitor: string) => MonitorState | null;
}

export interface HttpOptions {
  /** The configuration of the moment, after every reload. */
  readonly loaded: () => Pick<LoadedConfig, 'config' | 'redact' | 'pageFiles'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly engine: HttpEngine;
  /** Checks a monitor once, for a peer that asks how it looks from here. Rejects only when the signal is aborted. */
  readonly probe: ProbeAnswersOptions['probe'];
  /** Makes checks for the nodes that share its database; absent: it has one to itself. */
  readonly answerNode?: Effects['answerNode'] | undefined;
  /** Of the characters A-Z a-z 0-9 . _ - and never the same twice. */
  readonly newRequestId: () => string;
  readonly limits?: Partial<ServerLimits>;
  /** Where it listens already; by default it begins to. */
  readonly reserved?: ReservedAddress;
  /** How it stands among the nodes that share its database; absent: it has one to itself. */
  readonly standing?: (() => HealthStanding) | undefined;
  /** What the outputs say of themselves; absent: there are none. */
  readonly outputs?: (() => readonly OutputCounts[]) | undefined;
  /** What it had other nodes check; absent: it has its database to itself. */
  readonly nodeChecks?: (() => NodeCheckCounts) | undefined;
  /** Measures the event loop; replaced in tests, whose figures stand still. */
  readonly lagMeter?: LagMeter;
}

interface Listening {
  readonly address: ListenAddress;
  readonly stop: (graceMs: number) => Promise<void>;
}

export interface Http extends Listening {
  /** All that /metrics shows to an operator, as of now. */
  readonly measure: () => Promise<MetricReading>;
}

/** An address that is listened on before there is anything to answer with: until then requests wait. */
export interface ReservedAddress extends Listening {
  readonly answerWith: (handler: Handler) => void;
}

/** Listens on `server.bind`. Rejects with `address_unusable`. */
export async function reserveAddress({
  loaded,
  clock,
  newRequestId,
  limits,
}: Pick<HttpOptions, 'loaded' | 'clock' | 'newRequestId' | 'limits'>): Promise<ReservedAddress> {
  // It must not hold the first handler: a node that leads has another than while it stood by, with figures of its own.
  const begun = deferred<null>();
  let handler: Handler = async (request) => {
    await begun.promise;
    return handler(request);
  };
  const { server, stop } = createHttpServer({
    handler: (request) => handler(request),
    newRequestId,
    clock,
    limits: { ...defaultLimits, ...limits },
  });
  const address = await listen(server, loaded().config.server.bind);
  return {
    address,
    stop,
    answerWith: (next) => {
      handler = next;
      begun.resolve(null);
    },
  };
}

/** Answers at `server.bind`. Rejects with `address_unusable`. */
export async function startHttp(options: HttpOptions): Promise<Http> {
  const { loaded, store, clock, newRequestId } = options;
  const { address, stop, answerWith } = options.reserved ?? (await reserveAddress(options));
  const config = () => loaded().config;
  const figures = createFigures(store, config);
  const unfollow = store.onChange(({ operations }) => {
    figures.note(operations);
  });
  const cache = createResponseCache({ store, monotonic: clock.monotonic });
  const probes = createProbeTally(store);
  const lagMeter = options.lagMeter ?? createLagMeter(clock);
  const probeAnswers = createProbeAnswers({
    probe: options.probe,
    isNetworkBack: () => options.engine.health().network.state === 'ok',
    redact: (text) => loaded().redact(text),
    clock,
  });
  const release = () => {
    unfollow();
    cache.stop();
    probes.stop();
    lagMeter.stop();
    probeAnswers.stop();
  };
  const uid = meta.databaseUid(store.sql);
  const databaseUid = uid ?? newRequestId();
  const scopeOf = createScopes({
    config,
    store,
    stateOf: (monitor) => options.engine.stateOf(monitor),
    engineHealth: () => options.engine.health(),
    standing: () => options.standing?.() ?? null,
    version: options.version,
    probes,
    lateness: () => options.engine.health().lateness,
    loopLag: () => lagMeter.read(),
    outputs: options.outputs ?? (() => []),
    nodeChecks: options.nodeChecks ?? (() => null),
    now: clock.now,
    databaseUid,
    figures,
    cache,
    yieldTurn: paced(clock.monotonic),
  });
  const handler = handlerOf(options, { scopeOf, probeAnswers });
  const warming = warmUp({
    step: () => figures.warm(clock.now()),
    ask: isMadeAhead(config().monitors) ? handler : null,
    token: () => config().server.auth_token,
    yieldTurn: paced(clock.monotonic),
  });
  if (uid === null) keep(store, meta.setDatabaseUid(databaseUid));
  const page = createKeptPage({ clock, monitors: () => config().monitors, ask: () => handler(laterRequest) });
  const answer: Handler = (request) => {
    if (request.headers.accept?.includes('text/html') === true) page.noteReader();
    return handler(request);
  };
  const warmed = within(clock, patienceMs, warming.made);
  // Who brings something is answered at once; who asks would wait for longer without what is being read.
  answerWith((request) => (request.method === 'POST' ? answer(request) : warmed.then(() => answer(request))));
  const stopping = new AbortController();
  void warmed.then(() => {
    // By then another may answer here.
    if (!stopping.signal.aborted) answerWith(answer);
  });
  const readHour = createHourlyReading(figures, { clock, monitors: () => config().monitors });
  const make = async () => {
    await readHour();
    await page.make();
  };
  const warm = keepWarm({ clock, make }, stopping.signal).catch(() => undefined);
  return {
    address,
    measure: () => scopeOf({ kind: 'operator', isByAddress: false }).measured(),
    stop: async (graceMs) => {
      warming.stop();
      stopping.abort(new Error('the server is stopping'));
      await stop(graceMs);
      // What is under way still reads the store.
      await Promise.all([warming.done, warm]);
      release();
    },
  };
}

/** Characters of the id of a monitor or a peer at most. */
const longestId = 128;

/** So long nobody is answered while there is something to be read that the first of them would wait for. */
const patienceMs = 1000;

/** Resolves when the work is done, or when it takes longer. */
async function within(clock: Pick<Clock, 'sleep'>, ms: number, work: Promise<void>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work, clock.sleep(ms, ended.signal).catch(() => undefined)]);
  ended.abort();
}

function handlerOf(
  { loaded, store, clock, log, engine, version, newRequestId, answerNode }: HttpOptions,
  { scopeOf, probeAnswers }: { readonly scopeOf: ScopeOf; readonly probeAnswers: ProbeAnswers },
) {
  const { config } = loaded();
  const redact = (text: string) => loaded().redact(text);
  const effects: Effects = {
    heartbeat: (heartbeat) => engine.heartbeat(heartbeat),
    peerHeartbeat: (heartbeat) => engine.peerHeartbeat(heartbeat),
    answerPeer: probeAnswers.ask,
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
  const guesses = createGuesses(limits.guesses, counting);
  const siteOf = remembered((given) => siteOfConfig(given, loaded().pageFiles));
  const site = () => siteOf(loaded().config);
  const clientIpOfConfig = remembered(clientIpRules);
  const originOfConfig = remembered(originRules);
  const guessed = (request: Request, presented: Presented, id: string | null = null) => {
    const texts = textsOf(presented);
    if (texts.length === 0) return null;
    const address = clientKey(clientIpOfConfig(loaded().config)(request));
    // There no token but its own is compared, so wrong ones elsewhere need not hold up what brings the right one. What is
    // longer than any id is nobody's, and too long to be remembered.
    const isOwn = id !== null && id.length <= longestId;
    return guesses.refusal(isOwn ? `${address} ${id}` : address, texts, loaded().config);
  };
  const handler = dispatch({
    find: tableOf(routes),
    loaded,
    clientIp: (request, given) => clientIpOfConfig(given)(request),
    origin: (request, given) => originOfConfig(given)(request),
    site,
    limits,
    limiters: { api: createLimiter(limits.api, counting), pages: createLimiter(limits.pages, counting) },
    guessed,
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
function keep(store: Pick<Store, 'write'>, ...operations: readonly Operation[]): void {
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
