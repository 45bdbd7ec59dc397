/** Probes a target a few times, a moment apart, and keeps the answers. */
import type { Clock } from '../../engine/core/clock.ts';
import type { ProbeResult } from '../../engine/core/probe.ts';
import type { ProbeQuestion, WantedTarget } from './target.ts';

/** Enough to see a slow one among fast ones, few enough to wait for. */
export const probeCount = 4;
export const gapMs = 300;

export interface Measurement {
  readonly wanted: WantedTarget;
  /** The question that was answered; the first one when none was. */
  readonly question: ProbeQuestion;
  /** In order. Never empty. */
  readonly results: readonly [ProbeResult, ...ProbeResult[]];
}

export interface Measuring {
  readonly probe: (question: ProbeQuestion) => Promise<ProbeResult>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Tries the questions in turn until one is answered, then asks that one until it was asked `probeCount` times.
 * A target that answers none of them is given one more chance, because the first packet to a quiet host is
 * easily lost.
 */
export async function measure(wanted: WantedTarget, measuring: Measuring): Promise<Measurement> {
  const { probe, clock, signal } = measuring;
  const firsts: [ProbeQuestion, ProbeResult][] = [];
  for (const question of wanted.questions) {
    const result = await probe(question);
    firsts.push([question, result]);
    if (hasAnswered(result)) break;
  }
  const kept =
    firsts.find(([, result]) => hasAnswered(result)) ?? firsts.find(([, result]) => isJudged(result));
  const [question, first] = kept ?? firsts[0] ?? [wanted.questions[0], await probe(wanted.questions[0])];
  const results: [ProbeResult, ...ProbeResult[]] = [first];
  const wantedCount = hasAnswered(first) ? probeCount : 2;
  while (results.length < wantedCount) {
    await clock.sleep(gapMs, signal);
    results.push(await probe(question));
  }
  return { wanted, question, results };
}

/** Whether there was an answer; that of another origin, after a redirect, was judged and is not kept. */
function isJudged({ answer, assertions }: ProbeResult): boolean {
  return answer !== null || assertions.length > 0;
}

/** Whether the target answered as expected, with or without a warning. */
export function hasAnswered({ outcome }: ProbeResult): boolean {
  return outcome === 'healthy' || outcome === 'degraded';
}
