/** Doubts this node's own network before it believes that a target is down: see core/doubt. */
import type { Clock } from '../core/clock.ts';
import { type Move, moveInstants } from '../core/clock-shift.ts';
import {
  doubt,
  isSighted,
  type Doubt,
  type Testimony,
  type Witnesses,
  witnesses,
} from '../core/doubt/doubt.ts';
import { continued, endOf, type Episode, type Network, silenceInWords } from '../core/doubt/episode.ts';
import type { Evidence } from '../core/doubt/evidence.ts';
import { bearsWitness } from '../core/doubt/hosts.ts';
import type { Agenda, Appointment } from './agenda.ts';
import { askedAtFirst, HostInquiry, quickestOf } from './host-inquiry.ts';
import { isElsewhere, isRareAndFailing, type Watched } from './watched.ts';

export interface SightOptions {
  readonly clock: Clock;
  readonly agenda: Agenda;
  readonly all: () => Iterable<Watched>;
  /** Asks a monitor's target now; resolves when it has answered or failed to. */
  readonly ask: (watched: Watched) => Promise<void>;
  /** Asks the peers; resolves with whether one of them sees the target down too. Null, or none: nobody can be asked. */
  readonly askPeers?: (watched: Watched) => Promise<boolean> | null;
  /** How long the network is only suspected: group_window_secs in ms. */
  readonly windowMs: () => number;
  /** Called with every change of mind. */
  readonly onChange: (now: Network, before: Network) => void;
  /** As it was when the process ended. */
  readonly network: Network;
}

/** When the network is back, what failed meanwhile is checked anew: so long after, and so many a second. */
const recheck = { afterMs: 5000, onceMoreMs: 1000, atOnce: 20, everyMs: 1000 } as const;

/** How fresh an answer has to be to speak against the silence of a heartbeat. */
const freshMs = 60_000;

/** What is to be believed or not: the silence of a target, or (null) of a heartbeat. On the monotonic clock. */
interface Failure {
  readonly watched: Watched | null;
  /** What was heard of the hosts from here on counts. */
  readonly sinceMs: number;
  /** When it was first seen to fail. */
  readonly brokenMs: number;
}

export class Sight {
  private readonly options: SightOptions;
  private now: Network;
  /** Answers count from here on, on the monotonic clock. */
  private episodeMs: number;
  /** When the network was there again, on the monotonic clock. */
  private sightedMs = -Infinity;
  private isAnyRemote = false;
  private round: Promise<void> | null = null;
  private losing: Appointment | null = null;
  private lastHeartbeatMs = -Infinity;
  /** When a host last answered, on the monotonic clock. */
  private answeredMs = -Infinity;
  /** What fell silent since. */
  private readonly unproven = new Set<Watched>();
  /** What is being asked about before it is believed. */
  private readonly doubts = new Set<Promise<boolean>>();
  private readonly inquiry: HostInquiry;

  constructor(options: SightOptions) {
    this.options = options;
    this.inquiry = new HostInquiry(options);
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
    this.isAnyRemote = [...this.options.all()].some(isElsewhere);
    this.lookAgain();
  }

  /** Whether the silence of a check begun at `startedMs` says nothing: the network is doubted, or was when it began. */
  isHeld(watched: Watched, startedMs: number): boolean {
    if (this.now.state === 'ok' && startedMs >= this.sightedMs) return false;
    return this.isHidden(watched, this.now.state === 'ok' ? 'hosts' : this.now.by);
  }

  /** The ids of the monitors of which nothing is known while the network is doubted by these. */
  hidden(by: Episode['by']): string[] {
    return [...this.options.all()]
      .filter((watched) => (watched.monitor.kind === 'push' ? by === 'hosts' : this.isHidden(watched, by)))
      .map(({ id }) => id);
  }

  /** Whether the silence of push monitors says nothing at the moment. Peers are silent alone when heartbeats come. */
  get isDeaf(): boolean {
    if (this.now.state === 'ok') return false;
    return this.now.by === 'hosts' || this.lastHeartbeatMs < this.episodeMs;
  }

  noteHeartbeat(): void {
    this.lastHeartbeatMs = this.options.clock.monotonic();
  }

  /** Takes in what a check begun at `startedMs` said of its host. `isHere`: it is this machine that answered. */
  note(
    watched: Watched,
    said: Evidence,
    { startedMs, isHere }: { readonly startedMs: number; readonly isHere: boolean },
  ): void {
    if (watched.isHere !== isHere) {
      watched.isHere = isHere;
      this.isAnyRemote = [...this.options.all()].some(isElsewhere);
    }
    const atMs = this.options.clock.monotonic();
    watched.evidence = { said, atMs };
    if (said === 'failed') {
      watched.lastSilentMs = atMs;
      if (watched.silentSinceMs === null) this.fallSilent(watched, startedMs);
      return;
    }
    watched.silentSinceMs = null;
    this.prove(atMs);
    this.lookAgain();
    if (isElsewhere(watched)) this.reach();
    if (this.bearsWitness(watched)) this.inquiry.noteAnswer();
  }

  private fallSilent(watched: Watched, sinceMs: number): void {
    watched.silentSinceMs = sinceMs;
    watched.provenMs = this.answeredMs >= sinceMs ? this.answeredMs : null;
    if (watched.provenMs === null) this.unproven.add(watched);
  }

  /** A host answered: whatever is silent from now on is so with a network. */
  private prove(atMs: number): void {
    this.answeredMs = atMs;
    for (const watched of this.unproven) watched.provenMs = atMs;
    this.unproven.clear();
  }

  /** A peer was heard, or a host elsewhere: with the peers' silence alone against it, the network is there. */
  reach(): void {
    if (this.now.state !== 'ok' && this.now.by === 'peers') this.end();
  }

  /** Nobody is heard any more: not the peers since `sinceAt`, nor anybody else. */
  isolate(sinceAt: number, reason: string): void {
    if (this.now.state !== 'ok') return;
    this.begin({ state: 'lost', sinceAt, reason, by: 'peers' });
  }

  /** Resolves when nothing is being asked about: until then the network may be gone without this node knowing. */
  async untilSure(): Promise<void> {
    while (this.doubts.size > 0) await Promise.allSettled(this.doubts);
  }

  /** Whether a host on another machine has answered since `sinceMs` on the monotonic clock. */
  isAnyReachedSince(sinceMs: number): boolean {
    return [...this.remotes()].some(
      ({ evidence }) => evidence !== null && evidence.said === 'answered' && evidence.atMs >= sinceMs,
    );
  }

  /** Asks some hosts on other machines; resolves when they have answered or failed to. */
  async lookAround(): Promise<void> {
    const hosts = new Set([...this.remotes()].flatMap(({ host }) => host ?? []));
    if (hosts.size > 0)
      await this.inquiry.firstAnswer(quickestOf(hosts, this.options.all()).slice(0, askedAtFirst));
  }

  /** Whether the silence that a check begun at `startedMs` met, and that would open an incident, is to be believed. */
  believes(watched: Watched, startedMs: number): boolean | Promise<boolean> {
    if (!this.bearsWitness(watched)) return true;
    return this.judge({ watched, sinceMs: startedMs, brokenMs: watched.silentSinceMs ?? startedMs });
  }

  /** Whether a heartbeat that did not come is to be believed. */
  believesSilence(): boolean | Promise<boolean> {
    if (this.now.state !== 'ok') return !this.isDeaf;
    const sinceMs = this.options.clock.monotonic() - freshMs;
    return this.judge({ watched: null, sinceMs, brokenMs: sinceMs });
  }

  private judge(failure: Failure): boolean | Promise<boolean> {
    const first = this.verdict(failure, false);
    if (first.kind === 'believe') return true;
    const belief = this.settle(first, failure);
    if (typeof belief === 'boolean') return belief;
    const asked = belief.finally(() => this.doubts.delete(asked));
    this.doubts.add(asked);
    return asked;
  }

  private settle(verdict: Doubt, failure: Failure): boolean | Promise<boolean> {
    return verdict.kind === 'ask'
      ? this.inquire(failure).then((answered) => this.conclude(answered, failure))
      : this.conclude(verdict, failure);
  }

  /** Before this node blames itself, it asks its peers about the target: what they see down too is down. */
  private conclude(verdict: Doubt, failure: Failure): boolean | Promise<boolean> {
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
      // Somebody may have answered while the peers were asked.
      if (isSeenDown || this.verdict(failure, true).kind === 'believe') return true;
      this.suspect(verdict, failure);
      return false;
    });
  }

  private verdict(failure: Failure, isFinal: boolean): Doubt {
    const { watched } = failure;
    const verdict = doubt(watched?.host ?? null, this.heard(failure), { isFinal });
    if (watched === null || verdict.kind !== 'believe' || verdict.why !== 'others_answer') return verdict;
    return this.mayHaveBeenCut(watched, failure) ? { kind: 'again' } : verdict;
  }

  /** Whether nobody answered until the last check had begun, and others were silent: a cut that ended since looks so. */
  private mayHaveBeenCut(own: Watched, failure: Failure): boolean {
    const { provenMs, host } = own;
    if (provenMs === null || provenMs <= failure.sinceMs) return false;
    for (const other of this.options.all()) {
      if (other.host === null || other.host === host || !this.bearsWitness(other)) continue;
      if (other.lastSilentMs >= failure.brokenMs && !this.wasSilent(other, failure)) return true;
    }
    return false;
  }

  private lookOnceMore(watched: Watched): void {
    const { agenda, ask } = this.options;
    agenda.after(recheck.onceMoreMs, () => {
      if (watched.silentSinceMs !== null && watched.state.incident === null) void ask(watched);
    });
  }

  private suspect({ hosts }: Doubt & { readonly kind: 'suspect' }, { brokenMs }: Failure): void {
    if (this.now.state !== 'ok') return;
    const { clock } = this.options;
    const sinceAt = clock.now() - (clock.monotonic() - brokenMs);
    this.begin({ state: 'suspect', sinceAt, reason: silenceInWords(hosts), by: 'hosts' });
  }

  private *remotes(): Generator<Watched> {
    for (const watched of this.options.all()) {
      if (isElsewhere(watched)) yield watched;
    }
  }

  private isHidden(watched: Watched, by: Episode['by']): boolean {
    return by === 'peers' ? isElsewhere(watched) : this.bearsWitness(watched);
  }

  private bearsWitness({ host, isHere }: Watched): boolean {
    return host !== null && bearsWitness(isHere ? 'localhost' : host, this.isAnyRemote);
  }

  private heard(failure: Failure): Witnesses {
    return witnesses(failure.watched?.host ?? null, this.testimonies(failure));
  }

  /** A cut is seen of each host within the interval of its checks: what was silent earlier is so for another reason. */
  private wasSilent({ state, silentSinceMs }: Watched, { watched, brokenMs }: Failure): boolean {
    const intervalMs = (watched?.monitor.interval_secs ?? 0) * 1000;
    const lostBeforeMs = brokenMs - intervalMs - freshMs;
    return state.incident !== null && silentSinceMs !== null && silentSinceMs < lostBeforeMs;
  }

  private *testimonies(failure: Failure): Generator<Testimony> {
    for (const watched of this.options.all()) {
      const { host, evidence } = watched;
      if (host === null || !this.bearsWitness(watched)) continue;
      const isFresh = evidence !== null && evidence.atMs >= failure.sinceMs;
      const wasSilent = this.wasSilent(watched, failure);
      yield { host, wasSilent, heard: isFresh ? evidence.said : null };
    }
  }

  /** Asks the hosts that were not heard, after those that are being asked already: that may be all there is to know. */
  private async inquire(failure: Failure): Promise<Doubt> {
    if (this.round !== null) await this.round;
    const verdict = this.verdict(failure, false);
    if (verdict.kind !== 'ask') return verdict;
    const round = this.inquiry.firstAnswer(quickestOf(new Set(verdict.hosts), this.options.all()));
    this.round = round;
    await round;
    if (this.round === round) this.round = null;
    return this.verdict(failure, true);
  }

  private begin(episode: Episode): void {
    const { clock, windowMs } = this.options;
    this.episodeMs = clock.monotonic();
    this.change(continued(episode, this.now, windowMs()));
    if (this.now.state === 'suspect') this.awaitLoss();
  }

  private end(): void {
    if (this.losing !== null) this.options.agenda.cancel(this.losing);
    this.change(endOf(this.now, this.options.clock.now()));
    const { agenda } = this.options;
    agenda.after(recheck.afterMs, () => {
      this.checkAnew([...this.options.all()].filter(isRareAndFailing));
    });
  }

  /** What failed meanwhile and is not checked again soon: whether it still does is to be known soon all the same. */
  private checkAnew(left: readonly Watched[]): void {
    if (this.now.state !== 'ok') return;
    const { agenda, ask } = this.options;
    for (const watched of left.slice(0, recheck.atOnce)) {
      if (isRareAndFailing(watched)) void ask(watched);
    }
    if (left.length > recheck.atOnce)
      agenda.after(recheck.everyMs, () => {
        this.checkAnew(left.slice(recheck.atOnce));
      });
  }

  private awaitLoss(): void {
    const { agenda, windowMs } = this.options;
    this.losing = agenda.after(windowMs(), () => {
      if (this.now.state === 'suspect') this.change({ ...this.now, state: 'lost' });
    });
  }

  private lookAgain(): void {
    if (this.now.state === 'ok' || this.now.by === 'peers') return;
    if (isSighted(this.heard({ watched: null, sinceMs: this.episodeMs, brokenMs: this.episodeMs })))
      this.end();
  }

  private change(now: Network): void {
    const before = this.now;
    this.now = now;
    if (now.state === 'ok') this.sightedMs = this.options.clock.monotonic();
    this.options.onChange(now, before);
  }
}
