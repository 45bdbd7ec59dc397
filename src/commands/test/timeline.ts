/** What happened in a test that failed, in one order of time: facts, decisions, messages, and what was missed. */
import { notifiedText, wantedText } from './words.ts';
import type { TestFailure } from './judge.ts';
import type { Decided, Notified } from './runner/test-run.ts';
import type { TestResult } from './report.ts';

export interface TestMoment {
  readonly atMs: number;
  /** Whether it is what was expected; null: it only explains. */
  readonly isRight: boolean | null;
  /** `told`, `expected`, or a verdict; empty for a fact. */
  readonly word: string;
  readonly text: string;
}

/** Only what concerns the monitors that a failure speaks of, when it speaks of any. */
export function timelineOf({
  played,
  verdict,
}: Pick<TestResult, 'played' | 'verdict'>): readonly TestMoment[] {
  const about = new Set(verdict.failures.flatMap(monitorsOf));
  const concerns = (monitor: string | null) => about.size === 0 || monitor === null || about.has(monitor);
  const missing = verdict.failures.flatMap((failure): TestMoment[] => {
    if (failure.kind !== 'missing') return [];
    const { wanted } = failure;
    return [{ atMs: wanted.fromMs, isRight: false, word: 'expected', text: wantedText(wanted) }];
  });
  const isStray = (notified: Notified) => !verdict.met.has(notified);
  const moments: readonly TestMoment[] = [
    ...played.happened
      .filter(({ monitor }) => concerns(monitor))
      .map(({ atMs, text }): TestMoment => ({ atMs, isRight: null, word: '', text })),
    ...played.decided
      .filter(({ verdict: word, monitor }) => word !== 'told' && concerns(monitor))
      .map(decidedMoment),
    ...missing,
    ...played.notified
      .filter((notified) => isStray(notified) || concerns(notified.monitor))
      .map(
        (notified): TestMoment => ({
          atMs: notified.atMs,
          isRight: !isStray(notified),
          word: 'told',
          text: notifiedText(notified),
        }),
      ),
  ];
  // Sorting keeps the order of equals: facts, what was decided, what was told.
  return moments.toSorted((a, b) => a.atMs - b.atMs);
}

function decidedMoment({ atMs, monitor, verdict, channel, event, detail }: Decided): TestMoment {
  const what = monitor === null ? event : `${event} ${monitor}`;
  const about = channel === null ? what : `${channel} (${what})`;
  return { atMs, isRight: null, word: verdict, text: `${about}: ${detail}` };
}

function monitorsOf(failure: TestFailure): readonly string[] {
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
      return namedIn(failure.notified);
  }
}

function namedIn({ monitor, impacted, cause }: Notified): readonly string[] {
  return [...named(monitor, impacted), ...(cause === null ? [] : [cause])];
}

function named(monitor: string | null, others: readonly string[]): readonly string[] {
  return monitor === null ? others : [monitor, ...others];
}
