/** Judges a peer whose heartbeat is overdue, after asking the other peers. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import {
  canBeIsolated,
  type Isolation,
  isolation,
  isolationInWords,
  type PeerPresence,
} from './rules/isolation.ts';
import { saysDown, type PeerSilenceTerms } from './rules/silence.ts';
import { type PeerReports, judgePeer, type PeerVerdict } from './rules/judge.ts';
import type { NetworkDiagnosis } from '../monitoring/network/diagnosis.ts';
import type { WatchedPeer } from './watched-peer.ts';
import { reportsAbout, type PeerQuery, isAnyReached } from './query.ts';

export interface PeerJudgeOptions {
  readonly clock: Clock;
  readonly diagnosis: NetworkDiagnosis;
  readonly query: PeerQuery;
  readonly config: () => Config;
  /** Aborted when the engine stops: who is not answered then is not silent. */
  readonly signal: AbortSignal;
  /** All peers that are watched. */
  readonly watched: () => readonly PeerPresence[];
}

export type PeerDecision =
  | PeerVerdict
  /** Nothing can be said for so long. */
  | { readonly kind: 'wait'; readonly forMs: number }
  /** Something else happened while others were asked. */
  | { readonly kind: 'overtaken' };

interface Found {
  readonly heard: PeerReports | null;
  readonly isolation: Isolation;
}

/** After a cut the heartbeat of a healthy peer comes within so long: see how a heartbeat that was not taken is sent again. */
const comeBackMs = 30_000;

export class PeerJudge {
  private readonly options: PeerJudgeOptions;

  constructor(options: PeerJudgeOptions) {
    this.options = options;
  }

  async decide(watchedPeer: WatchedPeer, lateAt: number, terms: PeerSilenceTerms): Promise<PeerDecision> {
    const { diagnosis, clock, query, signal, watched } = this.options;
    const { network } = diagnosis;
    const wait = { kind: 'wait', forMs: terms.expectEveryMs } as const;
    if (network.state !== 'ok') {
      // While the network may be down nothing is decided; when it is back, the deadlines of peers restart.
      await (network.by === 'peers'
        ? this.lookForAnybody()
        : query.within(() => diagnosis.askReferenceHosts()));
      return wait;
    }
    const { state } = watchedPeer;
    const wasNobodyReached = watchedPeer.askedSinceAt !== null;
    await diagnosis.untilSure();
    const found = await this.findOut(watchedPeer, lateAt, terms);
    // A suspicion that began meanwhile may end with this node having lost its network.
    await diagnosis.untilSure();
    if (signal.aborted || watchedPeer.isGone || watchedPeer.state !== state || !isThere(diagnosis))
      return { kind: 'overtaken' };
    if (found.isolation.kind === 'isolated') {
      diagnosis.isolate(lateAt, isolationInWords(watched().length));
      return wait;
    }
    if (found.isolation.kind === 'unclear')
      return { kind: 'wait', forMs: Math.max(0, found.isolation.lookAt - clock.now()) };
    const nowAt = clock.now();
    const verdict = judgePeer({ state, ...terms, nowAt }, found.heard);
    const mayComeBack = wasNobodyReached || verdict.kind === 'link_degraded';
    if (mayComeBack && state.state !== 'link_degraded' && !watchedPeer.isGivenTime) {
      watchedPeer.isGivenTime = true;
      watchedPeer.askedSinceAt = nowAt;
      return { kind: 'wait', forMs: Math.min(comeBackMs, terms.expectEveryMs) };
    }
    watchedPeer.decidedAt = nowAt;
    return isTooEarly(watchedPeer, verdict, found.heard) ? wait : verdict;
  }

  private async findOut(watchedPeer: WatchedPeer, lateAt: number, terms: PeerSilenceTerms): Promise<Found> {
    const { clock, config, query, diagnosis, watched } = this.options;
    if (saysDown(watchedPeer.state, terms.hearingSinceAt))
      return { heard: null, isolation: { kind: 'none' } };
    const isAnyHostReached = (sinceAt: number) =>
      diagnosis.isAnyReachedSince(clock.monotonic() - (clock.now() - sinceAt));
    const isolationSince = (sinceAt: number, isAnyReached: boolean) =>
      isolation({ watched: watched(), sinceAt, nowAt: clock.now(), isAnyReached });
    // A link that broke long ago says nothing of this moment: what was heard since it was last looked at does.
    const silentSinceAt = Math.max(lateAt, watchedPeer.decidedAt ?? lateAt);
    const isAlone = isolationSince(silentSinceAt, isAnyHostReached(silentSinceAt)).kind !== 'none';
    const isQuorum = config().health.quorum;
    const isUncertain = canBeIsolated(watched().length);
    if (!isQuorum && !isUncertain) return { heard: null, isolation: { kind: 'none' } };
    // The network may have gone after the peer fell silent: a host has to be reached from now on.
    const askedSinceAt = watchedPeer.askedSinceAt ?? clock.now();
    watchedPeer.askedSinceAt = askedSinceAt;
    const lookAround = () => query.within(() => diagnosis.askReferenceHosts());
    const around = isAlone ? lookAround() : null;
    const answers = await query.askPeers();
    const isReached = () => isAnyReached(answers) || isAnyHostReached(askedSinceAt);
    if (isUncertain && !isReached()) await (around ?? lookAround());
    return {
      heard: reportsAbout(watchedPeer.peer, answers, { peers: config().peers, isQuorum }),
      isolation: isolationSince(askedSinceAt, isReached()),
    };
  }

  /** With nobody heard, the peers are asked from time to time: heartbeats may not come while the network does. */
  private async lookForAnybody(): Promise<void> {
    const answers = await this.options.query.askPeers();
    if (isAnyReached(answers)) this.options.diagnosis.reach();
  }
}

function isThere({ network }: NetworkDiagnosis): boolean {
  return network.state === 'ok';
}

/** A broken link whose witnesses are not reached once is no dead peer yet. */
function isTooEarly(watchedPeer: WatchedPeer, verdict: PeerVerdict, heard: PeerReports | null): boolean {
  const isUnanswered =
    watchedPeer.state.state === 'link_degraded' &&
    verdict.kind === 'down' &&
    heard !== null &&
    heard.reports.every(({ saw }) => saw === 'unanswered');
  const isFirst = isUnanswered && !watchedPeer.wasUnanswered;
  watchedPeer.wasUnanswered = isUnanswered;
  return isFirst;
}
