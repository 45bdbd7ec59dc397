/** Delivers the outbox: wakes when a message is due, or when something changed that a message waits for. */
import type { Operation } from '../db/store/operation.ts';
import type { Store } from '../db/store/store.ts';
import type { Channel, Config } from '../engine/config/config.ts';
import { callAfter, type Clock } from '../engine/core/clock.ts';
import type { Engine } from '../engine/monitoring/engine.ts';
import type { Log } from '../engine/core/log.ts';
import { Yielder } from '../engine/core/yielding.ts';
import type { Delivered } from './channels/channel.ts';
import type { Message } from '../engine/alerting/events/catalogue.ts';
import { UpstreamChecks } from './delivery/upstream-checks.ts';
import { DeliveryLoop } from './delivery/delivery-loop.ts';
import { OutboxCache } from './delivery/outbox-cache.ts';
import type { AskPeer } from '../engine/peers/confirmation/ask.ts';
import { PeerConfirmation } from '../engine/peers/confirmation/confirmation.ts';

export interface PipelineOptions {
  /** The configuration of the moment. */
  readonly config: () => Config;
  /** Whether the last leader had another configuration, which still counts for all that this one does not have. Default: no. */
  readonly isStandIn?: () => boolean;
  /** `refresh` is for a store that other processes write to. */
  readonly store: Pick<Store, 'sql' | 'write' | 'onChange'> & Partial<Pick<Store, 'refresh'>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly engine: Pick<Engine, 'checkAnew' | 'heardAgainBy' | 'stateOf'>;
  /** Asks a peer how a target looks from there; its words hold no secret. Never rejects. Null: none is asked. */
  readonly askPeer: AskPeer | null;
  /** Takes one message to one channel, all attempts included. Never rejects. */
  readonly deliver: (message: Message, channel: Channel, signal: AbortSignal) => Promise<Delivered>;
}

export interface Pipeline {
  /** The configuration is another one. */
  readonly reload: () => void;
  /** Breaks off what is on its way and starts nothing more. What was not taken stays in the outbox. */
  readonly stop: () => Promise<void>;
  /** Resolves when what is due now has been decided and delivered. */
  readonly settle: () => Promise<void>;
}

/** The clock may step, so nothing is slept through for longer. */
const longestRestMs = 60_000;
const afterFaultMs = 1000;

/** Starts delivering what waits in the outbox. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { store, clock, log, engine, deliver, askPeer } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const settling = new Set<() => void>();
  let isDirty = true;
  let endRest: (() => void) | null = null;

  const wake = (): void => {
    isDirty = true;
    endRest?.();
  };
  const write = async (operations: readonly Operation[]): Promise<void> => {
    // Alerts leave while the disk is full; what became of them is written when it takes it again.
    await store.write(operations, { mustBeDurable: false });
  };
  const loop = new DeliveryLoop({
    config: options.config,
    isStandIn: options.isStandIn ?? (() => false),
    sql: store.sql,
    now: clock.now,
    stateOf: engine.stateOf,
    heardAgainBy: engine.heardAgainBy,
    confirmation:
      askPeer === null ? null : new PeerConfirmation({ askPeer, clock, signal, sql: store.sql, write }),
    checks: new UpstreamChecks({ check: engine.checkAnew, clock, signal }),
    cache: new OutboxCache(store.sql),
    yielder: new Yielder(clock.monotonic),
    refresh: async () => store.refresh?.(),
    write,
    onProgress: wake,
    deliver,
    log,
    signal,
  });
  const unsubscribe = store.onChange((change) => {
    if (loop.note(change)) wake();
  });

  const pause = async (ms: number): Promise<void> => {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const callOff = callAfter(clock, ms, resolve);
      endRest = () => {
        callOff();
        resolve();
      };
    });
    endRest = null;
  };
  const round = async (): Promise<void> => {
    isDirty = false;
    try {
      await loop.run();
    } catch (error) {
      log({
        level: 'error',
        event: 'pipeline.failed',
        message: `Routing of an event failed: ${String(error)}`,
      });
      loop.reload();
      // Whatever is written meanwhile waits as well: in a storm that would be a line in the log for each write.
      await clock.sleep(afterFaultMs, signal).catch(() => undefined);
      isDirty = true;
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const restMs = Math.min(loop.nextAt() - clock.now(), longestRestMs);
      if (isDirty || restMs <= 0) await round();
      else {
        if (!loop.isBusy) release(settling);
        await pause(restMs);
      }
    }
  };
  const running = run();

  return {
    reload: () => {
      loop.reload();
      wake();
    },
    settle: () =>
      new Promise((resolve) => {
        settling.add(resolve);
        wake();
      }),
    stop: async () => {
      stopping.abort(new Error('the pipeline is stopped'));
      endRest?.();
      unsubscribe();
      await running;
      await loop.idle();
      release(settling);
    },
  };
}

function release(settling: Set<() => void>): void {
  for (const resolve of settling) resolve();
  settling.clear();
}
