/**
 * The parts of the daemon that decide, from a start to a stop: they confirm, queue and tell as they do in `serve`.
 * Only the schedule is left out, because a test says when a monitor is checked.
 */
import { setMaxListeners } from 'node:events';
import type { Store } from '../../../db/store/store.ts';
import type { Channel, Config, Monitor, PushMonitor } from '../../../engine/config/config.ts';
import type { Clock } from '../../../engine/core/clock.ts';
import type { MonitorState } from '../../../engine/monitoring/confirm/state.ts';
import type { Log } from '../../../engine/core/log.ts';
import type { ProbeResult } from '../../../engine/core/probe.ts';
import { TimerQueue } from '../../../engine/monitoring/timer-queue.ts';
import { Burn } from '../../../engine/monitoring/budget-burn.ts';
import { Semaphore } from '../../../engine/monitoring/semaphore.ts';
import { LatenessLog } from '../../../engine/monitoring/lateness.ts';
import { HeartbeatReceiver } from '../../../engine/monitoring/heartbeats/receiver.ts';
import { ListeningRecord } from '../../../engine/monitoring/heartbeats/listening-record.ts';
import { NetworkRecord } from '../../../engine/monitoring/network/record.ts';
import { NoticeSender } from '../../../engine/monitoring/notice-sender.ts';
import type { NextRun } from '../../../engine/monitoring/next-run.ts';
import { Prober } from '../../../engine/monitoring/prober.ts';
import { StallDetector } from '../../../engine/monitoring/stall-detector.ts';
import { Recorder } from '../../../engine/monitoring/recorder.ts';
import { MonitorRegistry } from '../../../engine/monitoring/registry.ts';
import { NetworkDiagnosis } from '../../../engine/monitoring/network/diagnosis.ts';
import { Yielder } from '../../../engine/core/yielding.ts';
import type { Delivered } from '../../../notify/channels/channel.ts';
import type { Message } from '../../../engine/alerting/events/catalogue.ts';
import { createPipeline, type Pipeline } from '../../../notify/delivery.ts';
import type { SentHeartbeat } from './target.ts';

export interface LifeOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
  readonly nextRun: NextRun;
  readonly newUid: () => string;
  /** What a monitor is answered when it asks now. */
  readonly ask: (monitor: Monitor) => ProbeResult;
  readonly deliver: (message: Message, channel: Channel) => Delivered;
}

/** Nobody has to be woken between two appointments: virtual time does not stand still by accident. */
const beatMs = 3_600_000;
const places = { prompt: 100_000, slow: 100_000 };
const stoppedClock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
const nothing = (): void => undefined;
const asItIs = (text: string): string => text;

export class TestDaemon {
  private readonly options: LifeOptions;
  private readonly stopping = new AbortController();
  private readonly registry: MonitorRegistry;
  private readonly diagnosis: NetworkDiagnosis;
  private readonly recorder: Recorder;
  private readonly prober: Prober;
  private readonly receiver: HeartbeatReceiver;
  private readonly listening: ListeningRecord;
  private readonly timers: TimerQueue;
  private pipeline: Pipeline | null = null;
  private config: Config;

  constructor(options: LifeOptions) {
    const { store, clock, log, newUid, nextRun, ask } = options;
    this.options = options;
    this.config = options.config;
    const config = () => this.config;
    // Every sleep listens, and those that are no longer needed are left to end.
    setMaxListeners(0, this.stopping.signal);
    this.timers = new TimerQueue({ clock, signal: this.stopping.signal, beatMs, onWake: nothing });
    this.listening = new ListeningRecord({ store, clock });
    const notices = new NoticeSender({ store, clock, log, config });
    const network = new NetworkRecord({
      store,
      clock,
      log,
      notices,
      hidden: (by) => this.diagnosis.hidden(by),
    });
    this.diagnosis = new NetworkDiagnosis({
      clock,
      timers: this.timers,
      network: network.read(),
      all: () => this.registry.all(),
      ask: (watchedMonitor) => this.prober.checkNow(watchedMonitor).answered,
      windowMs: () => this.config.alerts.group_window_secs * 1000,
      onChange: (now, before) => {
        network.write(now, before);
        if (now.state !== 'ok') return;
        if (before.state !== 'ok') this.listening.note(before.sinceAt);
        this.receiver.restartDeadlines();
      },
    });
    // What falls on one instant all happens before anything follows from it.
    const yielder = new Yielder(clock.monotonic, Infinity);
    const burn = new Burn({ store, clock, notices, config });
    this.recorder = new Recorder({
      store,
      clock,
      log,
      config,
      newUid,
      yielder,
      onKept: (watchedMonitor, observation) => {
        burn.look(watchedMonitor, observation);
      },
    });
    const shared = {
      clock,
      log,
      timers: this.timers,
      diagnosis: this.diagnosis,
      recorder: this.recorder,
      yielder,
      onTick: nothing,
    };
    this.prober = new Prober({
      ...shared,
      semaphore: new Semaphore(places, clock),
      stallDetector: new StallDetector(stoppedClock, nothing),
      lateness: new LatenessLog(),
      check: (monitor) => Promise.resolve({ startedAt: clock.now(), attempts: 1, result: ask(monitor) }),
      redact: () => asItIs,
      onResult: nothing,
    });
    this.receiver = new HeartbeatReceiver({ ...shared, listening: this.listening, nextRun });
    this.registry = new MonitorRegistry({
      store,
      clock,
      watch: (watchedMonitor) => {
        if (watchedMonitor.monitor.kind === 'push')
          this.receiver.start(watchedMonitor, watchedMonitor.monitor);
        else this.receiver.stop(watchedMonitor.id);
      },
      unwatch: (id) => {
        this.receiver.stop(id);
      },
    });
  }

  /** Goes on from what the store remembers. */
  async start(): Promise<void> {
    const { store, clock, log, deliver } = this.options;
    const { monitors } = this.config;
    await this.registry.align(monitors);
    this.listening.begin();
    this.timers.start();
    this.registry.start(monitors);
    this.diagnosis.survey();
    this.pipeline = createPipeline({
      askPeer: null,
      config: () => this.config,
      store,
      clock,
      log,
      engine: { checkNow: (ids) => this.checkNow(ids), stateOf: (id) => this.stateOf(id) },
      deliver: (message, channel) => Promise.resolve(deliver(message, channel)),
    });
  }

  /** Resolves when each has a new sample. */
  async checkNow(ids: readonly string[]): Promise<void> {
    const checks = ids.flatMap((id) => {
      const watchedMonitor = this.registry.find(id);
      return watchedMonitor === null || watchedMonitor.monitor.kind === 'push'
        ? []
        : [this.prober.checkNow(watchedMonitor).kept];
    });
    await Promise.all(checks);
  }

  async hear({ id }: PushMonitor, { status, pingMs }: SentHeartbeat): Promise<void> {
    const watchedMonitor = this.registry.find(id);
    if (watchedMonitor?.monitor.kind !== 'push') return;
    await this.receiver.receive(watchedMonitor, watchedMonitor.monitor, { status, pingMs, message: null });
  }

  /** Null while nothing is known. */
  stateOf(id: string): MonitorState | null {
    return this.registry.stateOf(id);
  }

  async reload(config: Config): Promise<void> {
    await this.registry.swap(config.monitors, () => {
      this.config = config;
    });
    this.diagnosis.survey();
    this.pipeline?.reload();
  }

  async stop(): Promise<void> {
    this.listening.end();
    this.stopping.abort(new Error('the daemon is stopping'));
    this.registry.stop(this.stopping.signal.reason);
    await this.pipeline?.stop();
  }
}
