/** Joins the parts that watch the monitors of the current configuration. */
import { setMaxListeners } from 'node:events';
import type { Monitor } from '../config/config.ts';
import type { Loaded } from '../config/load.ts';
import { type ClockShift, movePast } from '../core/clock-shift.ts';
import type { State } from '../core/confirm/state.ts';
import { beatMs } from '../core/doubt/standstill.ts';
import { StatusdError } from '../core/errors.ts';
import { cleanLine, cutText } from '../core/text.ts';
import type { loadProbes } from '../probes/probe.ts';
import { Agenda } from './agenda.ts';
import type { EngineChanges, EngineHealth, EngineOptions, NewHeartbeat, NewPeerHeartbeat } from './engine.ts';
import { Gate } from './gate.ts';
import { Housekeeping } from './housekeeping.ts';
import { LatenessLog } from './lateness.ts';
import { Listener } from './listener.ts';
import { ListeningRecord } from './listening-record.ts';
import { NetworkRecord } from './network-record.ts';
import { Notices } from './notices.ts';
import { Peers } from './peers/peers.ts';
import type { NextRun } from './plan.ts';
import { Prober } from './prober.ts';
import { Pulse } from './pulse.ts';
import { Recorder } from './recorder.ts';
import { Roster } from './roster.ts';
import { Sight } from './sight.ts';
import { Slices } from './slices.ts';
import type { SteadyClock } from './steady-clock.ts';
import { gapLine } from './gap-line.ts';
import { renamedLine } from './log-lines.ts';
import type { Watched } from './watched.ts';

export interface SupervisorOptions extends EngineOptions {
  /** `clock` is the one that this keeps. */
  readonly steady: SteadyClock;
  readonly nextRun: NextRun;
  readonly loadProbes: typeof loadProbes;
}

/** Probes in flight at most. As many again may hang: each of them costs little but its socket. */
const places = { prompt: 1000, slow: 1000 };

/** A schedule that is behind by more makes no progress. */
const stuckMs = 30_000;

/** What a stop waits for what is being written. */
const patienceMs = 4000;

const maxMessage = 500;

export class Supervisor {
  private readonly options: SupervisorOptions;
  private readonly stopping = new AbortController();
  private readonly lateness = new LatenessLog();
  private readonly roster: Roster;
  private readonly agenda: Agenda;
  private readonly gate: Gate;
  private readonly pulse: Pulse;
  private readonly sight: Sight;
  private readonly recorder: Recorder;
  private readonly prober: Prober;
  private readonly listener: Listener;
  private readonly listening: ListeningRecord;
  private readonly housekeeping: Housekeeping;
  private readonly peers: Peers;
  private loaded: Pick<Loaded, 'config' | 'redact'>;
  private lastTickMs: number | null = null;
  /** The clock moves because it was set. */
  private isBeingSet = false;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    const { clock, log, store, onProgress } = options;
    this.options = options;
    this.loaded = options.loaded;
    const slices = new Slices(clock.monotonic);
    const { signal } = this.stopping;
    // Every sleep of the agenda listens to it until it ends; Node takes more than ten for a leak.
    setMaxListeners(0, signal);
    const config = () => this.loaded.config;
    const redact = () => this.loaded.redact;
    const onTick = () => {
      this.lastTickMs = clock.monotonic();
    };
    const { steady } = options;
    this.pulse = new Pulse(
      clock,
      (gap) => {
        log(gapLine(gap, this.isBeingSet));
        if (!this.isBeingSet) this.listening.noteStandstill(gap);
        this.listenAnew();
      },
      steady.observe,
    );
    steady.onShift = (shift) => {
      this.shift(shift);
    };
    this.agenda = new Agenda({
      clock,
      signal,
      beatMs,
      onWake: () => {
        this.pulse.observe();
        this.gate.admit();
        onProgress();
      },
    });
    this.gate = new Gate(places, clock);
    this.listening = new ListeningRecord({ store, clock });
    const notices = new Notices({ store, clock, log, config });
    const record = new NetworkRecord({ store, clock, log, notices, hidden: (by) => this.sight.hidden(by) });
    this.sight = new Sight({
      clock,
      agenda: this.agenda,
      network: record.read(),
      all: () => this.roster.all(),
      ask: (watched) => this.prober.checkNow(watched).answered,
      askPeers: (watched) => this.peers.askAbout(watched),
      windowMs: () => config().alerts.group_window_secs * 1000,
      onChange: (now, before) => {
        record.write(now, before);
        if (now.state !== 'ok' || before.state === 'ok') return;
        this.listening.note(before.sinceAt);
        this.listenAnew();
      },
    });
    const parts = { store, clock, log, agenda: this.agenda, notices, config, redact, signal };
    this.housekeeping = new Housekeeping({ ...parts, steady, lookUp: options.lookUpDomain });
    this.recorder = new Recorder({
      ...parts,
      slices,
      newUid: options.newUid,
      onKept: (watched, seen) => {
        this.housekeeping.onKept(watched, seen);
      },
    });
    const shared = { ...parts, sight: this.sight, recorder: this.recorder, slices, onTick };
    this.prober = new Prober({
      ...shared,
      gate: this.gate,
      pulse: this.pulse,
      lateness: this.lateness,
      check: options.check,
      clockWitness: steady.witness,
      onResult: (watched, result) => {
        this.housekeeping.onResult(watched, result);
      },
    });
    this.listener = new Listener({ ...shared, listening: this.listening, nextRun: options.nextRun });
    this.roster = new Roster({
      store,
      clock,
      watch: (watched) => {
        this.watch(watched);
      },
      unwatch: (id) => {
        this.prober.stop(id);
        this.listener.stop(id);
      },
    });
    const isOnSchedule = () => this.isOnSchedule();
    this.peers = new Peers({
      ...parts,
      sight: this.sight,
      listening: this.listening,
      clients: options.peerClients,
      isOnSchedule,
    });
  }

  async start(): Promise<void> {
    const { monitors } = this.loaded.config;
    await this.loadProbes(monitors);
    for (const { from, to } of await this.roster.align(monitors)) this.options.log(renamedLine(from, to));
    this.listening.begin();
    this.listening.keepUp(this.agenda, () => this.isListenedFor());
    this.agenda.start();
    this.roster.start(monitors);
    this.sight.survey();
    this.housekeeping.start();
    this.peers.arrange();
  }

  /** One reload at a time; the last one asked for counts in the end. */
  reload(loaded: Pick<Loaded, 'config' | 'redact'>): Promise<EngineChanges> {
    const result = this.turn.then(() => this.swap(loaded));
    this.turn = result.catch(() => undefined);
    return result;
  }

  async heartbeat({ monitor: id, status, message, pingMs }: NewHeartbeat): Promise<void> {
    const watched = this.roster.find(id);
    if (watched?.monitor.kind !== 'push') {
      throw new StatusdError('not_found', `there is no push monitor ${cleanLine(id)}`);
    }
    const said = message === null ? null : cutText(cleanLine(this.loaded.redact(message)), maxMessage);
    this.pulse.observe();
    await this.listener.hear(watched, watched.monitor, { status, message: said, pingMs });
  }

  async peerHeartbeat(heartbeat: NewPeerHeartbeat): Promise<void> {
    this.pulse.observe();
    await this.peers.hear(heartbeat);
  }

  async checkNow(ids: readonly string[]): Promise<void> {
    const checks = ids.flatMap((id) => {
      const watched = this.roster.find(id);
      return watched === null || watched.monitor.kind === 'push' || this.stopping.signal.aborted
        ? []
        : [this.prober.checkNow(watched).kept];
    });
    await Promise.all(checks);
  }

  stateOf(id: string): State | null {
    return this.roster.stateOf(id);
  }

  health(): EngineHealth {
    const nowMs = this.options.clock.monotonic();
    const { network } = this.sight;
    return {
      isSchedulerOk: this.isOnSchedule(),
      lastTickAgeMs: this.lastTickMs === null ? null : nowMs - this.lastTickMs,
      inFlight: this.gate.inside,
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
    this.roster.stop(this.stopping.signal.reason);
    this.housekeeping.stop();
    this.options.steady.save();
    const patience = new AbortController();
    const waited = this.options.clock.sleep(patienceMs, patience.signal).catch(() => undefined);
    await Promise.race([Promise.all([this.roster.idle(), this.peers.idle(), this.turn]), waited]);
    patience.abort();
  }

  /** Whether any heartbeat is expected. */
  private isListenedFor(): boolean {
    const { monitors, peers } = this.loaded.config;
    return peers.length > 0 || monitors.some(({ kind }) => kind === 'push');
  }

  private isOnSchedule(): boolean {
    const behindMs = Math.max(this.agenda.overdueMs(), this.gate.longestWaitMs());
    return !this.stopping.signal.aborted && behindMs <= stuckMs;
  }

  private async loadProbes(monitors: readonly Monitor[]): Promise<void> {
    await this.options.loadProbes(monitors.flatMap(({ kind }) => (kind === 'push' ? [] : [kind])));
  }

  private watch(watched: Watched): void {
    const { id, monitor } = watched;
    if (monitor.kind === 'push') {
      this.prober.stop(id);
      this.listener.start(watched, monitor);
    } else {
      this.listener.stop(id);
      this.prober.start(watched);
    }
  }

  private async swap(loaded: Pick<Loaded, 'config' | 'redact'>): Promise<EngineChanges> {
    const { monitors } = loaded.config;
    await this.loadProbes(monitors);
    const changes = await this.roster.swap(monitors, () => {
      this.loaded = loaded;
    });
    this.sight.survey();
    this.housekeeping.reload();
    this.peers.arrange();
    return changes;
  }

  /** The clock was set: what was measured on it moves with it. */
  private shift(shift: ClockShift): void {
    const move = movePast(shift);
    this.recorder.shift(move);
    this.roster.shift(move);
    this.sight.shift(move);
    this.listening.shift(shift.byMs);
    this.peers.shift(move);
    this.isBeingSet = true;
    this.pulse.observe();
    this.isBeingSet = false;
  }

  /** Until now no heartbeat could come. */
  private listenAnew(): void {
    this.listener.listenAnew();
    this.peers.hearAnew();
  }
}
