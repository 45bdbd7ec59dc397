/** Serves HTTP: listens, answers with the handler, and renders pages ahead of requests. */
import type { Store } from '../db/store/store.ts';
import { meta } from '../db/tables/meta.ts';
import { waitAtMost } from '../engine/core/clock.ts';
import { deferred } from '../engine/core/deferred.ts';
import type { MonitorState } from '../engine/monitoring/confirm/state.ts';
import type { MetricReading } from '../engine/views/metrics/families.ts';
import type { NodeCheckCounts, OutputCounts } from '../engine/views/metrics/inside-families.ts';
import { createHandler, type HandlerOptions, keep, type RequestEngine } from './handler.ts';
import type { Handler, Request } from './http-types.ts';
import { createProbeAnswers, type ProbeAnswersOptions } from '../engine/peers/answer-probe.ts';
import { listen, type ListenAddress } from './server/listen.ts';
import { createHttpServer, defaultLimits, type ServerLimits } from './server/server.ts';
import { createFigures } from './scope/figures.ts';
import type { HealthStanding, ReportedHealth } from './scope/health.ts';
import { createScopes } from './scope/scope.ts';
import { createRefusals } from './limit/refusals.ts';
import { createLagMeter, type LagMeter } from './metrics/loop-lag.ts';
import { createProbeTally } from './metrics/probe-tally.ts';
import { createResponseCache } from './responses/cache.ts';
import { logsFault } from '../engine/core/unattended.ts';
import { paced } from '../engine/core/yielding.ts';
import { isSmall } from '../engine/config/size.ts';
import { createHourlyReading, createKeptPage, keepWarm, laterRequest, warmUp } from './warm.ts';

/** What is asked of the engine. */
export interface HttpEngine extends RequestEngine {
  readonly health: () => ReportedHealth;
  readonly stateOf: (monitor: string) => MonitorState | null;
}

export interface HttpOptions extends HandlerOptions {
  readonly store: Store;
  readonly engine: HttpEngine;
  /** Checks a monitor once, for a peer that asks how it looks from here. Rejects only when the signal is aborted. */
  readonly probe: ProbeAnswersOptions['probe'];
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
  log,
  newRequestId,
  limits,
}: Pick<HttpOptions, 'loaded' | 'clock' | 'log' | 'newRequestId' | 'limits'>): Promise<ReservedAddress> {
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
    onFault: logsFault(log, 'a request'),
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
  const { loaded, store, clock, log, newRequestId } = options;
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
  const refusals = createRefusals({
    clock,
    log: options.log,
    redact: (text) => loaded().redact(text),
  });
  const release = () => {
    refusals.stop();
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
    refused: refusals.counts,
    nodeChecks: options.nodeChecks ?? (() => null),
    now: clock.now,
    databaseUid,
    figures,
    cache,
    yieldTurn: paced(clock.monotonic),
  });
  const handler = createHandler(options, { scopeOf, answerPeer: probeAnswers.ask, refusals });
  const warming = warmUp({
    step: () => figures.warm(clock.now()),
    // Of few monitors it takes no longer than reading their settings, and may keep 8 MB of Intl without any reader.
    ask: isSmall(config()) ? null : handler,
    token: () => config().server.auth_token,
    yieldTurn: paced(clock.monotonic),
  });
  if (uid === null) keep(store, meta.setDatabaseUid(databaseUid));
  const page = createKeptPage({ clock, monitors: () => config().monitors, ask: () => handler(laterRequest) });
  const answer: Handler = (request) => {
    if (request.headers.accept?.includes('text/html') === true) page.noteReader();
    return handler(request);
  };
  const warmed = waitAtMost(clock, patienceMs, warming.made);
  // Who brings something is answered at once; who asks would wait for longer without what is being read.
  answerWith((request) => (asks(request) ? warmed.then(() => answer(request)) : answer(request)));
  const stopping = new AbortController();
  void warmed.then(() => {
    // By then another may answer here.
    if (!stopping.signal.aborted) answerWith(answer);
  });
  const readHour = createHourlyReading(figures, { clock, monitors: () => config().monitors });
  const make = async () => {
    try {
      await readHour();
      await page.make();
    } catch (error) {
      // Readers have it made for them then; the next one may succeed.
      logsFault(log, 'a page that is kept ready')(error);
    }
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

/** Heartbeats may come by GET. */
function asks({ method, target }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !target.startsWith('/api/push/');
}

/** How long requests wait for what is read ahead: without it the first of them would wait longer. */
const patienceMs = 1000;
