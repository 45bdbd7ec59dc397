/** Decides about a peer whose silence is due, after asking whoever can be asked. */
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { type Isolation, isolation, isolationInWords, type WatchedPeer } from '../../core/peers/isolation.ts';
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

export class Jury {
  private readonly options: JuryOptions;

  constructor(options: JuryOptions) {
    this.options = options;
  }

  async decide(ear: Ear, lateAt: number, terms: Terms): Promise<Decision> {
    const { sight, clock, signal, watched } = this.options;
    const { network } = sight;
    const wait = { kind: 'wait', forMs: terms.expectEveryMs } as const;
    if (network.state !== 'ok') {
      // While the network may be gone nothing is decided; when it is back, hearing begins anew.
      if (network.by === 'peers') await this.lookForAnybody();
      return wait;
    }
    const { state } = ear;
    const found = await this.findOut(ear, lateAt, terms);
    if (signal.aborted || ear.isGone || ear.state !== state || !isThere(sight)) return { kind: 'overtaken' };
    if (found.isolation.kind === 'isolated') {
      sight.isolate(lateAt, isolationInWords(watched().length));
      return wait;
    }
    if (found.isolation.kind === 'unclear')
      return { kind: 'wait', forMs: Math.max(0, found.isolation.lookAt - clock.now()) };
    ear.decidedAt = clock.now();
    const verdict = judgePeer({ state, ...terms, nowAt: ear.decidedAt }, found.hearsay);
    return isTooEarly(ear, verdict, found.hearsay) ? wait : verdict;
  }

  private async findOut(ear: Ear, lateAt: number, terms: Terms): Promise<Found> {
    const { clock, config, inquiry, sight, watched } = this.options;
    if (saysDown(ear.state, terms.hearingSinceAt)) return { hearsay: null, isolation: { kind: 'none' } };
    // A link that broke long ago says nothing of this moment: what was heard since it was last looked at does.
    const sinceAt = Math.max(lateAt, ear.decidedAt ?? lateAt);
    const sinceMs = clock.monotonic() - (clock.now() - sinceAt);
    const isolationIf = (isAnyReached: boolean) =>
      isolation({ watched: watched(), sinceAt, nowAt: clock.now(), isAnyReached });
    const isQuorum = config().health.quorum;
    const isAlone = isolationIf(sight.isAnyReachedSince(sinceMs)).kind !== 'none';
    if (!isAlone && !isQuorum) return { hearsay: null, isolation: { kind: 'none' } };
    const around = isAlone ? inquiry.within(() => sight.lookAround()) : undefined;
    const [answers] = await Promise.all([inquiry.askWitnesses(), around]);
    return {
      hearsay: hearsayAbout(ear.peer, answers, { peers: config().peers, isQuorum }),
      isolation: isolationIf(isAnyReached(answers) || sight.isAnyReachedSince(sinceMs)),
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
