/** What happened in a test that failed, in one order of time: facts, decisions, messages, and what was missed. */
import { toldText, wantedText } from './words.ts';
import type { Failure } from './judge.ts';
import type { Decided, Told } from './play/played.ts';
import type { TestResult } from './report.ts';

export interface Moment {
  readonly atMs: number;
  /** Whether it is what was expected; null: it only explains. */
  readonly isRight: boolean | null;
  /** `told`, `expected`, or a verdict; empty for a fact. */
  readonly word: string;
  readonly text: string;
}

/** Only what concerns the monitors that a failure speaks of, when it speaks of any. */
export function timelineOf({ played, verdict }: Pick<TestResult, 'played' | 'verdict'>): readonly Moment[] {
  const about = new Set(verdict.failures.flatMap(monitorsOf));
  const concerns = (monitor: string | null) => about.size === 0 || monitor === null || about.has(monitor);
  const missing = verdict.failures.flatMap((failure): Moment[] => {
    if (failure.kind !== 'missing') return [];
    const { wanted } = failure;
    return [{ atMs: wanted.fromMs, isRight: false, word: 'expected', text: wantedText(wanted) }];
  });
  const isStray = (told: Told) => !verdict.met.has(told);
  const moments: readonly Moment[] = [
    ...played.happened
      .filter(({ monitor }) => concerns(monitor))
      .map(({ atMs, text }): Moment => ({ atMs, isRight: null, word: '', text })),
    ...played.decided
      .filter(({ verdict: word, monitor }) => word !== 'told' && concerns(monitor))
      .map(decidedMoment),
    ...missing,
    ...played.told
      .filter((told) => isStray(told) || concerns(told.monitor))
      .map(
        (told): Moment => ({
          atMs: told.atMs,
          isRight: !isStray(told),
          word: 'told',
          text: toldText(told),
        }),
      ),
  ];
  // Sorting keeps the order of equals: facts, what was decided, what was told.
  return moments.toSorted((a, b) => a.atMs - b.atMs);
}

function decidedMoment({ atMs, monitor, verdict, channel, event, detail }: Decided): Moment {
  const what = monitor === null ? event : `${event} ${monitor}`;
  const about = channel === null ? what : `${channel} (${what})`;
  return { atMs, isRight: null, word: verdict, text: `${about}: ${detail}` };
}

function monitorsOf(failure: Failure): readonly string[] {
  switch (failure.kind) {
    case 'missing':
      return [
        ...named(failure.wanted.monitor, failure.wanted.impacted ?? []),
        ...(failure.instead === null ? [] : namedIn(failure.instead)),
      ];
    case 'state':
      return [failure.wanted.monitor];
    case 'unexpected':
    case 'not_nothing':
      return namedIn(failure.told);
  }
}

function namedIn({ monitor, impacted, cause }: Told): readonly string[] {
  return [...named(monitor, impacted), ...(cause === null ? [] : [cause])];
}

function named(monitor: string | null, others: readonly string[]): readonly string[] {
  return monitor === null ? others : [monitor, ...others];
}
