/** Asks the peers what they see, and waits twelve seconds at most. */
import type { Config, Monitor, Peer } from '../config/config.ts';
import type { Redact } from '../config/redact.ts';
import type { Clock } from '../core/clock.ts';
import type { PeerReports, PeerReport } from './rules/judge.ts';
import { cleanLine } from '../core/text.ts';
import type { PeerClients, VerdictAnswer, PeerHealthAnswer } from './client/clients.ts';
import { peers as stored } from '../../db/tables/peers.ts';
import type { TimerQueue } from '../monitoring/timer-queue.ts';
import type { NoticeSender } from '../monitoring/notice-sender.ts';

export interface PeerQueryOptions {
  readonly clients: PeerClients | null;
  readonly clock: Clock;
  readonly timers: TimerQueue;
  readonly notices: NoticeSender;
  readonly config: () => Config;
  readonly redact: () => Redact;
  /** Aborted when the engine stops. */
  readonly signal: AbortSignal;
}

/** What the peers answered, by id. Who did not answer in time is missing. */
export type PeerAnswers = ReadonlyMap<string, PeerHealthAnswer>;

interface Round {
  readonly beganMs: number;
  readonly answers: Promise<PeerAnswers>;
}

const patienceMs = 12_000;

/** Who asks this soon after another has the same answers; later ones may be older than a cut. */
const sharedForMs = 100;

/** Targets that are asked about at a time: a storm of failures must not become a storm of questions. */
const mostQuestions = 8;

export class PeerQuery {
  private readonly options: PeerQueryOptions;
  private readonly questions = new Set<Promise<boolean>>();
  private round: Round | null = null;

  constructor(options: PeerQueryOptions) {
    this.options = options;
  }

  /** How every peer sees the others. */
  askPeers(): Promise<PeerAnswers> {
    const nowMs = this.options.clock.monotonic();
    if (this.round === null || nowMs - this.round.beganMs > sharedForMs)
      this.round = { beganMs: nowMs, answers: this.gather() };
    return this.round.answers;
  }

  /** Whether a peer sees this target down too; null when no peer can be asked. */
  askAbout(monitor: Monitor): Promise<boolean> | null {
    const { clients, config } = this.options;
    const { peers } = config();
    const able = peers.filter(({ ping_url: url, ping_token: token }) => url !== null && token !== null);
    if (clients === null || able.length === 0 || !('target' in monitor)) return null;
    // Past that many, what the peers see of the others applies to this one as well: a real outage, or none.
    if (this.questions.size >= mostQuestions)
      return Promise.all(this.questions).then((answers) => answers.includes(true));
    const question = this.question(monitor, able, clients).finally(() => this.questions.delete(question));
    this.questions.add(question);
    return question;
  }

  /** Settles with `work`, or after twelve seconds. Never rejects. */
  async within(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const { timers, signal } = this.options;
    const giveUp = new AbortController();
    const onStop = () => {
      giveUp.abort(signal.reason);
    };
    signal.addEventListener('abort', onStop, { once: true });
    try {
      await new Promise<void>((resolve) => {
        const patience = timers.after(patienceMs, resolve);
        giveUp.signal.addEventListener('abort', () => {
          resolve();
        });
        const done = () => {
          timers.cancel(patience);
          resolve();
        };
        work(giveUp.signal).then(done, done);
      });
    } finally {
      signal.removeEventListener('abort', onStop);
      giveUp.abort(new Error('the answer is no longer needed'));
    }
  }

  private async gather(): Promise<PeerAnswers> {
    const { clients, config } = this.options;
    const answers = new Map<string, PeerHealthAnswer>();
    if (clients === null) return answers;
    const able = config().peers.filter(({ witness_url: url }) => url !== null);
    await this.within((signal) =>
      Promise.all(
        able.map(async (peer) => {
          const answer = await clients.askHealth(peer, signal);
          if (!signal.aborted) answers.set(peer.id, answer);
        }),
      ),
    );
    return answers;
  }

  private async question(
    monitor: Monitor & { readonly target: string },
    able: readonly Peer[],
    clients: PeerClients,
  ): Promise<boolean> {
    const { id, kind, target } = monitor;
    const about = { from: this.options.config().health.id, id, kind, target };
    const seenDownBy: string[] = [];
    await this.within(
      (signal) =>
        new Promise<void>((resolve) => {
          const all = able.map(async (peer) => {
            const answer = await clients.askVerdict(peer, about, signal);
            if (signal.aborted) return;
            this.keep(peer, id, answer);
            if (answer.kind !== 'answered' || answer.status !== 'down') return;
            seenDownBy.push(peer.id);
            resolve();
          });
          void Promise.allSettled(all).then(() => {
            resolve();
          });
        }),
    );
    // When the engine stops nothing is kept any more, least of all a suspicion that there was no time to settle.
    return seenDownBy.length > 0 || this.options.signal.aborted;
  }

  private keep(peer: Peer, monitor: string, answer: VerdictAnswer): void {
    if (answer.kind !== 'answered') return;
    const { clock, notices, redact } = this.options;
    const { status, latencyMs, skewMs } = answer;
    const error = answer.error === null ? null : cleanLine(redact()(answer.error));
    notices.send(
      [],
      [stored.saveVerdict({ peer: peer.id, monitor, at: clock.now(), status, latencyMs, error, skewMs })],
    );
  }
}

/** Whether any of them was reached, whatever it said. */
export function isAnyReached(answers: PeerAnswers): boolean {
  return [...answers.values()].some(({ kind }) => kind !== 'unreachable');
}

/** What the answers say of one peer. Without a quorum, only what it says itself counts. */
export function reportsAbout(
  about: Peer,
  answers: PeerAnswers,
  { peers, isQuorum }: { readonly peers: readonly Peer[]; readonly isQuorum: boolean },
): PeerReports {
  const own = answers.get(about.id);
  const others = isQuorum ? peers.filter(({ id, witness_url: url }) => id !== about.id && url !== null) : [];
  return {
    reports: others.map((peer) => reportOf(about, peer, answers.get(peer.id))),
    isItselfUp: own?.kind === 'answered' && own.isWell && isFrom(own, about),
  };
}

function reportOf(about: Peer, { id, name }: Peer, answer: PeerHealthAnswer | undefined): PeerReport {
  const unanswered = { by: name, saw: 'unanswered', ageMs: null } as const;
  if (answer?.kind !== 'answered' || !isFrom(answer, { id })) return unanswered;
  const seen = answer.peers.get(about.id);
  // A peer that has just started has not had the time to receive heartbeats.
  if (seen === undefined || seen.state === 'unknown') return unanswered;
  const ageMs = seen.ageSecs === null ? null : seen.ageSecs * 1000;
  return { by: name, saw: seen.state === 'up' ? 'up' : 'not_up', ageMs };
}

/** An address may lead to another node, or back to this one, whose report does not count then. */
function isFrom(answer: PeerHealthAnswer & { readonly kind: 'answered' }, { id }: Pick<Peer, 'id'>): boolean {
  return answer.id === null || answer.id === id;
}
