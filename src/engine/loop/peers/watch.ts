/** Listens to the peers: takes their heartbeats in, and looks at their silence when it begins to mean something. */
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { type Move, moveInstants } from '../../core/clock-shift.ts';
import { StatusdError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { extendDeadline } from '../../core/listening.ts';
import { canBeIsolated, type WatchedPeer } from '../../core/peers/isolation.ts';
import { judgeSilence, lateAtOf, type Terms } from '../../core/peers/silence.ts';
import { freshPeer, type PeerState } from '../../core/peers/state.ts';
import { hear, notAfter, type PeerBeat, settle, unwatched } from '../../core/peers/turn.ts';
import type { PeerVerdict } from '../../core/peers/verdict.ts';
import { cleanLine } from '../../core/text.ts';
import type { Store } from '../../../db/store.ts';
import type { Agenda } from '../agenda.ts';
import type { ListeningRecord } from '../listening-record.ts';
import type { Sight } from '../sight.ts';
import { tell } from '../telling.ts';
import { type Ear, earOf, expectEveryMs } from './ear.ts';
import type { Inquiry } from './inquiry.ts';
import { Jury } from './jury.ts';
import { firstHeardLine, lateLine, overLine, refusedLine, troubleLine } from './peer-lines.ts';
import { forgetting, recallPeers, savePeer } from './peer-record.ts';

export interface PeerWatchOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly agenda: Agenda;
  readonly sight: Sight;
  readonly inquiry: Inquiry;
  readonly listening: ListeningRecord;
  readonly config: () => Config;
  readonly signal: AbortSignal;
}

export class PeerWatch {
  private readonly options: PeerWatchOptions;
  private readonly ears = new Map<string, Ear>();
  private readonly jury: Jury;
  private startedAt: number;

  constructor(options: PeerWatchOptions) {
    this.options = options;
    this.jury = new Jury({ ...options, watched: () => this.watched() });
    this.startedAt = options.clock.now();
  }

  /** Follows the configuration of the moment. */
  arrange(): void {
    const { store, clock, config, agenda, sight } = this.options;
    const { peers } = config();
    const wanted = new Map(peers.map((peer) => [peer.id, peer]));
    for (const [id, ear] of this.ears) {
      if (wanted.has(id)) continue;
      if (ear.alarm !== null) agenda.cancel(ear.alarm);
      ear.isGone = true;
      this.ears.delete(id);
    }
    const known = recallPeers(store.sql);
    for (const peer of peers) {
      const ear = this.ears.get(peer.id);
      if (ear === undefined)
        this.ears.set(peer.id, earOf(peer, notAfter(known.get(peer.id) ?? freshPeer, clock.now())));
      else ear.peer = peer;
    }
    this.forget();
    if (!canBeIsolated(this.watched().length)) sight.reach();
    for (const ear of this.ears.values()) this.later(ear, 0);
  }

  /** What was sent until now may be lost: every silence is judged anew, with the gap that is on record. */
  hearAnew(): void {
    const now = this.options.clock.now();
    this.startedAt = Math.min(this.startedAt, now);
    for (const ear of this.ears.values()) {
      // The clock was set back: what is waited for must not lie further away than it was.
      ear.state = notAfter(ear.state, now);
      ear.decidedAt = ear.decidedAt === null ? null : Math.min(ear.decidedAt, now);
      this.later(ear, 0);
    }
  }

  /** The clock was set: what is known of the peers moves with it. */
  shift(move: Move): void {
    const moved = (at: number | null) => (at === null ? null : move(at));
    this.startedAt = move(this.startedAt);
    for (const ear of this.ears.values()) {
      ear.state = moveInstants(ear.state, { past: move, ahead: move }) as PeerState;
      ear.decidedAt = moved(ear.decidedAt);
      ear.askedSinceAt = moved(ear.askedSinceAt);
    }
  }

  /** Takes a heartbeat in; resolves when it is durable. Rejects with `not_found`, `store_full` or `store_failing`. */
  async hear(id: string, beat: PeerBeat): Promise<void> {
    const ear = this.ears.get(id);
    if (ear === undefined) throw new StatusdError('not_found', `there is no peer ${cleanLine(id)}`);
    await ear.lane.run(() => this.keepBeat(ear, beat));
    this.options.sight.reach();
    for (const each of this.ears.values())
      if (each === ear || each.askedSinceAt !== null) this.later(each, 0);
  }

  async idle(): Promise<void> {
    await Promise.all([...this.ears.values()].map(({ lane }) => lane.idle()));
  }

  private async keepBeat(ear: Ear, beat: PeerBeat): Promise<void> {
    const { store, clock, config, log } = this.options;
    const { id } = ear.peer;
    const at = clock.now();
    const wasHeard = ear.state.heardAt !== null;
    const { state, over } = hear(ear.state, beat, { at, expectEveryMs: expectEveryMs(ear.peer) });
    const told =
      over === null
        ? []
        : tell(
            { kind: 'peer_recovered', peer: id, at, startedAt: over.startedAt, endedAt: over.endedAt },
            { sql: store.sql, config: config() },
          );
    await store.write([savePeer(id, state), ...told], { mustBeDurable: true });
    ear.state = state;
    if (over !== null) log(overLine(id, over));
    else if (!wasHeard) log(firstHeardLine(id));
  }

  private later(ear: Ear, ms: number): void {
    const { agenda } = this.options;
    if (ear.alarm !== null) agenda.cancel(ear.alarm);
    ear.alarm = null;
    if (ear.isGone || expectEveryMs(ear.peer) === null) return;
    ear.alarm = agenda.after(ms, () => {
      ear.alarm = null;
      this.look(ear);
    });
  }

  private look(ear: Ear): void {
    const { clock, log } = this.options;
    const terms = this.termsOf(ear);
    if (terms === null || ear.isDeciding) return;
    const nowAt = clock.now();
    const silence = judgeSilence(ear.state, terms, nowAt);
    const isLate = silence.kind === 'late' || silence.kind === 'due';
    if (isLate && !ear.isLate && ear.state.troubleAt === null) log(lateLine(ear.peer.id, ear.state, nowAt));
    ear.isLate = isLate;
    if (silence.kind !== 'due') {
      ear.askedSinceAt = null;
      ear.isGivenTime = false;
    }
    if (silence.kind === 'due') void this.decide(ear, silence.lateAt, terms);
    else if (silence.kind !== 'decided') this.later(ear, silence.lookAt - nowAt);
  }

  private async decide(ear: Ear, lateAt: number, terms: Terms): Promise<void> {
    ear.isDeciding = true;
    let nextMs = 0;
    try {
      const before = ear.state;
      const decision = await this.jury.decide(ear, lateAt, terms);
      if (decision.kind === 'wait') nextMs = decision.forMs;
      if (decision.kind === 'down' || decision.kind === 'link_degraded')
        await this.keepVerdict(ear, before, { verdict: decision, lateAt });
    } catch (error) {
      this.options.log(refusedLine(ear.peer.id, error));
      nextMs = terms.expectEveryMs;
    }
    ear.isDeciding = false;
    this.later(ear, nextMs);
  }

  private async keepVerdict(
    ear: Ear,
    before: PeerState,
    { verdict, lateAt }: { readonly verdict: PeerVerdict; readonly lateAt: number },
  ): Promise<void> {
    const { store, clock, config, log } = this.options;
    const { id } = ear.peer;
    await ear.lane.run(async () => {
      // A heartbeat may have been waiting in the lane.
      if (ear.state !== before || this.isOff(ear)) return;
      const at = clock.now();
      const { state, isNews } = settle(before, verdict, { at, lateAt });
      const startedAt = state.troubleAt ?? lateAt;
      const { reason } = verdict;
      const about = { peer: id, at, startedAt, lastHeardAt: state.heardAt, reason };
      const told = isNews
        ? tell(
            verdict.kind === 'down'
              ? { kind: 'peer_down', ...about }
              : { kind: 'peer_link_degraded', ...about, seenBy: verdict.seenBy },
            { sql: store.sql, config: config() },
          )
        : [];
      // What this node found out itself goes on in memory, and its alert leaves.
      await store.write([savePeer(id, state), ...told], { mustBeDurable: false });
      ear.state = state;
      if (isNews) log(troubleLine(id, state));
    });
  }

  /** What was known of peers that are watched no more must not be taken up again one day. */
  private forget(): void {
    const { store, log } = this.options;
    const watched = new Set<string>();
    for (const ear of this.ears.values()) {
      if (expectEveryMs(ear.peer) === null) ear.state = unwatched(ear.state);
      else watched.add(ear.peer.id);
    }
    const operations = forgetting(store.sql, (id) => watched.has(id));
    if (operations.length === 0) return;
    // It is worked out again at the next start.
    store.write(operations, { mustBeDurable: false }).catch((error: unknown) => {
      log(refusedLine('that is gone', error));
    });
  }

  private watched(): WatchedPeer[] {
    return [...this.ears.values()].flatMap((ear) => {
      const terms = this.termsOf(ear);
      const { state } = ear;
      return terms === null ? [] : [{ heardAt: state.heardAt, lateAt: lateAtOf(state, terms) }];
    });
  }

  private termsOf(ear: Ear): Terms | null {
    const { alerts, health } = this.options.config();
    const { peer, state, decidedAt } = ear;
    const everyMs = expectEveryMs(peer);
    if (everyMs === null) return null;
    const graceMs = health.grace_secs * 1000;
    return {
      expectEveryMs: everyMs,
      graceMs,
      windowMs: alerts.group_window_secs * 1000,
      hearingSinceAt: this.hearingSinceAt(ear, state.heardAt === null ? Math.max(graceMs, everyMs) : everyMs),
      decidedAt,
    };
  }

  /** Since when this node could hear a peer without a break, as far as a gap may have swallowed its heartbeat. */
  private hearingSinceAt({ state, decidedAt }: Ear, patienceMs: number): number {
    const { gaps } = this.options.listening;
    const { heardAt, saysDownSinceAt } = state;
    const wasHeardSince = heardAt !== null && heardAt >= Math.max(this.startedAt, gaps.at(-1)?.toAt ?? 0);
    // What it says of itself was heard again after the gap.
    if (saysDownSinceAt !== null && wasHeardSince) return this.startedAt;
    const known = state.state === 'link_degraded' ? decidedAt : heardAt;
    const dueAt = (known ?? this.startedAt) + patienceMs;
    const windowMs = this.options.config().alerts.group_window_secs * 1000;
    const sentAgainBy = (toAt: number) => toAt + patienceMs + windowMs;
    return extendDeadline({ dueAt, endsAt: dueAt + windowMs, sentAgainBy }, gaps) - windowMs - patienceMs;
  }

  private isOff({ isGone, peer }: Ear): boolean {
    return isGone || this.options.signal.aborted || expectEveryMs(peer) === null;
  }
}
