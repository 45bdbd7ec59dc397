/** Random histories of one monitor: samples, settings that change, restarts, a clock that steps. */
import type { CheckPolicy, ConfirmSample } from '../../../../src/engine/core/sample.ts';
import type { Random } from '../../../support/random.ts';

export type Step =
  | { readonly kind: 'sample'; readonly sample: ConfirmSample; readonly policy: CheckPolicy }
  /** A restart with everything stored, or with the incident record alone. */
  | { readonly kind: 'restart'; readonly keeps: 'all' | 'record' };

const intervalMs = 60_000;

/** Steps without end; a mood of the target lasts for a while, so that long streaks occur as well as flapping. */
export function* randomHistory(random: Random): Generator<Step, never> {
  let now = 1_800_000_000_000;
  let policy = randomPolicy(random);
  let mood = random.pick(moods);
  for (;;) {
    now += random.below(200) === 0 ? random.below(100) * intervalMs : intervalMs + random.below(50);
    if (random.below(500) === 0) now -= random.below(20) * intervalMs;
    if (random.below(40) === 0) policy = randomPolicy(random);
    if (random.below(12) === 0) mood = random.pick(moods);
    if (random.below(60) === 0) yield { kind: 'restart', keeps: random.below(5) === 0 ? 'record' : 'all' };
    yield { kind: 'sample', sample: randomSample(random, { now, mood }), policy };
  }
}

type Letter = 'u' | 's' | 'w' | 'f' | '?' | 'r' | 'l' | 'm';

const moods: readonly (readonly Letter[])[] = [
  ['u'],
  ['f'],
  ['s', 'w'],
  ['u', 'u', 'u', 'f'],
  ['f', 's'],
  ['f', 'f', '?'],
  ['u', 's', '?'],
  ['?'],
  ['r'],
  ['r', 'r', 'r', '?'],
  ['f', 'r'],
  ['u', 'l', 'm'],
  ['u', 'f', 's', 'w', '?', 'r', 'l', 'm'],
];

function randomSample(
  random: Random,
  { now, mood }: { readonly now: number; readonly mood: readonly Letter[] },
): ConfirmSample {
  const letter = random.pick(mood);
  const check = { kind: 'check' as const, at: now, latencyMs: random.pick([null, 20, 80, 100]) };
  switch (letter) {
    case 'u':
      return { ...check, outcome: 'healthy' };
    case 's':
      return { ...check, outcome: 'healthy', latencyMs: random.pick([101, 500, 5000]) };
    case 'w':
      return { ...check, outcome: 'degraded' };
    case 'f':
      return { ...check, outcome: 'failed' };
    case '?':
      return { ...check, outcome: 'unknown', latencyMs: null };
    case 'r':
      return {
        ...check,
        outcome: 'unknown',
        latencyMs: null,
        ownFault: random.pick(['resolver', 'descriptors']),
      };
    case 'l':
      return { kind: 'late', at: now, dueAt: now - random.below(1000) };
    case 'm':
      return { kind: 'missed', at: now, dueAt: now - random.below(20 * intervalMs) };
  }
}

function randomPolicy(random: Random): CheckPolicy {
  return {
    failThreshold: random.pick([1, 2, 3, 3, 5]),
    recoverThreshold: random.pick([1, 1, 2, 4]),
    degradedOverMs: random.pick([null, 100, 100, 1000]),
    forgetAfterMs: random.pick([null, 10 * intervalMs]),
  };
}
