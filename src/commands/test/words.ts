/** Puts messages, expectations and failures into words. */
import { offsetText } from './format/times.ts';
import type { ExpectedMessage, ExpectedNothing, ExpectedState } from './format/test-file.ts';
import type { TestFailure } from './judge.ts';
import type { PlayedMonitor, Notified } from './runner/test-run.ts';

/** `ops: down api, naming web`. */
export function notifiedText({ channel, event, monitor, impacted, cause, isLate }: Notified): string {
  return `${channel}: ${subject(event, monitor)}${aside({ impacted, cause, isLate })}`;
}

export function wantedText({ channel, event, monitor, impacted, cause, isLate }: ExpectedMessage): string {
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
