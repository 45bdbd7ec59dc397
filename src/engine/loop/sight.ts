/** Doubts this node's own network before it believes that a target is down: see core/doubt. */
import type { Clock } from '../core/clock.ts';
import { type Move, moveInstants } from '../core/clock-shift.ts';
import { doubt, isSighted, type Doubt, type Testimony, witnesses } from '../core/doubt/doubt.ts';
import { type Network, networkOk, silenceInWords } from '../core/doubt/episode.ts';
import type { Evidence } from '../core/doubt/evidence.ts';
import { bearsWitness, isLoopback } from '../core/doubt/hosts.ts';
import type { Agenda, Appointment } from './agenda.ts';
import { longestCheckSecs } from './rhythm.ts';
import type { Watched } from './watched.ts';

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

/** Hosts asked at once, and how long a decision waits for their answers. */
const asked = { most: 8, withinMs: 30_000 } as const;

/** How fresh an answer has to be to speak against the silence of a heartbeat. */
const freshMs = 60_000;

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
  /** What is being asked about before it is believed. */
  private readonly doubts = new Set<Promise<boolean>>();

  constructor(options: SightOptions) {
    this.options = options;
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
    this.isAnyRemote = [...this.options.all()].some(({ host }) => host !== null && !isLoopback(host));
    this.lookAgain();
  }

  /** Whether the failure of a check begun at `startedMs` says nothing: the network is doubted, or was when it began. */
  isHeld({ host }: Watched, startedMs: number): boolean {
    if (host === null || (this.now.state === 'ok' && startedMs >= this.sightedMs)) return false;
    const isByPeers = this.now.state !== 'ok' && this.now.by === 'peers';
    return isByPeers ? !isLoopback(host) : bearsWitness(host, this.isAnyRemote);
  }

  /** Whether the silence of push monitors says nothing at the moment. Peers are silent alone when heartbeats come. */
  get isDeaf(): boolean {
    if (this.now.state === 'ok') return false;
    return this.now.by === 'hosts' || this.lastHeartbeatMs < this.episodeMs;
  }

  noteHeartbeat(): void {
    this.lastHeartbeatMs = this.options.clock.monotonic();
  }

  /** Takes in what a check begun at `startedMs` said of its host. */
  note(watched: Watched, said: Evidence, startedMs: number): void {
    watched.evidence = { said, atMs: this.options.clock.monotonic() };
    if (said === 'failed') watched.silentSinceMs ??= startedMs;
    else {
      watched.silentSinceMs = null;
      this.lookAgain();
      if (watched.host !== null && !isLoopback(watched.host)) this.reach();
    }
  }

  /** A peer was heard, or a host elsewhere: with the peers' silence alone against it, the network is there. */
  reach(): void {
    if (this.now.state !== 'ok' && this.now.by === 'peers') this.change(networkOk);
  }

  /** Nobody is heard any more: not the peers since `sinceAt`, nor anybody else. */
  isolate(sinceAt: number, reason: string): void {
    if (this.now.state !== 'ok') return;
    this.episodeMs = this.options.clock.monotonic();
    this.change({ state: 'lost', sinceAt, reason, by: 'peers' });
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
    if (hosts.size > 0) await this.askAll([...hosts]);
  }

  /** Whether a failure by transport that would open an incident is to be believed. */
  believes(watched: Watched): boolean | Promise<boolean> {
    const { host, silentSinceMs } = watched;
    if (host === null || !bearsWitness(host, this.isAnyRemote)) return true;
    return this.judge(watched, silentSinceMs ?? this.options.clock.monotonic());
  }

  /** Whether a heartbeat that did not come is to be believed. */
  believesSilence(): boolean | Promise<boolean> {
    if (this.now.state !== 'ok') return !this.isDeaf;
    return this.judge(null, this.options.clock.monotonic() - freshMs);
  }

  private judge(watched: Watched | null, sinceMs: number): boolean | Promise<boolean> {
    const belief = this.weigh(watched, sinceMs);
    if (typeof belief === 'boolean') return belief;
    const asked = belief.finally(() => this.doubts.delete(asked));
    this.doubts.add(asked);
    return asked;
  }

  private weigh(watched: Watched | null, sinceMs: number): boolean | Promise<boolean> {
    const host = watched?.host ?? null;
    const first = doubt(host, this.heard(host, sinceMs), { isFinal: false });
    if (first.kind !== 'ask') return this.settle(first, watched, sinceMs);
    return this.askAll(first.hosts).then(() =>
      this.settle(doubt(host, this.heard(host, sinceMs), { isFinal: true }), watched, sinceMs),
    );
  }

  /** Before this node blames itself, it asks its peers about the target: what they see down too is down. */
  private settle(verdict: Doubt, watched: Watched | null, sinceMs: number): boolean | Promise<boolean> {
    if (verdict.kind !== 'suspect') return verdict.kind === 'believe';
    if (this.now.state !== 'ok') return false;
    const asked = watched === null ? null : (this.options.askPeers?.(watched) ?? null);
    if (asked === null) {
      this.suspect(verdict, sinceMs);
      return false;
    }
    return asked.then((isSeenDown) => {
      if (!isSeenDown) this.suspect(verdict, sinceMs);
      return isSeenDown;
    });
  }

  private suspect({ failing, hosts }: Doubt & { readonly kind: 'suspect' }, sinceMs: number): void {
    if (this.now.state !== 'ok') return;
    const { clock } = this.options;
    const sinceAt = clock.now() - (clock.monotonic() - sinceMs);
    this.episodeMs = clock.monotonic();
    this.change({ state: 'suspect', sinceAt, reason: silenceInWords(failing, hosts), by: 'hosts' });
    this.awaitLoss();
  }

  private *remotes(): Generator<Watched> {
    for (const watched of this.options.all()) {
      if (watched.host !== null && !isLoopback(watched.host)) yield watched;
    }
  }

  private heard(own: string | null, sinceMs: number): ReadonlyMap<string, Evidence | null> {
    return witnesses(own, this.testimonies(sinceMs));
  }

  private *testimonies(sinceMs: number): Generator<Testimony> {
    const { clock, all } = this.options;
    const sinceAt = clock.now() - (clock.monotonic() - sinceMs);
    for (const { host, evidence, state } of all()) {
      if (host === null || !bearsWitness(host, this.isAnyRemote)) continue;
      const isFresh = evidence !== null && evidence.atMs >= sinceMs;
      const wasDown = state.incident !== null && state.incident.confirmedAt < sinceAt;
      yield { host, wasDown, heard: isFresh ? evidence.said : null };
    }
  }

  /** One round at a time: who asks meanwhile waits for the same answers. */
  private askAll(hosts: readonly string[]): Promise<void> {
    this.round ??= this.askThese(hosts.slice(0, asked.most)).finally(() => {
      this.round = null;
    });
    return this.round;
  }

  private async askThese(hosts: readonly string[]): Promise<void> {
    const quickest = new Map<string, Watched>();
    for (const watched of this.options.all()) {
      if (watched.host === null || !hosts.includes(watched.host)) continue;
      const known = quickest.get(watched.host);
      if (known === undefined || longestCheckSecs(watched.monitor) < longestCheckSecs(known.monitor))
        quickest.set(watched.host, watched);
    }
    const answers = [...quickest.values()].map((watched) => this.options.ask(watched));
    const { agenda } = this.options;
    await new Promise<void>((resolve) => {
      const patience = agenda.after(asked.withinMs, resolve);
      void Promise.all(answers).then(() => {
        agenda.cancel(patience);
        resolve();
      });
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
    if (!isSighted(this.heard(null, this.episodeMs))) return;
    if (this.losing !== null) this.options.agenda.cancel(this.losing);
    this.change(networkOk);
  }

  private change(now: Network): void {
    const before = this.now;
    this.now = now;
    if (now.state === 'ok') this.sightedMs = this.options.clock.monotonic();
    this.options.onChange(now, before);
  }
}
