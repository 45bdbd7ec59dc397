/** Asks all peers about one outage at once, for 12 s at most. */
import { setMaxListeners } from 'node:events';
import type { Peer } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { PeerQuestion, VerdictAnswer } from '../client/clients.ts';

/** Asks one peer. Never rejects; ends as unreachable when the signal is aborted. */
export type AskPeer = (peer: Peer, about: PeerQuestion, signal: AbortSignal) => Promise<VerdictAnswer>;

/** Asks a peer, and leaves no secret in what it answers. */
export function discreetly(askPeer: AskPeer, redact: (text: string) => string): AskPeer {
  return async (peer, about, signal) => {
    const answer = await askPeer(peer, about, signal);
    return 'error' in answer && answer.error !== null ? { ...answer, error: redact(answer.error) } : answer;
  };
}

/** An outage, and the question about its target. */
export interface QuestionSubject {
  /** The uid of the incident. */
  readonly incident: string;
  readonly monitor: string;
  readonly question: PeerQuestion;
}

export interface PeerAsking {
  readonly askPeer: AskPeer;
  readonly clock: Clock;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** A peer and what it answered; null: nothing in time. */
export interface PeerAnswered {
  readonly peer: Peer;
  readonly answer: VerdictAnswer | null;
}

/** No alert is delayed by more than this. */
const patienceMs = 12_000;

/** A busy peer is asked again after this long. */
const pauseMs = 1000;

/** Never rejects. Resolves after `patienceMs` at the latest, whatever the peers do. */
export async function askAll(
  peers: readonly Peer[],
  about: PeerQuestion,
  { askPeer, clock, signal }: PeerAsking,
): Promise<readonly PeerAnswered[]> {
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  // Every question listens to it; Node takes more than ten listeners for a leak.
  setMaxListeners(0, ended);
  const waited = clock.sleep(patienceMs, ended).catch(() => undefined);
  const answers = new Map<string, VerdictAnswer>();
  const asking = peers.map(async (peer) => {
    const answer = await persistently(peer, about, { askPeer, clock, signal: ended });
    if (!over.signal.aborted) answers.set(peer.id, answer);
  });
  await Promise.race([Promise.all(asking), waited]);
  over.abort(new Error('the time for an answer is over'));
  return peers.map((peer) => ({ peer, answer: answers.get(peer.id) ?? null }));
}

async function persistently(
  peer: Peer,
  about: PeerQuestion,
  { askPeer, clock, signal }: PeerAsking,
): Promise<VerdictAnswer> {
  for (;;) {
    const answer = await safely(() => askPeer(peer, about, signal));
    if (answer.kind !== 'busy' || signal.aborted) return answer;
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}

/** A question that fails must not stop the alert. */
async function safely(ask: () => Promise<VerdictAnswer>): Promise<VerdictAnswer> {
  try {
    return await ask();
  } catch {
    return brokenOff;
  }
}

const brokenOff: VerdictAnswer = { kind: 'unreachable', error: 'it could not be asked' };
