/** Asks the peers about monitors: all peers at once, each of them a few questions at a time. */
import { setMaxListeners } from 'node:events';
import type { Monitor, Peer } from '../../engine/config/config.ts';
import type { Clock } from '../../engine/core/clock.ts';
import type { PeerClients, PeerQuestion, VerdictAnswer } from '../../engine/peers/client/clients.ts';
import type { Progress } from '../check/progress.ts';
import type { AskedPeer } from './matrix.ts';

export interface PeersAsking {
  readonly clients: Pick<PeerClients, 'askVerdict' | 'askHealth'>;
  readonly clock: Clock;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  readonly progress: Pick<Progress, 'start' | 'done'>;
}

/** Fewer than a peer takes at once: its own confirming goes on meanwhile. */
const atOnce = 4;

/** A busy peer is left alone for this long; it takes a question a second, unless configured otherwise. */
const pauseMs = 1100;

/** How long a person at a screen waits. */
const patienceMs = 60_000;

/** A question to every peer that can be asked, about every monitor with a target. */
export async function askPeers(
  peers: readonly Peer[],
  questions: readonly PeerQuestion[],
  peersAsking: PeersAsking,
): Promise<readonly AskedPeer[]> {
  const { clock, signal } = peersAsking;
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  // Every question listens to it; Node takes more than ten listeners for a leak.
  setMaxListeners(0, ended);
  const patience = clock.sleep(patienceMs, ended).then(
    () => {
      over.abort(new Error('the time is over'));
    },
    () => undefined,
  );
  const askedPeer = await Promise.all(
    peers.map((peer) => askOne(peer, questions, { ...peersAsking, signal: ended })),
  );
  over.abort(new Error('all have answered'));
  await patience;
  signal.throwIfAborted();
  return askedPeer;
}

export function questionsOf(monitors: readonly Monitor[], from: string | null): readonly PeerQuestion[] {
  return monitors.flatMap((monitor) =>
    monitor.kind === 'push' || monitor.kind === 'exec'
      ? []
      : [{ from, id: monitor.id, kind: monitor.kind, target: monitor.target }],
  );
}

async function askOne(
  peer: Peer,
  questions: readonly PeerQuestion[],
  peersAsking: PeersAsking,
): Promise<AskedPeer> {
  const { clients, signal, progress } = peersAsking;
  const verdicts = new Map<string, VerdictAnswer>();
  if (peer.ping_url === null) {
    for (const { id } of questions) skip(progress, label(peer, id));
    return { peer, health: null, verdicts };
  }
  const health = await clients.askHealth(peer, signal);
  const left = [...questions];
  let isOver = health.kind !== 'answered';
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const name = label(peer, next.id);
      progress.start(name);
      const answer = isOver || signal.aborted ? null : await patiently(peer, next, peersAsking);
      progress.done(name);
      if (answer === null) continue;
      verdicts.set(next.id, answer);
      // Who refuses one refuses all, and who is gone has gone for all.
      if (answer.kind === 'refused' || answer.kind === 'unreachable') isOver = true;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { peer, health, verdicts };
}

/** Null: it was too busy for as long as there was time. */
async function patiently(
  peer: Peer,
  about: PeerQuestion,
  { clients, clock, signal }: PeersAsking,
): Promise<VerdictAnswer | null> {
  for (;;) {
    const answer = await clients.askVerdict(peer, about, signal);
    if (signal.aborted) return answer.kind === 'answered' ? answer : null;
    if (answer.kind !== 'busy') return answer;
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}

function label({ name }: Peer, monitor: string): string {
  return `${monitor} from ${name}`;
}

function skip(progress: PeersAsking['progress'], name: string): void {
  progress.start(name);
  progress.done(name);
}
