/**
 * Recommends a degraded_over_ms.
 *
 * The limit starts a quarter above what 99.5 % of the answers of a usual day stay below. A usual day is the median
 * one, so that the slow evening which ought to be noticed does not raise the limit that should notice it. It is
 * rounded up to two significant digits, because nobody promises 847 ms. Then the history is replayed with it: when it
 * would have meant more than two degraded spells a week, or more than 2 % of the time, it is raised by a quarter and
 * tried again, at most eight times.
 *
 * A limit that is set says what the operator cares about, so it stays unless it is exceeded too often. None below
 * 100 ms is recommended: it would not be noticed.
 */
import { countOver, type Latencies } from './latency.ts';

/** What a limit would have meant. */
export interface LimitTrial {
  readonly limitMs: number;
  /** Confirmed degradations. */
  readonly spells: number;
  readonly spellMs: number;
  /** Answers over the limit. */
  readonly slow: number;
}

export type LimitWord =
  | 'none_set'
  | 'too_tight'
  | 'never_reached'
  | 'fits'
  | 'no_latency'
  | 'too_few'
  | 'too_erratic'
  | 'beyond_timeout';

export interface LimitAdvice {
  /** The limit to have; null: none. */
  readonly limitMs: number | null;
  readonly reason: LimitWord;
  /** What was tried, the present one first. */
  readonly trials: readonly LimitTrial[];
}

export interface LimitFacts {
  readonly latencies: Latencies;
  /** Null: none is set. */
  readonly presentMs: number | null;
  /** No answer takes longer; null: there is no such bound. */
  readonly timeoutMs: number | null;
  readonly watchedMs: number;
  /** Replays the history with a limit. */
  readonly tryLimit: (limitMs: number) => { readonly spells: number; readonly spellMs: number };
}

export const limitRule = {
  leastAnswers: 1000,
  margin: 1.25,
  tries: 8,
  spellsPerWeek: 2,
  timeShare: 0.02,
  leastMs: 100,
} as const;

const weekMs = 7 * 86_400_000;

export function adviseLimit(facts: LimitFacts): LimitAdvice {
  const { latencies, presentMs, timeoutMs } = facts;
  const stay = (reason: LimitWord, trials: readonly LimitTrial[] = []): LimitAdvice => ({
    limitMs: presentMs,
    reason,
    trials,
  });
  if (latencies.sorted.length === 0) return stay('no_latency');
  if (latencies.sorted.length < limitRule.leastAnswers || latencies.usualMs === null) return stay('too_few');
  const now = presentMs === null ? null : tried(presentMs, facts);
  const trials = now === null ? [] : [now];
  const found = search(latencies.usualMs * limitRule.margin, facts, trials);
  if (now !== null && isCalm(now, facts)) {
    const isIdle = now.slow === 0 && found !== null && found < now.limitMs;
    return stay(isIdle ? 'never_reached' : 'fits', trials);
  }
  if (found === null) return stay('too_erratic', trials);
  if (timeoutMs !== null && found >= timeoutMs) return stay('beyond_timeout', trials);
  return { limitMs: found, reason: now === null ? 'none_set' : 'too_tight', trials };
}

/** The smallest limit from `fromMs` on, in steps of a quarter, that is calm; each try is added to `trials`. */
function search(fromMs: number, facts: LimitFacts, trials: LimitTrial[]): number | null {
  let limitMs = twoDigitsUp(Math.max(limitRule.leastMs, fromMs));
  for (let count = 0; count < limitRule.tries; count++) {
    const trial = tried(limitMs, facts);
    trials.push(trial);
    if (isCalm(trial, facts)) return limitMs;
    limitMs = twoDigitsUp(limitMs * limitRule.margin);
  }
  return null;
}

function tried(limitMs: number, { latencies, tryLimit }: LimitFacts): LimitTrial {
  return { limitMs, slow: countOver(latencies.sorted, limitMs), ...tryLimit(limitMs) };
}

function isCalm({ spells, spellMs }: LimitTrial, { watchedMs }: LimitFacts): boolean {
  const weeks = Math.max(1, watchedMs / weekMs);
  return spells <= limitRule.spellsPerWeek * weeks && spellMs <= limitRule.timeShare * watchedMs;
}

/** Rounded up to two significant digits, in whole ms: 847 is 850, 1210 is 1300. */
export function twoDigitsUp(ms: number): number {
  const scale = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, ms))) - 1);
  return Math.ceil(ms / scale - 1e-9) * scale;
}
