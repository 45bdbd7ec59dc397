/** Watches the peers: receives their heartbeats, and has their silence judged when it is overdue. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { type Move, moveInstants } from '../core/clock-shift.ts';
import { StatusdError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { extendDeadline } from '../monitoring/heartbeats/listening-gaps.ts';
import { canBeIsolated, type PeerPresence } from './rules/isolation.ts';
import { judgeSilence, lateAtOf, type PeerSilenceTerms } from './rules/silence.ts';
import { freshPeer, type PeerState } from './rules/state.ts';
import { forgetting, recallPeers, savePeer } from './peer-records.ts';
import { applyPeerHeartbeat, notAfter, type PeerBeat, settlePeer, unwatched } from './rules/transitions.ts';
import type { PeerVerdict } from './rules/judge.ts';
import { cleanLine } from '../core/text.ts';
import type { Store } from '../../db/store/store.ts';
import type { TimerQueue } from '../monitoring/timer-queue.ts';
import type { ListeningRecord } from '../monitoring/heartbeats/listening-record.ts';
import type { NetworkDiagnosis } from '../monitoring/network/diagnosis.ts';
import { alertOperations } from '../monitoring/alert-operations.ts';
import { expectEveryMs, type WatchedPeer, watchedPeerOf } from './watched-peer.ts';
import type { PeerQuery } from './query.ts';
import { PeerJudge } from './peer-judge.ts';
import { firstHeartbeatLine, lateLine, overLine, refusedLine, troubleLine } from './log-lines.ts';

export interface PeerWatchOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: TimerQueue;
  readonly diagnosis: NetworkDiagnosis;
  readonly query: PeerQuery;
  readonly listening: ListeningRecord;
  readonly config: () => Config;
  readonly signal: AbortSignal;
  /** See EngineOptions. */
  readonly isStandIn: () => boolean;
}

/** How soon a silence is looked at again while nothing can arrive. */
const deafMs = 5000;

export class PeerWatch {
  private readonly options: PeerWatchOptions;
  private readonly watchedPeers = new Map<string, WatchedPeer>();
  private readonly judge: PeerJudge;
  private startedAt: number;
  /** What the clock was set by, one after the other. */
  private readonly moves: Move[] = [];

  constructor(options: PeerWatchOptions) {
    this.options = options;
    this.judge = new PeerJudge({ ...options, watched: () => this.watched() });
    this.startedAt = options.clock.now();
  }

  /** Follows the configuration of the moment. */
  arrange(): void {
    const { store, clock, config, timers, diagnosis } = this.options;
    const { peers } = config();
    const wanted = new Map(peers.map((peer) => [peer.id, peer]));
    for (const [id, watchedPeer] of this.watchedPeers) {
      if (wanted.has(id)) continue;
      if (watchedPeer.alarm !== null) timers.cancel(watchedPeer.alarm);
      watchedPeer.isGone = true;
      this.watchedPeers.delete(id);
    }
    const known = recallPeers(store.sql);
    for (const peer of peers) {
      const watchedPeer = this.watchedPeers.get(peer.id);
      if (watchedPeer === undefined)
        this.watchedPeers.set(
          peer.id,
          watchedPeerOf(peer, notAfter(known.get(peer.id) ?? freshPeer, clock.now())),
        );
      else watchedPeer.peer = peer;
    }
    this.forget();
    if (!canBeIsolated(this.watched().length)) diagnosis.reach();
    for (const watchedPeer of this.watchedPeers.values()) this.later(watchedPeer, 0);
  }

  /** What was sent until now may be lost: every silence is judged anew, with the gap that is on record. */
  restartDeadlines(): void {
    const now = this.options.clock.now();
    this.startedAt = Math.min(this.startedAt, now);
    for (const watchedPeer of this.watchedPeers.values()) {
      // The clock was set back: what is waited for must not lie further away than it was.
      watchedPeer.state = notAfter(watchedPeer.state, now);
      watchedPeer.decidedAt = watchedPeer.decidedAt === null ? null : Math.min(watchedPeer.decidedAt, now);
      this.later(watchedPeer, 0);
    }
  }

  /** The clock was set: what is known of the peers moves with it. */
  shift(move: Move): void {
    this.moves.push(move);
    const moved = (at: number | null) => (at === null ? null : move(at));
    this.startedAt = move(this.startedAt);
    for (const watchedPeer of this.watchedPeers.values()) {
      watchedPeer.state = movedState(watchedPeer.state, move);
      watchedPeer.decidedAt = moved(watchedPeer.decidedAt);
      watchedPeer.askedSinceAt = moved(watchedPeer.askedSinceAt);
    }
  }

  /** Takes a heartbeat in; resolves when it is durable. Rejects with `not_found`, `store_full` or `store_failing`. */
  async receive(id: string, beat: PeerBeat): Promise<void> {
    const watchedPeer = this.watchedPeers.get(id);
    if (watchedPeer === undefined) throw new StatusdError('not_found', `there is no peer ${cleanLine(id)}`);
    await watchedPeer.mutex.run(() => this.keepBeat(watchedPeer, beat));
    this.options.diagnosis.reach();
    for (const each of this.watchedPeers.values())
      if (each === watchedPeer || each.askedSinceAt !== null) this.later(each, 0);
  }

  async idle(): Promise<void> {
    await Promise.all([...this.watchedPeers.values()].map(({ mutex }) => mutex.idle()));
  }

  private async keepBeat(watchedPeer: WatchedPeer, beat: PeerBeat): Promise<void> {
    const { store, clock, config, log } = this.options;
    const { id } = watchedPeer.peer;
    const at = clock.now();
    const asOfNow = this.movedFromNow();
    const wasHeard = watchedPeer.state.heardAt !== null;
    const { state, over } = applyPeerHeartbeat(watchedPeer.state, beat, {
      at,
      expectEveryMs: expectEveryMs(watchedPeer.peer),
    });
    const notified =
      over === null
        ? []
        : alertOperations(
            { kind: 'peer_recovered', peer: id, at, startedAt: over.startedAt, endedAt: over.endedAt },
            { sql: store.sql, config: config() },
          );
    const commit = () => {
      watchedPeer.state = asOfNow(state);
      if (over !== null) log(overLine(id, over));
      else if (!wasHeard) log(firstHeartbeatLine(id));
    };
    try {
      await store.write([savePeer(id, state), ...notified], { mustBeDurable: true });
    } catch (error) {
      // A peer whose heartbeat could not be stored is alive: it is kept in memory, and the recovery is sent.
      await store.write([savePeer(id, asOfNow(state)), ...notified], { mustBeDurable: false });
      commit();
      throw error;
    }
    commit();
  }

  private later(watchedPeer: WatchedPeer, ms: number): void {
    const { timers } = this.options;
    if (watchedPeer.alarm !== null) timers.cancel(watchedPeer.alarm);
    watchedPeer.alarm = null;
    if (watchedPeer.isGone || expectEveryMs(watchedPeer.peer) === null) return;
    watchedPeer.alarm = timers.after(ms, () => {
      watchedPeer.alarm = null;
      this.look(watchedPeer);
    });
  }

  private look(watchedPeer: WatchedPeer): void {
    const { clock, log, listening } = this.options;
    const terms = this.termsOf(watchedPeer);
    if (terms === null || watchedPeer.isDeciding) return;
    if (listening.isDeaf) {
      this.later(watchedPeer, deafMs);
      return;
    }
    const nowAt = clock.now();
    const peerSilence = judgeSilence(watchedPeer.state, terms, nowAt);
    const isLate = peerSilence.kind === 'late' || peerSilence.kind === 'due';
    if (isLate && !watchedPeer.isLate && watchedPeer.state.troubleAt === null)
      log(lateLine(watchedPeer.peer.id, watchedPeer.state, nowAt));
    watchedPeer.isLate = isLate;
    if (peerSilence.kind !== 'due') {
      watchedPeer.askedSinceAt = null;
      watchedPeer.isGivenTime = false;
    }
    if (peerSilence.kind === 'due') void this.decide(watchedPeer, peerSilence.lateAt, terms);
    else if (peerSilence.kind !== 'decided') this.later(watchedPeer, peerSilence.lookAt - nowAt);
  }

  private async decide(watchedPeer: WatchedPeer, lateAt: number, terms: PeerSilenceTerms): Promise<void> {
    watchedPeer.isDeciding = true;
    let nextMs = 0;
    try {
      const before = watchedPeer.state;
      const decision = await this.judge.decide(watchedPeer, lateAt, terms);
      if (decision.kind === 'wait') nextMs = decision.forMs;
      if (decision.kind === 'down' || decision.kind === 'link_degraded')
        await this.keepVerdict(watchedPeer, before, { verdict: decision, lateAt });
    } catch (error) {
      this.options.log(refusedLine(watchedPeer.peer.id, error));
      nextMs = terms.expectEveryMs;
    }
    watchedPeer.isDeciding = false;
    this.later(watchedPeer, nextMs);
  }

  private async keepVerdict(
    watchedPeer: WatchedPeer,
    before: PeerState,
    { verdict, lateAt }: { readonly verdict: PeerVerdict; readonly lateAt: number },
  ): Promise<void> {
    const { store, clock, config, log } = this.options;
    const { id } = watchedPeer.peer;
    await watchedPeer.mutex.run(async () => {
      // A heartbeat may have been waiting for the mutex.
      if (watchedPeer.state !== before || this.isOff(watchedPeer)) return;
      const at = clock.now();
      const asOfNow = this.movedFromNow();
      const { state, isNews } = settlePeer(before, verdict, { at, lateAt });
      const startedAt = state.troubleAt ?? lateAt;
      const { reason } = verdict;
      const about = { peer: id, at, startedAt, lastHeardAt: state.heardAt, reason };
      const notified = isNews
        ? alertOperations(
            verdict.kind === 'down'
              ? { kind: 'peer_down', ...about }
              : { kind: 'peer_link_degraded', ...about, seenBy: verdict.seenBy },
            { sql: store.sql, config: config() },
          )
        : [];
      // The result of this node is kept in memory, and its alert is sent.
      await store.write([savePeer(id, state), ...notified], { mustBeDurable: false });
      watchedPeer.state = asOfNow(state);
      if (isNews) log(troubleLine(id, state));
    });
  }

  /** The clock may be set while a state is written: moves what is measured now to what the clock says then. */
  private movedFromNow(): (state: PeerState) => PeerState {
    const count = this.moves.length;
    return (state) => this.moves.slice(count).reduce(movedState, state);
  }

  /** The state of peers that are no longer watched must not come back if they are watched again. */
  private forget(): void {
    const { store, log, clock, config, isStandIn } = this.options;
    // Another node's configuration has them.
    if (isStandIn()) return;
    const watched = new Set<string>();
    for (const watchedPeer of this.watchedPeers.values()) {
      if (expectEveryMs(watchedPeer.peer) === null) watchedPeer.state = unwatched(watchedPeer.state);
      else watched.add(watchedPeer.peer.id);
    }
    const now = { sql: store.sql, config: config(), at: clock.now() };
    const operations = forgetting((id) => watched.has(id), now);
    if (operations.length === 0) return;
    // It is worked out again at the next start.
    store.write(operations, { mustBeDurable: false }).catch((error: unknown) => {
      log(refusedLine('that is gone', error));
    });
  }

  private watched(): PeerPresence[] {
    return [...this.watchedPeers.values()].flatMap((watchedPeer) => {
      const terms = this.termsOf(watchedPeer);
      const { state } = watchedPeer;
      return terms === null ? [] : [{ heardAt: state.heardAt, lateAt: lateAtOf(state, terms) }];
    });
  }

  private termsOf(watchedPeer: WatchedPeer): PeerSilenceTerms | null {
    const { alerts, health } = this.options.config();
    const { peer, state, decidedAt } = watchedPeer;
    const everyMs = expectEveryMs(peer);
    if (everyMs === null) return null;
    const graceMs = health.grace_secs * 1000;
    return {
      expectEveryMs: everyMs,
      graceMs,
      windowMs: alerts.group_window_secs * 1000,
      hearingSinceAt: this.hearingSinceAt(
        watchedPeer,
        state.heardAt === null ? Math.max(graceMs, everyMs) : everyMs,
      ),
      decidedAt,
    };
  }

  /** Since when this node could hear a peer without a break, as far as a gap may have swallowed its heartbeat. */
  private hearingSinceAt({ state, decidedAt }: WatchedPeer, patienceMs: number): number {
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

  private isOff({ isGone, peer }: WatchedPeer): boolean {
    return isGone || this.options.signal.aborted || expectEveryMs(peer) === null;
  }
}

function movedState(state: PeerState, move: Move): PeerState {
  return moveInstants(state, { past: move, ahead: move }) as PeerState;
}
