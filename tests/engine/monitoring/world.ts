/** An engine in a world of its own: virtual time, a store in memory, targets that do what they are told. */
import type { LoadedConfig } from '../../../src/engine/config/load.ts';
import type { Category, CheckResult, ProbeResult } from '../../../src/engine/core/probe.ts';
import { noTimings } from '../../../src/engine/core/probe.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import { type Engine, type EngineOptions } from '../../../src/engine/monitoring/engine.ts';
import { createEngine } from '../../../src/engine/monitoring/create-engine.ts';
import type { ProbedMonitor } from '../../../src/engine/probes/probe.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { load } from '../../support/config.ts';
import { type MemoryStore, memoryStore } from './memory-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** What a target does when it is asked: answers after `tookMs` of virtual time. */
export interface Answer {
  readonly result: ProbeResult;
  readonly tookMs: number;
}

export const up = (latencyMs = 20): Answer => ({
  result: {
    outcome: 'healthy',
    reason: null,
    latencyMs,
    timings: { ...noTimings, connectMs: 1 },
    answer: null,
    assertions: [],
    certificate: null,
    address: '192.0.2.1',
  },
  tookMs: 0,
});

export const failed = (category: Category = 'status', message = 'answered 503', tookMs = 0): Answer => ({
  result: {
    ...up().result,
    outcome: 'failed',
    reason: { category, message },
    latencyMs: null,
    timings: { ...noTimings, connectMs: category === 'status' ? 1 : null },
  },
  tookMs,
});

export const silent = (tookMs = 0, message = 'did not answer within 10 s'): Answer => {
  const answer = failed('timeout', message, tookMs);
  return { ...answer, result: { ...answer.result, isSilence: true } };
};

/** The name servers of this host do not answer. */
export const unknown = (message = 'no name server answers'): Answer => ({
  result: {
    ...up().result,
    outcome: 'unknown',
    reason: { category: 'own_fault', message },
    latencyMs: null,
    isSilence: true,
  },
  tookMs: 0,
});

export interface World {
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly log: LogEntry[];
  /** Every check that began: which, and when on the monotonic clock. */
  readonly checks: { readonly id: string; readonly atMs: number }[];
  /** What a target answers; up when it is not told. */
  readonly targets: Map<string, () => Answer>;
  engine: Engine;
  readonly restart: (toml?: string) => Promise<void>;
  readonly reload: (toml: string) => ReturnType<Engine['reload']>;
  /** The events waiting or sent, one line each. */
  readonly outbox: () => string[];
  readonly openIncidents: () => string[];
}

export interface WorldOptions {
  readonly clock?: VirtualClock;
  readonly store?: MemoryStore;
  readonly engine?: Partial<EngineOptions>;
}

const channel = '\n[[channels]]\nname = "ops"\ntype = "ntfy"\nurl = "https://ntfy.example/t"\n';

export function loadWith(toml: string): Promise<LoadedConfig> {
  return load(toml + channel);
}

/** Starts an engine on `toml`. */
export async function openWorld(toml: string, options: WorldOptions = {}): Promise<World> {
  const { clock = new VirtualClock(), store = await memoryStore() } = options;
  const log: LogEntry[] = [];
  const checks: World['checks'] = [];
  const targets = new Map<string, () => Answer>();
  let uids = 0;
  const check = async (monitor: ProbedMonitor, how: { signal: AbortSignal }): Promise<CheckResult> => {
    const startedAt = clock.now();
    checks.push({ id: monitor.id, atMs: clock.monotonic() });
    const { result, tookMs } = (targets.get(monitor.id) ?? up)();
    if (tookMs > 0) await clock.sleep(tookMs, how.signal);
    return { startedAt, attempts: 1, result };
  };
  const start = async (loaded: LoadedConfig) =>
    createEngine({
      loaded,
      store,
      clock,
      log: (entry) => log.push(entry),
      check,
      lookUpDomain: null,
      peerClients: null,
      onProgress: () => undefined,
      newUid: () => `uid-${(uids += 1)}`,
      ...options.engine,
    });
  let loaded = await loadWith(toml);
  const world: World = {
    clock,
    store,
    log,
    checks,
    targets,
    engine: await start(loaded),
    restart: async (next) => {
      await clock.until(world.engine.stop());
      if (next !== undefined) loaded = await loadWith(next);
      world.engine = await start(loaded);
    },
    reload: async (next) => {
      loaded = await loadWith(next);
      return clock.until(world.engine.reload(loaded));
    },
    outbox: () =>
      store.sql.all('SELECT event, monitor, state FROM outbox ORDER BY id', [], (row) =>
        [row.textOrNull('monitor') ?? '-', row.text('event'), row.text('state')].join(' '),
      ),
    openIncidents: () => incidents.listOpen(store.sql).map(({ monitor }) => monitor),
  };
  return world;
}

/** Http monitors by id, each on a host of its own. */
export function httpMonitors(ids: readonly string[], more = ''): string {
  return ids.map((id) => `[[monitors]]\nid = "${id}"\ntarget = "https://${id}.example/"\n${more}\n`).join('');
}
