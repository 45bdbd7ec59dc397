/** Doubts this node's own network before it believes that a target is down: see core/doubt. */
import type { Clock } from '../core/clock.ts';
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
  private isAnyRemote = false;
  private round: Promise<void> | null = null;
  private losing: Appointment | null = null;

  constructor(options: SightOptions) {
    this.options = options;
    this.now = options.network;
    this.episodeMs = options.clock.monotonic();
    if (this.now.state === 'suspect') this.awaitLoss();
  }

  get network(): Network {
    return this.now;
  }

  /** To be called when the configuration changed. */
  survey(): void {
    this.isAnyRemote = [...this.options.all()].some(({ host }) => host !== null && !isLoopback(host));
    this.lookAgain();
  }

  /** Whether failures of this monitor say nothing at the moment. */
  isHeld({ host }: Watched): boolean {
    return this.now.state !== 'ok' && host !== null && bearsWitness(host, this.isAnyRemote);
  }

  /** Takes in what a check begun at `startedMs` said of its host. */
  note(watched: Watched, said: Evidence, startedMs: number): void {
    watched.evidence = { said, atMs: this.options.clock.monotonic() };
    if (said === 'failed') watched.silentSinceMs ??= startedMs;
    else {
      watched.silentSinceMs = null;
      if (this.now.state !== 'ok') this.lookAgain();
    }
  }

  /** Whether a failure by transport that would open an incident is to be believed. */
  believes(watched: Watched): boolean | Promise<boolean> {
    const { host, silentSinceMs } = watched;
    if (host === null || !bearsWitness(host, this.isAnyRemote)) return true;
    return this.judge(host, silentSinceMs ?? this.options.clock.monotonic());
  }

  /** Whether a heartbeat that did not come is to be believed. */
  believesSilence(): boolean | Promise<boolean> {
    if (this.now.state !== 'ok') return false;
    return this.judge(null, this.options.clock.monotonic() - freshMs);
  }

  private judge(host: string | null, sinceMs: number): boolean | Promise<boolean> {
    const first = doubt(host, this.heard(host, sinceMs), { isFinal: false });
    if (first.kind !== 'ask') return this.settle(first, sinceMs);
    return this.askAll(first.hosts).then(() =>
      this.settle(doubt(host, this.heard(host, sinceMs), { isFinal: true }), sinceMs),
    );
  }

  private settle(verdict: Doubt, sinceMs: number): boolean {
    if (verdict.kind === 'suspect' && this.now.state === 'ok') {
      const { clock } = this.options;
      const sinceAt = clock.now() - (clock.monotonic() - sinceMs);
      const reason = silenceInWords(verdict.failing, verdict.hosts);
      this.episodeMs = clock.monotonic();
      this.change({ state: 'suspect', sinceAt, reason });
      this.awaitLoss();
    }
    return verdict.kind === 'believe';
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
    if (this.now.state === 'ok' || !isSighted(this.heard(null, this.episodeMs))) return;
    if (this.losing !== null) this.options.agenda.cancel(this.losing);
    this.change(networkOk);
  }

  private change(now: Network): void {
    const before = this.now;
    this.now = now;
    this.options.onChange(now, before);
  }
}
