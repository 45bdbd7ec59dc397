/** Has the peers asked about outages, each one once and only so many at a time, and keeps the findings until they are written. */
import type { Peer } from '../../../engine/config/config.ts';
import { askAll, type PeerAsking } from './ask.ts';
import type { PeerFinding } from './finding.ts';
import type { QuestionSubject } from './question.ts';

/** A peer answers as many questions at once. In a storm the first ones speak for the others. */
const mostAtOnce = 8;

export class PeerQuestions {
  private readonly options: PeerAsking;
  private readonly underWay = new Map<string, Promise<void>>();
  /** The outages that go without, because too many were asked about. */
  private readonly leftOut = new Set<string>();
  private found: PeerFinding[] = [];
  private left: QuestionSubject[] = [];

  constructor(options: PeerAsking) {
    this.options = options;
  }

  /**
   * Asks about what was not asked yet. Resolves when all of it that is asked about is found out, 12 s from now at the
   * latest; null: nothing has to be waited for. Never rejects.
   */
  ask(subjects: readonly QuestionSubject[], peers: readonly Peer[]): Promise<void> | null {
    for (const subject of subjects) {
      const { incident } = subject;
      if (this.underWay.has(incident) || this.leftOut.has(incident)) continue;
      if (this.underWay.size < mostAtOnce) this.underWay.set(incident, this.begin(subject, peers));
      else {
        this.leftOut.add(incident);
        this.left.push(subject);
      }
    }
    const waited = subjects.flatMap(({ incident }) => this.underWay.get(incident) ?? []);
    return waited.length === 0 ? null : Promise.all(waited).then(() => undefined);
  }

  /** What is to be written down, and is handed over by this. */
  take(): { readonly found: readonly PeerFinding[]; readonly left: readonly QuestionSubject[] } {
    const { found, left } = this;
    this.found = [];
    this.left = [];
    for (const { subject } of found) this.underWay.delete(subject.incident);
    return { found, left };
  }

  /** What is over needs no remembering. */
  forget(incident: string): void {
    this.leftOut.delete(incident);
  }

  private async begin(subject: QuestionSubject, peers: readonly Peer[]): Promise<void> {
    const { clock, signal } = this.options;
    const startedMs = clock.monotonic();
    const peerAnswered = await askAll(peers, subject.question, this.options);
    if (signal.aborted) return;
    this.found.push({ subject, heard: peerAnswered, tookMs: clock.monotonic() - startedMs });
  }
}
