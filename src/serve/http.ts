/** The HTTP side of the daemon: the layers, the routes and the server, put together. */
import { randomInt } from 'node:crypto';
import type { Store } from '../db/store.ts';
import type { Config } from '../engine/config/config.ts';
import type { Loaded } from '../engine/config/load.ts';
import type { Clock } from '../engine/core/clock.ts';
import type { State } from '../engine/core/confirm/state.ts';
import type { Log } from '../engine/core/log.ts';
import { clientIpOf } from './client/client-ip.ts';
import { dispatch } from './dispatch.ts';
import { compose, type Request } from './exchange.ts';
import { cors } from './layers/cors.ts';
import { requireHost } from './layers/host.ts';
import { problems } from './layers/problems.ts';
import { requestId } from './layers/request-id.ts';
import { security } from './layers/security-headers.ts';
import { createLimiter } from './limit/limiter.ts';
import { routes } from './routes/all.ts';
import type { Effects } from './routes/route.ts';
import { tableOf } from './routes/table.ts';
import { listen, type Address } from './server/listen.ts';
import { createHttpServer, defaultLimits, type ServerLimits } from './server/server.ts';
import { createFigures } from './sight/figures.ts';
import type { EngineHealth } from './sight/health.ts';
import { createSights, type SightOf } from './sight/sight.ts';
import { createSummaryCache } from './sight/summary-cache.ts';
import { paced } from './pace.ts';
import { warmUp } from './warm.ts';

/** What is asked of the engine. */
export interface HttpEngine extends Pick<Effects, 'heartbeat'> {
  readonly health: () => EngineHealth;
  readonly stateOf: (monitor: string) => State | null;
}

export interface HttpOptions {
  /** The configuration of the moment, after every reload. */
  readonly loaded: () => Pick<Loaded, 'config' | 'redact'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly engine: HttpEngine;
  /** Of the characters A-Z a-z 0-9 . _ - and never the same twice. */
  readonly newRequestId: () => string;
  readonly limits?: Partial<ServerLimits>;
}

export interface Http {
  readonly address: Address;
  readonly stop: (graceMs: number) => Promise<void>;
}

/** Listens on `server.bind`. Rejects with `address_unusable`. */
export async function startHttp(options: HttpOptions): Promise<Http> {
  const { loaded, store, clock, newRequestId } = options;
  const config = () => loaded().config;
  const figures = createFigures(store, config);
  const cache = createSummaryCache({ store, monotonic: clock.monotonic });
  const sightOf = createSights({
    config,
    store,
    stateOf: (monitor) => options.engine.stateOf(monitor),
    engineHealth: () => options.engine.health(),
    now: clock.now,
    figures,
    cache,
    breathe: paced(clock.monotonic),
  });
  const { server, stop } = createHttpServer({
    handler: handlerOf(options, sightOf),
    newRequestId,
    clock,
    limits: { ...defaultLimits, ...options.limits },
  });
  const address = await listen(server, config().server.bind).catch((error: unknown) => {
    cache.stop();
    throw error;
  });
  const stopWarming = warmUp(clock, {
    step: () => figures.warm(clock.now()),
    last: () => sightOf({ kind: 'anonymous' }).summary(),
  });
  return {
    address,
    stop: async (graceMs) => {
      stopWarming();
      await stop(graceMs);
      cache.stop();
    },
  };
}

function handlerOf({ loaded, store, clock, log, engine, newRequestId }: HttpOptions, sightOf: SightOf) {
  const { config } = loaded();
  const redact = (text: string) => loaded().redact(text);
  const effects: Effects = {
    heartbeat: (heartbeat) => engine.heartbeat(heartbeat),
    write: (operations) => store.write(operations),
    note: (operations) => {
      // Kept in memory while the disk fails; a store that is closing has no use for it.
      store.write(operations, { mustBeDurable: false }).catch(() => undefined);
    },
    newUid: newRequestId,
  };
  const limiter = createLimiter({
    burst: config.server.rate_limit_burst,
    refillMs: config.server.rate_limit_refill_secs * 1000,
    monotonic: clock.monotonic,
    seed: randomInt(2 ** 32),
  });
  const handler = dispatch({
    find: tableOf(routes),
    loaded,
    clientIp: rememberedClientIp(),
    limiter,
    sightOf,
    effects,
    now: clock.now,
    log,
    redact,
  });
  return compose(
    [
      requestId(newRequestId),
      security(),
      cors({ allowedOrigins: () => loaded().config.server.allowed_origins }),
      problems({ log, redact }),
      requireHost(),
    ],
    handler,
  );
}

/** The rules about proxies are read once for each configuration. */
function rememberedClientIp(): (request: Request, config: Config) => string {
  let seen: Config | null = null;
  let find = clientIpOf({ trustedProxies: [], header: null });
  return ({ remoteAddress, headers }, config) => {
    if (config !== seen) {
      seen = config;
      const { trusted_proxies: trustedProxies, client_ip_header: header } = config.server;
      find = clientIpOf({ trustedProxies, header });
    }
    return find(remoteAddress, headers);
  };
}
