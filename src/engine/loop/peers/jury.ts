/** Decides about a peer whose silence is due, after asking whoever can be asked. */
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import {
  canBeIsolated,
  type Isolation,
  isolation,
  isolationInWords,
  type WatchedPeer,
} from '../../core/peers/isolation.ts';
import { saysDown, type Terms } from '../../core/peers/silence.ts';
import { type Hearsay, judgePeer, type PeerVerdict } from '../../core/peers/verdict.ts';
import type { Sight } from '../sight.ts';
import type { Ear } from './ear.ts';
import { hearsayAbout, type Inquiry, isAnyReached } from './inquiry.ts';

export interface JuryOptions {
  readonly clock: Clock;
  readonly sight: Sight;
  readonly inquiry: Inquiry;
  readonly config: () => Config;
  /** Aborted when the engine stops: who is not answered then is not silent. */
  readonly signal: AbortSignal;
  /** All peers that are watched. */
  readonly watched: () => readonly WatchedPeer[];
}

export type Decision =
  | PeerVerdict
  /** Nothing can be said for so long. */
  | { readonly kind: 'wait'; readonly forMs: number }
  /** Something else happened while others were asked. */
  | { readonly kind: 'overtaken' };

interface Found {
  readonly hearsay: Hearsay | null;
  readonly isolation: Isolation;
}

/** After a cut a peer that is well is heard within so long: see how a heartbeat that was not taken is sent again. */
const comeBackMs = 30_000;

export class Jury {
  private readonly options: JuryOptions;

  constructor(options: JuryOptions) {
    this.options = options;
  }

  async decide(ear: Ear, lateAt: number, terms: Terms): Promise<Decision> {
    const { sight, clock, inquiry, signal, watched } = this.options;
    const { network } = sight;
    const wait = { kind: 'wait', forMs: terms.expectEveryMs } as const;
    if (network.state !== 'ok') {
      // While the network may be gone nothing is decided; when it is back, hearing begins anew.
      await (network.by === 'peers' ? this.lookForAnybody() : inquiry.within(() => sight.lookAround()));
      return wait;
    }
    const { state } = ear;
    const wasNobodyReached = ear.askedSinceAt !== null;
    await sight.untilSure();
    const found = await this.findOut(ear, lateAt, terms);
    // A doubt that began meanwhile may end with this node having lost its network.
    await sight.untilSure();
    if (signal.aborted || ear.isGone || ear.state !== state || !isThere(sight)) return { kind: 'overtaken' };
    if (found.isolation.kind === 'isolated') {
      sight.isolate(lateAt, isolationInWords(watched().length));
      return wait;
    }
    if (found.isolation.kind === 'unclear')
      return { kind: 'wait', forMs: Math.max(0, found.isolation.lookAt - clock.now()) };
    const nowAt = clock.now();
    const verdict = judgePeer({ state, ...terms, nowAt }, found.hearsay);
    const mayComeBack = wasNobodyReached || verdict.kind === 'link_degraded';
    if (mayComeBack && state.state !== 'link_degraded' && !ear.isGivenTime) {
      ear.isGivenTime = true;
      ear.askedSinceAt = nowAt;
      return { kind: 'wait', forMs: Math.min(comeBackMs, terms.expectEveryMs) };
    }
    ear.decidedAt = nowAt;
    return isTooEarly(ear, verdict, found.hearsay) ? wait : verdict;
  }

  private async findOut(ear: Ear, lateAt: number, terms: Terms): Promise<Found> {
    const { clock, config, inquiry, sight, watched } = this.options;
    if (saysDown(ear.state, terms.hearingSinceAt)) return { hearsay: null, isolation: { kind: 'none' } };
    const isAnyHostReached = (sinceAt: number) =>
      sight.isAnyReachedSince(clock.monotonic() - (clock.now() - sinceAt));
    const isolationSince = (sinceAt: number, isAnyReached: boolean) =>
      isolation({ watched: watched(), sinceAt, nowAt: clock.now(), isAnyReached });
    // A link that broke long ago says nothing of this moment: what was heard since it was last looked at does.
    const silentSinceAt = Math.max(lateAt, ear.decidedAt ?? lateAt);
    const isAlone = isolationSince(silentSinceAt, isAnyHostReached(silentSinceAt)).kind !== 'none';
    const isQuorum = config().health.quorum;
    const isDoubtful = canBeIsolated(watched().length);
    if (!isQuorum && !isDoubtful) return { hearsay: null, isolation: { kind: 'none' } };
    // The network may have gone after the peer fell silent: somebody has to be reached from now on.
    const askedSinceAt = ear.askedSinceAt ?? clock.now();
    ear.askedSinceAt = askedSinceAt;
    const lookAround = () => inquiry.within(() => sight.lookAround());
    const around = isAlone ? lookAround() : null;
    const answers = await inquiry.askWitnesses();
    const isReached = () => isAnyReached(answers) || isAnyHostReached(askedSinceAt);
    if (isDoubtful && !isReached()) await (around ?? lookAround());
    return {
      hearsay: hearsayAbout(ear.peer, answers, { peers: config().peers, isQuorum }),
      isolation: isolationSince(askedSinceAt, isReached()),
    };
  }

  /** With nobody heard, the peers are asked from time to time: heartbeats may not come while the network does. */
  private async lookForAnybody(): Promise<void> {
    const answers = await this.options.inquiry.askWitnesses();
    if (isAnyReached(answers)) this.options.sight.reach();
  }
}

function isThere({ network }: Sight): boolean {
  return network.state === 'ok';
}

/** A broken link whose witnesses are not reached once is no dead peer yet. */
function isTooEarly(ear: Ear, verdict: PeerVerdict, hearsay: Hearsay | null): boolean {
  const isUnanswered =
    ear.state.state === 'link_degraded' &&
    verdict.kind === 'down' &&
    hearsay !== null &&
    hearsay.testimonies.every(({ saw }) => saw === 'unanswered');
  const isFirst = isUnanswered && !ear.wasUnanswered;
  ear.wasUnanswered = isUnanswered;
  return isFirst;
}
