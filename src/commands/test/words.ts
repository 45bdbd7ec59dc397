/** Puts messages, expectations and failures into words. */
import { offsetText } from './format/times.ts';
import type { ExpectedMessage, ExpectedNothing, ExpectedState } from './format/test-file.ts';
import type { Failure } from './judge.ts';
import type { Shown, Told } from './play/played.ts';

/** `ops: down api, naming web`. */
export function toldText({ channel, event, monitor, impacted, cause, isLate }: Told): string {
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

function aside({ impacted, cause, isLate }: Pick<Told, 'impacted' | 'cause' | 'isLate'>): string {
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
export function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'missing':
      return missingText(failure.wanted, failure.instead);
    case 'unexpected':
      return `not expected ${timeIn(failure.told)}: ${toldText(failure.told)}`;
    case 'not_nothing':
      return `expected nothing ${scopeText(failure.wanted)}; told ${timeIn(failure.told)}: ${toldText(failure.told)}`;
    case 'state':
      return stateText(failure.wanted, failure.shown);
  }
}

function missingText(wanted: ExpectedMessage, instead: Told | null): string {
  const what = `expected ${timeText(wanted)}: ${wantedText(wanted)}`;
  return instead === null
    ? `${what}; it was never told`
    : `${what}; told ${timeIn(instead)}: ${toldText(instead)}`;
}

function timeIn({ atMs }: Told): string {
  return `at ${offsetText(atMs)}`;
}

function scopeText(wanted: ExpectedNothing): string {
  const of = wanted.monitor === null ? '' : `of ${wanted.monitor} `;
  const through = wanted.channels === null ? '' : `through ${wanted.channels.join(', ')} `;
  return `${of}${through}${timeText(wanted)}`;
}

function stateText({ atMs, monitor, status, hasIncident }: ExpectedState, shown: Shown | null): string {
  const expected = [
    ...(status === null ? [] : [status]),
    ...(hasIncident === null ? [] : [incidentText(hasIncident)]),
  ].join(', ');
  const was =
    shown === null
      ? 'the test was over by then'
      : `it was ${[shown.status, ...(hasIncident === null ? [] : [incidentText(shown.hasIncident)])].join(', ')}`;
  return `expected at ${offsetText(atMs)}: ${monitor} ${expected}; ${was}`;
}

function incidentText(isOpen: boolean): string {
  return isOpen ? 'with an open incident' : 'without an open incident';
}
