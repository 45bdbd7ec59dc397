/**
 * The daemon of a test: the real engine and delivery, while the test decides when a monitor is checked and how it
 * answers.
 */
import type { Store } from '../../../db/store/store.ts';
import type { Channel, Config, Monitor } from '../../../engine/config/config.ts';
import type { LoadedConfig } from '../../../engine/config/load.ts';
import type { Clock } from '../../../engine/core/clock.ts';
import type { Log } from '../../../engine/core/log.ts';
import type { ProbeResult } from '../../../engine/core/probe.ts';
import type { Message } from '../../../engine/alerting/events/catalogue.ts';
import { createEngine } from '../../../engine/monitoring/create-engine.ts';
import type { Engine, Pacing } from '../../../engine/monitoring/engine.ts';
import type { Delivered } from '../../../notify/channels/channel.ts';
import { createPipeline } from '../../../notify/delivery.ts';

export interface TestDaemonOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
  readonly newUid: () => string;
  /** What a monitor is answered when it asks now. */
  readonly ask: (monitor: Monitor) => ProbeResult;
  readonly deliver: (message: Message, channel: Channel) => Delivered;
}

export interface TestDaemon
  extends Pick<Engine, 'checkNow' | 'heartbeat' | 'peerHeartbeat' | 'health' | 'stateOf'> {
  readonly reload: (config: Config) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Virtual time does not stall, so beats are rare. All of one instant is answered before anything follows from it. */
const pacing: Pacing = { isScheduled: false, beatMs: 3_600_000, atOnce: Infinity };

/** Goes on from what the store remembers. */
export async function startTestDaemon(options: TestDaemonOptions): Promise<TestDaemon> {
  const { store, clock, log, newUid, ask, deliver } = options;
  let { config } = options;
  const engine = await createEngine({
    loaded: asLoaded(config),
    store,
    clock,
    log,
    check: (monitor) => Promise.resolve({ startedAt: clock.now(), attempts: 1, result: ask(monitor) }),
    lookUpDomain: null,
    peerClients: null,
    onProgress: () => undefined,
    newUid,
    pacing,
  });
  const pipeline = createPipeline({
    askPeer: null,
    config: () => config,
    store: engine.store,
    clock: engine.clock,
    log,
    engine,
    deliver: (message, channel) => Promise.resolve(deliver(message, channel)),
  });
  return {
    checkNow: engine.checkNow,
    heartbeat: engine.heartbeat,
    peerHeartbeat: engine.peerHeartbeat,
    health: engine.health,
    stateOf: engine.stateOf,
    reload: async (next) => {
      await engine.reload(asLoaded(next));
      config = next;
      pipeline.reload();
    },
    stop: async () => {
      await pipeline.stop();
      await engine.stop();
    },
  };
}

/** No other node takes part in a test, so none is missed. */
function asLoaded(config: Config): Pick<LoadedConfig, 'config' | 'redact'> {
  return { config: { ...config, peers: [] }, redact: (text) => text };
}
