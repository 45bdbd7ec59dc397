/** Suspects this node's own network before it trusts that a target is down: see suspicion.ts. */
import type { Clock } from '../../core/clock.ts';
import { type Move, moveInstants } from '../../core/clock-shift.ts';
import {
  suspectNetwork,
  backBecause,
  canTell,
  type NetworkSuspicion,
  type HostObservation,
  type HostEvidence,
  hostEvidence,
} from './suspicion.ts';
import { continued, endOf, type NetworkEpisode, type Network, silenceInWords } from './episode.ts';
import type { Evidence } from './evidence.ts';
import { isReferenceHost } from '../../core/hosts.ts';
import type { TimerQueue, Timer } from '../timer-queue.ts';
import { Answers } from './answers.ts';
import { askedAtFirst, HostInquiry, quickestOf } from './ask-hosts.ts';
import type { Silence, WatchedMonitor } from '../watched-monitor.ts';
import type { Recorder } from '../recorder.ts';
import type { OwnReachability } from './own-reachability.ts';
import { isElsewhere, isRareAndFailing, isRecovering } from '../watched-monitor.ts';

export interface NetworkDiagnosisOptions {
  readonly clock: Clock;
  readonly timers: TimerQueue;
  readonly all: () => Iterable<WatchedMonitor>;
  /** Asks a monitor's target now; resolves when it has answered or failed to. */
  readonly ask: (watchedMonitor: WatchedMonitor) => Promise<void>;
  /** Asks the peers; resolves with whether one of them sees the target down too. Null, or none: no peer can be asked. */
  readonly askPeers?: (watchedMonitor: WatchedMonitor) => Promise<boolean> | null;
  /** Null, or absent: every check is made here. */
  readonly ownReachability?: (() => OwnReachability | null) | undefined;
  readonly recorder: Pick<Recorder, 'forgetFailures'>;
  /** How long the network is only suspected: group_window_secs in ms. */
  readonly windowMs: () => number;
  /** Called whenever the verdict changes. */
  readonly onChange: (now: Network, before: Network) => void;
  /** As it was when the process ended. */
  readonly network: Network;
}

/** When the network is back, what failed meanwhile is checked anew: so long after, and so many a second. */
const recheck = { afterMs: 5000, onceMoreMs: 1000, atOnce: 20, everyMs: 1000 } as const;

/** How fresh an answer has to be to speak against the silence of a heartbeat. */
const freshMs = 60_000;

export class NetworkDiagnosis {
  private readonly options: NetworkDiagnosisOptions;
  private now: Network;
  /** Answers count from here on, on the monotonic clock. */
  private episodeMs: number;
  /** When the network was there again, on the monotonic clock. */
  private networkBackMs = -Infinity;
  private isAnyRemote = false;
  /** How many hosts the configuration of the moment has to judge the network by. */
  private hosts = 0;
  private round: Promise<void> | null = null;
  private losing: Timer | null = null;
  private lastHeartbeatMs = -Infinity;
  /** What is being asked about before it is trusted. */
  private readonly suspicions = new Set<Promise<boolean>>();
  private readonly inquiry: HostInquiry;
  private readonly answers: Answers;

  constructor(options: NetworkDiagnosisOptions) {
    this.options = options;
    this.inquiry = new HostInquiry(options);
    this.answers = new Answers(options.clock);
    this.now = options.network;
    this.episodeMs = options.clock.monotonic();
    if (this.now.state === 'suspect') this.awaitLoss();
  }

  get network(): Network {
    return this.now;
  }

  /** The clock was set: an episode began as long ago as before. */
  shift(move: Move): void {
    this.now = moveInstants(this.now, { past: move, ahead: move }) as Network;
  }

  /** To be called when the configuration changed. */
  survey(): void {
    const all = [...this.options.all()];
    this.isAnyRemote = all.some(isElsewhere);
    const hosts = new Set(all.flatMap((each) => (this.isReference(each) && each.host) || []));
    // A cut that began before the load may be all that was seen of them, and now nothing else can show it.
    if (canTell(this.hosts) && !canTell(hosts.size))
      this.options.recorder.forgetFailures(all.filter(({ reach }) => reach.silentSinceMs !== null));
    this.hosts = hosts.size;
    this.lookAgain();
  }

  /** Whether the silence of a check begun at `startedMs` does not count, because the network is or was suspected. */
  isHeld(watchedMonitor: WatchedMonitor, startedMs: number): boolean {
    if (this.now.state === 'ok' && startedMs >= this.networkBackMs) return false;
    return this.isHidden(watchedMonitor, this.now.state === 'ok' ? 'hosts' : this.now.by);
  }

  /** The ids of the monitors that are hidden while these suspect the network. */
  hidden(by: NetworkEpisode['by']): string[] {
    return [...this.options.all()]
      .filter((watchedMonitor) =>
        watchedMonitor.monitor.kind === 'push' ? by === 'hosts' : this.isHidden(watchedMonitor, by),
      )
      .map(({ id }) => id);
  }

  /** Whether the silence of push monitors says nothing at the moment. Peers are silent alone when heartbeats come. */
  get isCutOff(): boolean {
    return this.now.state !== 'ok' && (this.now.by === 'hosts' || this.lastHeartbeatMs < this.episodeMs);
  }

  noteHeartbeat(): void {
    this.lastHeartbeatMs = this.options.clock.monotonic();
  }

  /** Takes in what a check begun at `startedMs` said of its host. `isHere`: it is this machine that answered. */
  note(
    watchedMonitor: WatchedMonitor,
    said: Evidence,
    { startedMs, isHere }: { readonly startedMs: number; readonly isHere: boolean },
  ): void {
    const { reach } = watchedMonitor;
    if (reach.isHere !== isHere) {
      reach.isHere = isHere;
      this.isAnyRemote = [...this.options.all()].some(isElsewhere);
    }
    const atMs = this.options.clock.monotonic();
    reach.evidence = { said, atMs };
    if (said === 'failed') {
      this.answers.noteSilence(reach, startedMs);
      return;
    }
    reach.silentSinceMs = null;
    const isReference = this.isReference(watchedMonitor);
    if (isReference) this.answers.noteAnswer();
    this.lookAgain();
    if (isElsewhere(watchedMonitor)) this.reach();
    if (isReference) this.inquiry.noteAnswer();
  }

  /** A peer or a host on another machine answered: if only the peers' silence accused the network, it works. */
  reach(): void {
    if (this.now.state !== 'ok' && this.now.by === 'peers') this.end();
  }

  /** Neither the peers (since `sinceAt`) nor any host answers any more. */
  isolate(sinceAt: number, reason: string): void {
    if (this.now.state !== 'ok') return;
    this.begin({ state: 'lost', sinceAt, reason, by: 'peers' });
  }

  /** Resolves when nothing is being asked about: until then the network may be gone without this node knowing. */
  async untilSure(): Promise<void> {
    while (this.suspicions.size > 0) await Promise.allSettled(this.suspicions);
  }

  /** Whether a host on another machine has answered since `sinceMs` on the monotonic clock. */
  isAnyReachedSince(sinceMs: number): boolean {
    const own = this.options.ownReachability?.() ?? null;
    if (own !== null) return own.hasReached(sinceMs);
    return [...this.remotes()].some(
      ({ reach: { evidence } }) =>
        evidence !== null && evidence.said === 'answered' && evidence.atMs >= sinceMs,
    );
  }

  /** Asks some hosts on other machines; resolves when they have answered or failed to. */
  async askReferenceHosts(): Promise<void> {
    const own = this.options.ownReachability?.() ?? null;
    const hosts = new Set([...this.remotes()].flatMap(({ host }) => host ?? []));
    const ask = () => this.inquiry.firstAnswer(quickestOf(hosts, this.options.all()).slice(0, askedAtFirst));
    await (own === null ? ask() : own.reachesHosts(this.options.clock.monotonic()));
  }

  /** Whether the silence that a check begun at `startedMs` met, and that would open or keep an incident, is to be trusted. */
  trusts(watchedMonitor: WatchedMonitor, startedMs: number): boolean | Promise<boolean> {
    if (!this.isReference(watchedMonitor)) return true;
    return this.judge({
      watched: watchedMonitor,
      sinceMs: startedMs,
      brokenMs: watchedMonitor.reach.silentSinceMs ?? startedMs,
    });
  }

  /** Whether a heartbeat that did not come is to be trusted. */
  trustsSilence(): boolean | Promise<boolean> {
    if (this.now.state !== 'ok') return !this.isCutOff;
    const sinceMs = this.options.clock.monotonic() - freshMs;
    const judged = () => this.judge({ watched: null, sinceMs, brokenMs: sinceMs });
    const own = this.options.ownReachability?.() ?? null;
    // Heartbeats come here: what other nodes reach says nothing of the way that they take.
    return own === null ? judged() : own.reachesHosts(sinceMs).then((isReached) => isReached && judged());
  }

  private judge(failure: Silence): boolean | Promise<boolean> {
    const first = this.verdict(failure, false);
    if (first.kind === 'believe') return true;
    const trust = this.settle(first, failure);
    if (typeof trust === 'boolean') return trust;
    const asked = trust.finally(() => this.suspicions.delete(asked));
    this.suspicions.add(asked);
    return asked;
  }

  private settle(verdict: NetworkSuspicion, failure: Silence): boolean | Promise<boolean> {
    return verdict.kind === 'ask'
      ? this.inquire(failure).then((answered) => this.conclude(answered, failure))
      : this.conclude(verdict, failure);
  }

  /** Before this node takes the fault for its own, it asks its peers about the target: what they see down too is down. */
  private conclude(verdict: NetworkSuspicion, failure: Silence): boolean | Promise<boolean> {
    const { watched } = failure;
    if (verdict.kind === 'again' && watched !== null) this.lookOnceMore(watched);
    if (verdict.kind !== 'suspect') return verdict.kind === 'believe';
    if (this.now.state !== 'ok') return false;
    const asked = watched === null ? null : (this.options.askPeers?.(watched) ?? null);
    if (asked === null) {
      this.suspect(verdict, failure);
      return false;
    }
    return asked.then((isSeenDown) => {
      // A host may have answered while the peers were asked.
      if (isSeenDown || this.verdict(failure, true).kind === 'believe') return true;
      this.suspect(verdict, failure);
      return false;
    });
  }

  private verdict(failure: Silence, isFinal: boolean): NetworkSuspicion {
    const { watched } = failure;
    const verdict = suspectNetwork(watched?.host ?? null, this.heard(failure), { isFinal });
    if (watched === null || verdict.kind !== 'believe' || verdict.why !== 'others_answer') return verdict;
    return this.answers.mayHideCut(watched.reach, failure.sinceMs) ? { kind: 'again' } : verdict;
  }

  private lookOnceMore(watchedMonitor: WatchedMonitor): void {
    const { timers, ask } = this.options;
    timers.after(recheck.onceMoreMs, () => {
      const isOpen = watchedMonitor.state.incident !== null && !isRecovering(watchedMonitor);
      if (watchedMonitor.reach.silentSinceMs !== null && !isOpen) void ask(watchedMonitor);
    });
  }

  private suspect({ hosts }: NetworkSuspicion & { readonly kind: 'suspect' }, { brokenMs }: Silence): void {
    if (this.now.state !== 'ok') return;
    const { clock } = this.options;
    const sinceAt = clock.now() - (clock.monotonic() - brokenMs);
    this.begin({ state: 'suspect', sinceAt, reason: silenceInWords(hosts), by: 'hosts' });
  }

  private *remotes(): Generator<WatchedMonitor> {
    for (const watchedMonitor of this.options.all()) if (isElsewhere(watchedMonitor)) yield watchedMonitor;
  }

  private isHidden(watchedMonitor: WatchedMonitor, by: NetworkEpisode['by']): boolean {
    return by === 'peers' ? isElsewhere(watchedMonitor) : this.isReference(watchedMonitor);
  }

  private isReference({ host, reach }: WatchedMonitor): boolean {
    return host !== null && isReferenceHost(reach.isHere ? 'localhost' : host, this.isAnyRemote);
  }

  private heard(failure: Silence): HostEvidence {
    return hostEvidence(failure.watched?.host ?? null, this.reports(failure));
  }

  /** A cut is seen of each host within the interval of its checks: what was silent earlier is so for another reason. */
  private wasSilent({ state, reach }: WatchedMonitor, { watched, brokenMs }: Silence): boolean {
    const { silentSinceMs } = reach;
    const intervalMs = (watched?.monitor.interval_secs ?? 0) * 1000;
    const lostBeforeMs = brokenMs - intervalMs - freshMs;
    return state.incident !== null && silentSinceMs !== null && silentSinceMs < lostBeforeMs;
  }

  private *reports(failure: Silence): Generator<HostObservation> {
    for (const watchedMonitor of this.options.all()) {
      const { host, reach } = watchedMonitor;
      const { evidence } = reach;
      if (host === null || !this.isReference(watchedMonitor)) continue;
      const isFresh = evidence !== null && evidence.atMs >= failure.sinceMs;
      const wasSilent = this.wasSilent(watchedMonitor, failure);
      yield { host, wasSilent, heard: isFresh ? evidence.said : null };
    }
  }

  /** Asks the hosts that were not heard, after those that are being asked already: that may be all there is to know. */
  private async inquire(failure: Silence): Promise<NetworkSuspicion> {
    if (this.round !== null) await this.round;
    const verdict = this.verdict(failure, false);
    if (verdict.kind !== 'ask') return verdict;
    const round = this.inquiry.firstAnswer(quickestOf(new Set(verdict.hosts), this.options.all()));
    this.round = round;
    await round;
    if (this.round === round) this.round = null;
    return this.verdict(failure, true);
  }

  private begin(episode: NetworkEpisode): void {
    const { clock, windowMs } = this.options;
    this.episodeMs = clock.monotonic();
    this.change(continued(episode, this.now, windowMs()));
    if (this.now.state === 'suspect') this.awaitLoss();
  }

  private end(): void {
    if (this.losing !== null) this.options.timers.cancel(this.losing);
    this.change(endOf(this.now, this.options.clock.now()));
    this.options.timers.after(recheck.afterMs, () => {
      this.checkAnew([...this.options.all()].filter(isRareAndFailing));
    });
  }

  /** What failed meanwhile and is not checked again soon: whether it still does is to be known soon all the same. */
  private checkAnew(left: readonly WatchedMonitor[]): void {
    if (this.now.state !== 'ok') return;
    const { timers, ask } = this.options;
    for (const watchedMonitor of left.slice(0, recheck.atOnce)) {
      if (isRareAndFailing(watchedMonitor)) void ask(watchedMonitor);
    }
    if (left.length > recheck.atOnce)
      timers.after(recheck.everyMs, () => {
        this.checkAnew(left.slice(recheck.atOnce));
      });
  }

  private awaitLoss(): void {
    const { timers, windowMs } = this.options;
    this.losing = timers.after(windowMs(), () => {
      if (this.now.state === 'suspect') this.change({ ...this.now, state: 'lost' });
    });
  }

  private lookAgain(): void {
    if (this.now.state === 'ok' || this.now.by === 'peers') return;
    const why = backBecause(this.heard({ watched: null, sinceMs: this.episodeMs, brokenMs: this.episodeMs }));
    if (why === 'too_few_hosts') this.options.recorder.forgetFailures(this.remotes());
    if (why !== null) this.end();
  }

  private change(now: Network): void {
    const before = this.now;
    this.now = now;
    if (now.state === 'ok') this.networkBackMs = this.options.clock.monotonic();
    this.options.onChange(now, before);
  }
}
