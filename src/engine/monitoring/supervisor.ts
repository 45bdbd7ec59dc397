/** Joins the parts that watch the monitors of the current configuration. */
import { setMaxListeners } from 'node:events';
import type { LoadedConfig } from '../config/load.ts';
import { type ClockShift, movePast } from '../core/clock-shift.ts';
import type { MonitorState } from './confirm/state.ts';
import { beatMs } from './clock/standstill.ts';
import { StatusdError } from '../core/errors.ts';
import { cleanLine, cutText } from '../core/text.ts';
import { TimerQueue } from './timer-queue.ts';
import type {
  EngineChanges,
  EngineHealth,
  EngineOptions,
  NewHeartbeat,
  NewPeerHeartbeat,
  Pacing,
} from './engine.ts';
import { Semaphore } from './semaphore.ts';
import { OutOfTurn } from './out-of-turn.ts';
import { Housekeeping } from './housekeeping.ts';
import { LatenessLog } from './lateness.ts';
import { HeartbeatReceiver } from './heartbeats/receiver.ts';
import { ListeningRecord } from './heartbeats/listening-record.ts';
import { NetworkRecord } from './network/record.ts';
import { NoticeSender } from './notice-sender.ts';
import { Peers } from '../peers/peers.ts';
import type { NextRun } from './next-run.ts';
import { Prober } from './prober.ts';
import { StallDetector } from './stall-detector.ts';
import { Recorder } from './recorder.ts';
import { MonitorRegistry } from './registry.ts';
import { NetworkDiagnosis } from './network/diagnosis.ts';
import { logsFault } from '../core/unattended.ts';
import { Yielder } from '../core/yielding.ts';
import type { SteadyClock } from './clock/steady-clock.ts';
import { gapLine } from './clock/gap-line.ts';
import { renamedLine } from './log-lines.ts';
import type { WatchedMonitor } from './watched-monitor.ts';
import { waitAtMost } from '../core/clock.ts';

export interface SupervisorOptions extends EngineOptions {
  /** `clock` is the one that this keeps. */
  readonly steady: SteadyClock;
  readonly nextRun: NextRun;
}

/** Every monitor on its schedule, in the time of the machine. */
const daemonPacing: Pacing = { isScheduled: true, beatMs };

/** Probes in flight at most. As many again may hang: each of them costs little but its socket. */
const places = { prompt: 1000, slow: 1000 };

/** A schedule that is behind by more makes no progress. */
const stuckMs = 30_000;

/** What a stop waits for what is being written. */
const patienceMs = 4000;

const maxMessage = 500;

export class Supervisor {
  readonly outOfTurn: OutOfTurn;
  private readonly options: SupervisorOptions;
  private readonly pacing: Pacing;
  private readonly stopping = new AbortController();
  private readonly lateness = new LatenessLog();
  private readonly registry: MonitorRegistry;
  private readonly timers: TimerQueue;
  private readonly semaphore: Semaphore;
  private readonly stallDetector: StallDetector;
  private readonly diagnosis: NetworkDiagnosis;
  private readonly recorder: Recorder;
  private readonly prober: Prober;
  private readonly receiver: HeartbeatReceiver;
  private readonly listening: ListeningRecord;
  private readonly housekeeping: Housekeeping;
  private readonly peers: Peers;
  private loaded: Pick<LoadedConfig, 'config' | 'redact'>;
  private lastTickMs: number | null = null;
  /** The clock moves because it was set. */
  private isBeingSet = false;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    const { clock, log, store, onProgress } = options;
    this.options = options;
    this.loaded = options.loaded;
    this.pacing = options.pacing ?? daemonPacing;
    const { beatMs, atOnce } = this.pacing;
    const yielder = new Yielder(clock.monotonic, atOnce);
    const { signal } = this.stopping;
    // Every sleep of the timers listens to it until it ends; Node takes more than ten for a leak.
    setMaxListeners(0, signal);
    const config = () => this.loaded.config;
    const redact = () => this.loaded.redact;
    const onTick = () => {
      this.lastTickMs = clock.monotonic();
    };
    const { steady, isStandIn = () => false } = options;
    this.stallDetector = new StallDetector({
      clock,
      beatMs,
      onGap: (gap) => {
        log(gapLine(gap, this.isBeingSet));
        if (!this.isBeingSet) this.listening.noteStandstill(gap);
        this.listenAnew();
      },
      before: steady.observe,
    });
    steady.onShift = (shift) => {
      this.shift(shift);
    };
    this.timers = new TimerQueue({
      clock,
      signal,
      beatMs,
      onWake: () => {
        this.stallDetector.observe();
        this.semaphore.admit();
        this.outOfTurn.admit();
        onProgress();
      },
      onFault: logsFault(log, 'a timer of the engine'),
    });
    this.semaphore = new Semaphore(places, clock);
    this.listening = new ListeningRecord({ store, clock });
    const notices = new NoticeSender({ store, clock, log, config });
    const parts = { store, clock, log, timers: this.timers, notices, config, redact, signal, isStandIn };
    this.recorder = new Recorder({
      ...parts,
      yielder,
      newUid: options.newUid,
      find: (id) => this.registry.find(id),
      onKept: (watchedMonitor, observation) => {
        this.housekeeping.onKept(watchedMonitor, observation);
      },
    });
    const record = new NetworkRecord({ ...parts, hidden: (by) => this.diagnosis.hidden(by) });
    this.diagnosis = new NetworkDiagnosis({
      ...parts,
      recorder: this.recorder,
      ownReachability: options.ownReachability,
      network: record.read(),
      all: () => this.registry.all(),
      ask: (watchedMonitor) => this.prober.checkNow(watchedMonitor).answered,
      askPeers: (watchedMonitor) => this.peers.askAbout(watchedMonitor),
      windowMs: () => config().alerts.group_window_secs * 1000,
      onChange: (now, before) => {
        record.write(now, before);
        if (now.state !== 'ok' || before.state === 'ok') return;
        this.listening.note(before.sinceAt);
        this.listenAnew();
      },
    });
    this.housekeeping = new Housekeeping({ ...parts, steady, lookUp: options.lookUpDomain });
    const shared = { ...parts, diagnosis: this.diagnosis, recorder: this.recorder, yielder, onTick };
    this.prober = new Prober({
      ...shared,
      semaphore: this.semaphore,
      stallDetector: this.stallDetector,
      lateness: this.lateness,
      check: options.check,
      clockEvidence: steady.evidence,
      onResult: (watchedMonitor, result) => {
        this.housekeeping.onResult(watchedMonitor, result);
        if (this.listening.noteCheck(watchedMonitor, result)) this.listenAnew();
      },
    });
    this.receiver = new HeartbeatReceiver({ ...shared, listening: this.listening, nextRun: options.nextRun });
    this.registry = new MonitorRegistry({
      ...parts,
      watch: (watchedMonitor) => {
        this.watch(watchedMonitor);
      },
      unwatch: (id) => {
        this.prober.stop(id);
        this.receiver.stop(id);
      },
    });
    this.outOfTurn = new OutOfTurn({ clock, signal, prober: this.prober, registry: this.registry });
    this.peers = new Peers({
      ...parts,
      diagnosis: this.diagnosis,
      listening: this.listening,
      clients: options.peerClients,
      isOnSchedule: () => this.isOnSchedule(),
    });
  }

  async start(): Promise<void> {
    const { monitors } = this.loaded.config;
    const renames = await this.registry.align(monitors);
    for (const { from, to } of renames) this.options.log(renamedLine(from, to));
    this.housekeeping.rename(renames);
    this.listening.begin(this.options.refusedSinceAt);
    if (this.pacing.isScheduled) this.listening.keepUp(this.timers, () => this.isListenedFor());
    this.timers.start();
    this.prober.gather(monitors);
    this.registry.start(monitors);
    this.diagnosis.survey();
    if (this.pacing.isScheduled) this.housekeeping.start();
    this.peers.arrange();
  }

  /** One reload at a time; the last one asked for counts in the end. */
  reload(loaded: Pick<LoadedConfig, 'config' | 'redact'>): Promise<EngineChanges> {
    const result = this.turn.then(() => this.swap(loaded));
    this.turn = result.catch(() => undefined);
    return result;
  }

  heartbeat({ monitor: id, status, message, pingMs }: NewHeartbeat): Promise<void> {
    const watchedMonitor = this.registry.find(id);
    if (watchedMonitor?.monitor.kind !== 'push') {
      return Promise.reject(new StatusdError('not_found', `there is no push monitor ${cleanLine(id)}`));
    }
    const said = message === null ? null : cutText(cleanLine(this.loaded.redact(message)), maxMessage);
    this.stallDetector.observe();
    return this.receiver.receive(watchedMonitor, watchedMonitor.monitor, { status, message: said, pingMs });
  }

  async peerHeartbeat(heartbeat: NewPeerHeartbeat): Promise<void> {
    this.stallDetector.observe();
    await this.peers.receive(heartbeat);
  }

  heardAgainBy(id: string, sinceAt: number): number | null {
    return this.receiver.heardAgainBy(id, sinceAt);
  }

  stateOf(id: string): MonitorState | null {
    return this.registry.stateOf(id);
  }

  health(): EngineHealth {
    const nowMs = this.options.clock.monotonic();
    const { network } = this.diagnosis;
    return {
      isSchedulerOk: this.isOnSchedule(),
      lastTickAgeMs: this.lastTickMs === null ? null : nowMs - this.lastTickMs,
      inFlight: this.semaphore.inside,
      lateness: this.lateness.summary(),
      network:
        network.state === 'ok'
          ? { state: 'ok', sinceAt: null, reason: null }
          : { state: network.state, sinceAt: network.sinceAt, reason: network.reason },
    };
  }

  async stop(): Promise<void> {
    this.listening.end();
    this.stopping.abort(new Error('the engine is stopping'));
    this.registry.stop(this.stopping.signal.reason);
    this.housekeeping.stop();
    this.options.steady.save();
    const written = Promise.all([this.registry.idle(), this.peers.idle(), this.turn]);
    await waitAtMost(this.options.clock, patienceMs, written);
  }

  /** Whether any heartbeat is expected. */
  private isListenedFor(): boolean {
    const { monitors, peers } = this.loaded.config;
    return peers.length > 0 || monitors.some(({ kind }) => kind === 'push');
  }

  private isOnSchedule(): boolean {
    const behindMs = Math.max(this.timers.overdueMs(), this.semaphore.longestWaitMs());
    return !this.stopping.signal.aborted && behindMs <= stuckMs;
  }

  private watch(watchedMonitor: WatchedMonitor): void {
    const { id, monitor } = watchedMonitor;
    if (monitor.kind === 'push') {
      this.prober.stop(id);
      this.receiver.start(watchedMonitor, monitor);
    } else {
      this.receiver.stop(id);
      if (this.pacing.isScheduled) this.prober.start(watchedMonitor);
    }
  }

  private async swap(loaded: Pick<LoadedConfig, 'config' | 'redact'>): Promise<EngineChanges> {
    const { monitors } = loaded.config;
    await this.housekeeping.beforeReload();
    const changes = await this.registry.swap(monitors, (renames) => {
      this.loaded = loaded;
      this.prober.gather(monitors);
      this.housekeeping.rename(renames);
    });
    this.diagnosis.survey();
    this.housekeeping.reload();
    this.peers.arrange();
    return changes;
  }

  /** The clock was set: what was measured on it moves with it. */
  private shift(shift: ClockShift): void {
    const move = movePast(shift);
    this.recorder.shift(move);
    this.registry.shift(move);
    this.diagnosis.shift(move);
    this.listening.shift(shift.byMs);
    this.peers.shift(move);
    this.isBeingSet = true;
    this.stallDetector.observe();
    this.isBeingSet = false;
  }

  /** Until now no heartbeat could come. */
  private listenAnew(): void {
    this.receiver.restartDeadlines();
    this.peers.restartDeadlines();
  }
}
