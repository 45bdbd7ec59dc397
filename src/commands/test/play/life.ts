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
import { ListeningRecord } from '../../../engine/loop/listening-record.ts';
import { NetworkRecord } from '../../../engine/loop/network-record.ts';
import { Notices } from '../../../engine/loop/notices.ts';
import type { NextRun } from '../../../engine/loop/plan.ts';
import { Prober } from '../../../engine/loop/prober.ts';
import { Pulse } from '../../../engine/loop/pulse.ts';
import { Recorder } from '../../../engine/loop/recorder.ts';
import { Roster } from '../../../engine/loop/roster.ts';
import { Sight } from '../../../engine/loop/sight.ts';
import { Slices } from '../../../engine/loop/slices.ts';
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
const places = { prompt: 100_000, slow: 100_000 };
const stoppedClock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
const nothing = (): void => undefined;
const asItIs = (text: string): string => text;

export class Life {
  private readonly options: LifeOptions;
  private readonly stopping = new AbortController();
  private readonly roster: Roster;
  private readonly sight: Sight;
  private readonly recorder: Recorder;
  private readonly prober: Prober;
  private readonly listener: Listener;
  private readonly listening: ListeningRecord;
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
    this.listening = new ListeningRecord({ store, clock });
    const notices = new Notices({ store, clock, log, config });
    const network = new NetworkRecord({ store, clock, log, notices, hidden: (by) => this.sight.hidden(by) });
    this.sight = new Sight({
      clock,
      agenda: this.agenda,
      network: network.read(),
      all: () => this.roster.all(),
      ask: (watched) => this.prober.checkNow(watched).answered,
      windowMs: () => this.config.alerts.group_window_secs * 1000,
      onChange: (now, before) => {
        network.write(now, before);
        if (now.state !== 'ok') return;
        if (before.state !== 'ok') this.listening.note(before.sinceAt);
        this.listener.listenAnew();
      },
    });
    // What falls on one instant all happens before anything follows from it.
    const slices = new Slices(clock.monotonic, Infinity);
    const burn = new Burn({ store, clock, notices, config });
    this.recorder = new Recorder({
      store,
      clock,
      log,
      config,
      newUid,
      slices,
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
      slices,
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
    this.listener = new Listener({ ...shared, listening: this.listening, nextRun });
    this.roster = new Roster({
      store,
      clock,
      watch: (watched) => {
        if (watched.monitor.kind === 'push') this.listener.start(watched, watched.monitor);
        else this.listener.stop(watched.id);
      },
      unwatch: (id) => {
        this.listener.stop(id);
      },
    });
  }

  /** Goes on from what the store remembers. */
  async start(): Promise<void> {
    const { store, clock, log, deliver } = this.options;
    const { monitors } = this.config;
    await this.roster.align(monitors);
    this.listening.begin();
    this.agenda.start();
    this.roster.start(monitors);
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
      const watched = this.roster.find(id);
      return watched === null || watched.monitor.kind === 'push' ? [] : [this.prober.checkNow(watched).kept];
    });
    await Promise.all(checks);
  }

  async hear({ id }: PushMonitor, { status, pingMs }: SentHeartbeat): Promise<void> {
    const watched = this.roster.find(id);
    if (watched?.monitor.kind !== 'push') return;
    await this.listener.hear(watched, watched.monitor, { status, pingMs, message: null });
  }

  /** Null while nothing is known. */
  stateOf(id: string): State | null {
    return this.roster.stateOf(id);
  }

  async reload(config: Config): Promise<void> {
    await this.roster.swap(config.monitors, () => {
      this.config = config;
    });
    this.sight.survey();
    this.pipeline?.reload();
  }

  async stop(): Promise<void> {
    this.listening.end();
    this.stopping.abort(new Error('the daemon is stopping'));
    this.roster.stop(this.stopping.signal.reason);
    await this.pipeline?.stop();
  }
}
