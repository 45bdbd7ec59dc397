/** The timeline of a failed test: facts, decisions, messages, and what was expected and missing. */
import { verdictText, verdictWords } from '../../engine/alerting/reasons.ts';
import type { TestFailure } from './judge.ts';
import type { Decided, Notified, PlayedMonitor } from './runner/test-run.ts';
import type { TestResult } from './report.ts';
import { offsetText } from './format/times.ts';
import type { ExpectedMessage, ExpectedNothing, ExpectedState } from './format/test-file.ts';

export interface TestMoment {
  readonly atMs: number;
  /** Whether it is what was expected; null: it only explains. */
  readonly isRight: boolean | null;
  /** `sent`, `expected`, or what was decided; empty for a fact. */
  readonly word: string;
  readonly text: string;
}

/** Only what concerns the monitors that a failure is about, when it is about any. */
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
          word: verdictWords.told,
          text: notifiedText(notified),
        }),
      ),
  ];
  // Sorting keeps the order of equals: facts, what was decided, what was sent.
  return moments.toSorted((a, b) => a.atMs - b.atMs);
}

function decidedMoment({ atMs, monitor, verdict, channel, event, detail }: Decided): TestMoment {
  const what = monitor === null ? event : `${event} ${monitor}`;
  const about = channel === null ? what : `${channel} (${what})`;
  return { atMs, isRight: null, word: verdictText(verdict), text: `${about}: ${detail}` };
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

/** `ops: down api, naming web`. */
export function notifiedText({ channel, event, monitor, impacted, cause, isLate }: Notified): string {
  return `${channel}: ${subject(event, monitor)}${aside({ impacted, cause, isLate })}`;
}

function wantedText({ channel, event, monitor, impacted, cause, isLate }: ExpectedMessage): string {
  const named = impacted ?? [];
  const alone = impacted?.length === 0 ? ', naming nobody else' : '';
  return `${channel ?? ''}: ${subject(event, monitor)}${aside({ impacted: named, cause, isLate })}${alone}`;
}

function subject(event: string, monitor: string | null): string {
  return monitor === null ? event : `${event} ${monitor}`;
}

function aside({ impacted, cause, isLate }: Pick<Notified, 'impacted' | 'cause' | 'isLate'>): string {
  const named = impacted.length === 0 ? '' : `, naming ${impacted.join(', ')}`;
  return `${isLate ? ', late' : ''}${cause === null ? '' : `, because of ${cause}`}${named}`;
}

/** `at 2m30s`, `between 2m and 3m`. */
function timeText({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): string {
  if (toMs === Infinity) return fromMs === 0 ? 'at any time' : `from ${offsetText(fromMs)} on`;
  return fromMs === toMs
    ? `at ${offsetText(fromMs)}`
    : `between ${offsetText(fromMs)} and ${offsetText(toMs)}`;
}

/** What went wrong, in a sentence without its full stop. */
export function failureText(failure: TestFailure): string {
  switch (failure.kind) {
    case 'missing':
      return missingText(failure.wanted, failure.instead);
    case 'unexpected':
      return `not expected ${timeIn(failure.notified)}: ${notifiedText(failure.notified)}`;
    case 'not_nothing':
      return `expected nothing ${scopeText(failure.wanted)}; sent ${timeIn(failure.notified)}: ${notifiedText(failure.notified)}`;
    case 'state':
      return stateText(failure.wanted, failure.shown);
  }
}

function missingText(wanted: ExpectedMessage, instead: Notified | null): string {
  const what = `expected ${timeText(wanted)}: ${wantedText(wanted)}`;
  return instead === null
    ? `${what}; it was never sent`
    : `${what}; sent ${timeIn(instead)}: ${notifiedText(instead)}`;
}

function timeIn({ atMs }: Notified): string {
  return `at ${offsetText(atMs)}`;
}

function scopeText(wanted: ExpectedNothing): string {
  const of = wanted.monitor === null ? '' : `of ${wanted.monitor} `;
  const through = wanted.channels === null ? '' : `through ${wanted.channels.join(', ')} `;
  return `${of}${through}${timeText(wanted)}`;
}

function stateText(
  { atMs, monitor, status, hasIncident }: ExpectedState,
  playedMonitor: PlayedMonitor | null,
): string {
  const expected = [
    ...(status === null ? [] : [status]),
    ...(hasIncident === null ? [] : [incidentText(hasIncident)]),
  ].join(', ');
  const was =
    playedMonitor === null
      ? 'the test was over by then'
      : `it was ${[playedMonitor.status, ...(hasIncident === null ? [] : [incidentText(playedMonitor.hasIncident)])].join(', ')}`;
  return `expected at ${offsetText(atMs)}: ${monitor} ${expected}; ${was}`;
}

function incidentText(isOpen: boolean): string {
  return isOpen ? 'with an open incident' : 'without an open incident';
}
