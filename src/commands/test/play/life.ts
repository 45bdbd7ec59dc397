/**
 * The parts of the daemon that decide, from a start to a stop: they confirm, queue and tell as they do in `serve`.
 * Only the schedule is left out, because a test says when a monitor is checked.
 */
import { setMaxListeners } from 'node:events';
import type { Store } from '../../../db/store.ts';
import type { Channel, Config, Monitor, PushMonitor } from '../../../engine/config/config.ts';
import type { Clock } from '../../../engine/core/clock.ts';
import type { State } from '../../../engine/core/confirm/state.ts';
import type { Log } from '../../../engine/core/log.ts';
import type { ProbeResult } from '../../../engine/core/probe.ts';
import { Agenda } from '../../../engine/loop/agenda.ts';
import { Burn } from '../../../engine/loop/burn.ts';
import { Gate } from '../../../engine/loop/gate.ts';
import { LatenessLog } from '../../../engine/loop/lateness.ts';
import { Listener } from '../../../engine/loop/listener.ts';
import { NetworkRecord } from '../../../engine/loop/network-record.ts';
import { Notices } from '../../../engine/loop/notices.ts';
import type { NextRun } from '../../../engine/loop/plan.ts';
import { Prober } from '../../../engine/loop/prober.ts';
import { Pulse } from '../../../engine/loop/pulse.ts';
import { Recorder } from '../../../engine/loop/recorder.ts';
import { alignment, recall } from '../../../engine/loop/resuming.ts';
import { isSame } from '../../../engine/loop/same.ts';
import { Sight } from '../../../engine/loop/sight.ts';
import { type Watched, watchedOf } from '../../../engine/loop/watched.ts';
import type { Delivered, Message } from '../../../notify/message.ts';
import { createPipeline, type Pipeline } from '../../../notify/pipeline.ts';
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
const places = 100_000;
const stoppedClock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
const nothing = (): void => undefined;
const asItIs = (text: string): string => text;

export class Life {
  private readonly options: LifeOptions;
  private readonly watched = new Map<string, Watched>();
  private readonly stopping = new AbortController();
  private readonly sight: Sight;
  private readonly recorder: Recorder;
  private readonly prober: Prober;
  private readonly listener: Listener;
  private readonly agenda: Agenda;
  private pipeline: Pipeline | null = null;
  private config: Config;

  constructor(options: LifeOptions) {
    const { store, clock, log, newUid, nextRun, ask } = options;
    this.options = options;
    this.config = options.config;
    const config = () => this.config;
    // Every sleep listens, and those that are no longer needed are left to end.
    setMaxListeners(0, this.stopping.signal);
    this.agenda = new Agenda({ clock, signal: this.stopping.signal, beatMs, onWake: nothing });
    const notices = new Notices({ store, clock, log, config });
    const network = new NetworkRecord({ store, clock, log, notices });
    this.sight = new Sight({
      clock,
      agenda: this.agenda,
      network: network.read(),
      all: () => this.watched.values(),
      ask: (watched) => this.prober.checkNow(watched).answered,
      windowMs: () => this.config.alerts.group_window_secs * 1000,
      onChange: (now, before) => {
        network.write(now, before);
        if (now.state === 'ok') this.beginAnew();
      },
    });
    const burn = new Burn({ store, clock, notices });
    this.recorder = new Recorder({
      store,
      clock,
      log,
      config,
      newUid,
      onKept: (watched, seen) => {
        burn.look(watched, seen);
      },
    });
    const shared = {
      clock,
      log,
      agenda: this.agenda,
      sight: this.sight,
      recorder: this.recorder,
      onTick: nothing,
    };
    this.prober = new Prober({
      ...shared,
      gate: new Gate(places, clock),
      pulse: new Pulse(stoppedClock, nothing),
      lateness: new LatenessLog(),
      check: (monitor) => Promise.resolve({ startedAt: clock.now(), attempts: 1, result: ask(monitor) }),
      redact: () => asItIs,
      onResult: nothing,
    });
    this.listener = new Listener({ ...shared, nextRun });
  }

  /** Goes on from what the store remembers. */
  async start(): Promise<void> {
    const { store, clock, log, deliver } = this.options;
    await this.align(this.config.monitors);
    this.agenda.start();
    this.startAll(this.config.monitors);
    this.sight.survey();
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
      const watched = this.watched.get(id);
      return watched === undefined || watched.monitor.kind === 'push'
        ? []
        : [this.prober.checkNow(watched).kept];
    });
    await Promise.all(checks);
  }

  async hear({ id }: PushMonitor, { status, pingMs }: SentHeartbeat): Promise<void> {
    const watched = this.watched.get(id);
    if (watched?.monitor.kind !== 'push') return;
    await this.listener.hear(watched, watched.monitor, { status, pingMs, message: null });
  }

  /** Null while nothing is known. */
  stateOf(id: string): State | null {
    const state = this.watched.get(id)?.state;
    return state === undefined || (state.knownAt === null && state.unknowns === null) ? null : state;
  }

  async reload(config: Config): Promise<void> {
    const wanted = new Map(config.monitors.map((monitor) => [monitor.id, monitor]));
    const before = [...this.watched.values()];
    for (const { id } of before) if (!wanted.has(id)) this.drop(id);
    await this.align(config.monitors);
    this.config = config;
    for (const watched of before) {
      const monitor = wanted.get(watched.id);
      if (monitor === undefined || isSame(monitor, watched.monitor)) continue;
      watched.stopping.abort(new Error('the settings of the monitor changed'));
      await watched.lane.idle();
      this.take(watchedOf(monitor, watched, watched.lane));
    }
    this.startAll(config.monitors.filter(({ id }) => !this.watched.has(id)));
    this.sight.survey();
    this.pipeline?.reload();
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('the daemon is stopping'));
    for (const id of [...this.watched.keys()]) this.drop(id);
    await this.pipeline?.stop();
  }

  private async align(monitors: readonly Monitor[]): Promise<void> {
    const { store, clock } = this.options;
    const operations = alignment(store.sql, monitors, clock.now());
    if (operations.length > 0) await store.write(operations);
  }

  private startAll(monitors: readonly Monitor[]): void {
    const { store, clock } = this.options;
    const ids = monitors.map(({ id }) => id);
    const remembered = recall(store.sql, ids, clock.now());
    for (const monitor of monitors) {
      const known = remembered.get(monitor.id);
      if (known !== undefined) this.take(watchedOf(monitor, known));
    }
  }

  private take(watched: Watched): void {
    const { monitor } = watched;
    this.watched.set(watched.id, watched);
    if (monitor.kind === 'push') this.listener.start(watched, monitor);
    else this.listener.stop(watched.id);
  }

  private drop(id: string): void {
    this.watched.get(id)?.stopping.abort(new Error('the monitor is no longer watched'));
    this.watched.delete(id);
    this.listener.stop(id);
  }

  /** The network is back: what failed while it may have been gone is no streak, and no heartbeat could come. */
  private beginAnew(): void {
    for (const watched of this.watched.values()) {
      void watched.lane.run(() => {
        const { state } = watched;
        if (state.failures === null || state.incident !== null) return undefined;
        watched.state = { ...state, failures: null };
        this.recorder.remember(watched);
        return undefined;
      });
    }
    this.listener.listenAnew();
  }
}
