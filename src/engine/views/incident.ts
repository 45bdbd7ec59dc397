/** One incident of the record as a reader gets it: whole for those who may see everything, safe for strangers. */
import type { IncidentFacts } from '../core/record.ts';
import { wholeSecs } from '../core/duration.ts';
import { rfc3339 } from '../core/instant.ts';
import type { Answer } from '../core/probe.ts';
import { anonymousVantage, readVantage, vantageWords } from './vantage.ts';
import { errorText, sentenceOf } from './page-wording.ts';
import type { SeenFrom } from '../alerting/events/outage.ts';

/** `down`: an outage. `unknown`: the monitor could not be checked, which says nothing about its target. */
export const incidentKinds = ['down', 'unknown'] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** `is down`, `was down`; `cannot be checked`, `could not be checked`. */
export function stateInWords(kind: IncidentKind, isOpen: boolean): string {
  switch (kind) {
    case 'down':
      return isOpen ? 'is down' : 'was down';
    case 'unknown':
      return isOpen ? 'cannot be checked' : 'could not be checked';
  }
}

export function kindOf({ ownFault }: Pick<IncidentFacts, 'ownFault'>): IncidentKind {
  return ownFault === null ? 'down' : 'unknown';
}

/** Who reads it. */
export interface IncidentReader {
  /** For the length of an open incident. */
  readonly nowAt: number;
  /** May see everything: the operator, an authenticated viewer. */
  readonly isTrusted: boolean;
  /** `public_error_detail` of the monitor: strangers may see why it failed. */
  readonly isDetailPublic: boolean;
  /** Whether a monitor may be named to this reader. */
  readonly isVisible: (monitor: string) => boolean;
}

/**
 * The JSON of an incident, keys in the order of the interface. `error` is what may be shown: the reason in full or,
 * to strangers, its category. Strangers get no `id` (numbers have gaps where private incidents are), `reason`,
 * `snapshot` or verdicts of other nodes unless the monitor's detail is public, never the names and words of these, and no
 * private cause.
 */
export function incidentView(facts: IncidentFacts, reader: IncidentReader) {
  const { isTrusted, isDetailPublic, isVisible, nowAt } = reader;
  const hasDetail = isTrusted || isDetailPublic;
  const { endedAt, reason, category, cause } = facts;
  return {
    ...(isTrusted ? { id: facts.id } : {}),
    uid: facts.uid,
    monitor: facts.monitor,
    name: facts.name,
    kind: kindOf(facts),
    started_at: rfc3339(facts.startedAt),
    confirmed_at: rfc3339(facts.confirmedAt),
    ended_at: endedAt === null ? null : rfc3339(endedAt),
    duration_secs: lengthSecs(facts, nowAt),
    reason: hasDetail ? reason : null,
    error: hasDetail ? (reason ?? category) : category,
    cause: cause === null || isTrusted || isVisible(cause) ? cause : null,
    impacted: isTrusted ? facts.impacted : facts.impacted.filter(isVisible),
    note: facts.note,
    ...(hasDetail ? { snapshot: snapshotView(facts.snapshot) } : {}),
    vantage: hasDetail ? vantageView(facts, isTrusted) : null,
  };
}

export type IncidentView = ReturnType<typeof incidentView>;

/** The whole of an incident, for a reader who may see everything. */
export function wholeIncident(facts: IncidentFacts, nowAt: number): IncidentView {
  return incidentView(facts, { nowAt, isTrusted: true, isDetailPublic: true, isVisible: () => true });
}

/** Whole seconds from the first failure to the end, or to now; never negative, whatever the clock did. */
export function lengthSecs(
  { startedAt, endedAt }: Pick<IncidentFacts, 'startedAt' | 'endedAt'>,
  nowAt: number,
): number {
  return wholeSecs((endedAt ?? nowAt) - startedAt);
}

function vantageView({ vantage }: IncidentFacts, isTrusted: boolean): readonly SeenFrom[] | null {
  const views = readVantage(vantage);
  return views === null || isTrusted ? views : anonymousVantage(views);
}

function snapshotView(snapshot: Answer | null) {
  if (snapshot === null) return null;
  const { statusLine, headers, moreHeaders, body } = snapshot;
  return {
    status_line: statusLine,
    headers,
    ...(moreHeaders !== undefined && { more_headers: moreHeaders }),
    body,
  };
}

/** Why, because of what, seen from where, and what else; each ends with a full stop. The note is not among them. */
export function circumstancesOf(
  {
    error,
    cause,
    impacted,
    vantage = null,
  }: Pick<IncidentView, 'error' | 'cause' | 'impacted'> & Partial<Pick<IncidentView, 'vantage'>>,
  nameOf: (id: string) => string,
): string[] {
  const reason = errorText(error);
  const sentences: string[] = [];
  if (reason !== null && reason !== '') sentences.push(sentenceOf(reason));
  if (cause !== null) sentences.push(`Because of ${nameOf(cause)}.`);
  sentences.push(...vantageWords(vantage ?? []).map(sentenceOf));
  if (impacted.length > 0) sentences.push(`Also affects ${impacted.map(nameOf).join(', ')}.`);
  return sentences;
}
