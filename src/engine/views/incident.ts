/** One incident as a viewer gets it: whole for operators, redacted for the public. */
import {
  type IncidentFacts,
  incidentStates,
  type IncidentImpact,
  type IncidentUpdateFacts,
  type OperatorIncidentFacts,
} from '../core/record.ts';
import { shownSpanMs, wholeSecs } from '../core/duration.ts';
import { rfc3339 } from '../core/instant.ts';
import { reasonsText } from '../core/latest-reason.ts';
import type { Answer } from '../core/probe.ts';
import { anonymousVantage, readVantage, vantageWords } from './vantage.ts';
import { errorText, sentenceOf } from './page-wording.ts';
import type { SeenFrom } from '../alerting/events/outage.ts';
import { counted } from '../core/words.ts';

/**
 * `down`: an outage. `unknown`: the monitor could not be checked, which says nothing about its target. `operator`: opened
 * by hand, which counts for no uptime.
 */
export const incidentKinds = ['down', 'unknown', 'operator'] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** `detected`: a monitor opened it, and nobody said more so far. */
export const shownStates = ['detected', ...incidentStates] as const;
type ShownState = (typeof shownStates)[number];

/** `is down`, `was down`; `cannot be checked`, `could not be checked`; `is open`, `was open`. */
export function stateInWords(kind: IncidentKind, isOpen: boolean): string {
  switch (kind) {
    case 'down':
      return isOpen ? 'is down' : 'was down';
    case 'unknown':
      return isOpen ? 'cannot be checked' : 'could not be checked';
    case 'operator':
      return isOpen ? 'is open' : 'was open';
  }
}

export function kindOf({ ownFault }: Pick<IncidentFacts, 'ownFault'>): Exclude<IncidentKind, 'operator'> {
  return ownFault === null ? 'down' : 'unknown';
}

/** Who reads it. */
export interface IncidentReader {
  /** For the length of an open incident. */
  readonly nowAt: number;
  /** May see everything: the operator, an authenticated viewer. */
  readonly isTrusted: boolean;
  /** `public_error_detail` of the monitor: why it failed is public. */
  readonly isDetailPublic: boolean;
  /** Whether a monitor may be named to this reader. */
  readonly isVisible: (monitor: string) => boolean;
  /** `critical` of a monitor: its outage alone is a major one. */
  readonly isCritical: (monitor: string) => boolean;
}

/** What happened to an incident or was said about it. */
export interface UpdateView {
  readonly uid: string;
  readonly at: string;
  /** The state from then on. */
  readonly state: ShownState;
  readonly message: string | null;
  /** Who said it, for those who may see everything; null: it happened by itself. */
  readonly author?: string | null;
}

/**
 * The JSON of an incident, keys in the order of the interface; the newest update first. One that an operator opened has
 * its title for a name and no `monitor`; `monitors` are those it is about. `error` is what may be shown: the reason in
 * full or, to the public, its category. The public gets no `id` (numbers have gaps where private incidents are), `reason`,
 * `snapshot` or verdicts of other nodes unless the monitor's detail is public, never the names and words of these, no
 * private cause or monitor, and no author.
 */
export function incidentView(
  facts: IncidentFacts | OperatorIncidentFacts,
  reader: IncidentReader,
  said: readonly IncidentUpdateFacts[] = [],
) {
  const { isTrusted, isVisible, nowAt } = reader;
  const { endedAt } = facts;
  const isShown = (monitor: string) => isTrusted || isVisible(monitor);
  const updates = updateViews(facts, said, isTrusted);
  return {
    ...(isTrusted ? { id: facts.id } : {}),
    uid: facts.uid,
    monitor: facts.monitor,
    name: facts.monitor === null ? facts.title : facts.name,
    kind: facts.monitor === null ? 'operator' : (kindOf(facts) as IncidentKind),
    started_at: rfc3339(facts.startedAt),
    confirmed_at: rfc3339(facts.monitor === null ? facts.startedAt : facts.confirmedAt),
    ended_at: endedAt === null ? null : rfc3339(endedAt),
    duration_secs: lengthSecs(facts, nowAt),
    ...(facts.monitor === null ? withoutOutage(facts.note, isTrusted) : outageView(facts, reader)),
    state: updates[0]?.state ?? 'investigating',
    impact: impactOf(facts, reader),
    acknowledged: facts.monitor === null ? null : acknowledgedView(facts, isTrusted),
    monitors: facts.monitor === null ? facts.monitors.filter(isShown) : [facts.monitor],
    updates,
  };
}

/** Since when someone is working on it; who and why, for those who may see everything. */
function acknowledgedView(
  { acknowledged, carriedFrom }: IncidentFacts,
  isTrusted: boolean,
): AcknowledgedView | null {
  if (acknowledged === null) return null;
  const { at, by, reason } = acknowledged;
  return { at: rfc3339(at), ...(isTrusted ? { by, reason, carried_from: carriedFrom } : {}) };
}

export interface AcknowledgedView {
  readonly at: string;
  readonly by?: string | null;
  readonly reason?: string | null;
  /** The uid of the incident before that was acknowledged and had ended less than 10 minutes earlier; null: it was none. */
  readonly carried_from?: string | null;
}

export type IncidentView = ReturnType<typeof incidentView>;

/** What only an incident of a monitor has. */
function outageView(facts: IncidentFacts, { isTrusted, isDetailPublic, isVisible }: IncidentReader) {
  const hasDetail = isTrusted || isDetailPublic;
  const { reason, category, cause } = facts;
  return {
    reason: hasDetail ? reason : null,
    error: hasDetail ? (reason ?? category) : category,
    latest_reason: latestReasonView(facts, hasDetail),
    cause: cause === null || isTrusted || isVisible(cause) ? cause : null,
    impacted: isTrusted ? facts.impacted : facts.impacted.filter(isVisible),
    note: facts.note,
    ...(hasDetail ? { snapshot: snapshotView(facts.snapshot) } : {}),
    vantage: hasDetail ? vantageView(facts, isTrusted) : null,
  };
}

/** Why its checks fail by now; without the reasons themselves two of one category are one. */
function latestReasonView({ latest, category }: IncidentFacts, hasDetail: boolean): LatestReasonView | null {
  if (latest === null || (!hasDetail && latest.category === category)) return null;
  const reason = hasDetail ? latest.reason : null;
  return { since: rfc3339(latest.sinceAt), reason, error: reason ?? latest.category };
}

interface LatestReasonView {
  readonly since: string;
  readonly reason: string | null;
  readonly error: string | null;
}

/** Why it was, or is, down, in words that end without a full stop: all its reasons that the reader may know. */
export function whyOf({
  error,
  latest_reason: latest = null,
  started_at,
}: Pick<IncidentView, 'error'> & Partial<Pick<IncidentView, 'latest_reason' | 'started_at'>>): string | null {
  const first = errorText(error);
  const words = errorText(latest?.error ?? null);
  if (latest === null || words === null || started_at === undefined) return first;
  // A category in words is a sentence; a reason is none.
  const clause = words === latest.error ? words : words.replace(/^It /, 'it ');
  return reasonsText({
    first,
    latest: { reason: words === first ? words : clause, sinceAt: Date.parse(latest.since) },
    startedAt: Date.parse(started_at),
  });
}

/** The whole of an incident, for a reader who may see everything. */
export function wholeIncident(
  facts: IncidentFacts | OperatorIncidentFacts,
  own: Pick<IncidentReader, 'nowAt' | 'isCritical'>,
  said: readonly IncidentUpdateFacts[] = [],
): IncidentView {
  const reader = { ...own, isTrusted: true, isDetailPublic: true, isVisible: () => true };
  return incidentView(facts, reader, said);
}

/** The outage of a critical monitor is a major one, of any other a partial one; a monitor that cannot be checked has none. */
function impactOf(
  facts: IncidentFacts | OperatorIncidentFacts,
  { isCritical }: Pick<IncidentReader, 'isCritical'>,
): IncidentImpact {
  if (facts.monitor === null) return facts.impact;
  if (facts.ownFault !== null) return 'none';
  return isCritical(facts.monitor) ? 'major' : 'partial';
}

/** Which of the configured monitors are critical. */
export function criticalAmong(
  monitors: readonly { readonly id: string; readonly critical: boolean }[],
): IncidentReader['isCritical'] {
  return (monitor) => monitors.some(({ id, critical }) => critical && id === monitor);
}

/**
 * The newest first. One of a monitor is detected and resolved by itself, at its confirmation and its end; what is said
 * afterwards no longer changes its state.
 */
function updateViews(
  facts: IncidentFacts | OperatorIncidentFacts,
  said: readonly IncidentUpdateFacts[],
  isTrusted: boolean,
): readonly UpdateView[] {
  const { uid, monitor, endedAt } = facts;
  const own = (at: number, state: ShownState) => {
    return { uid: `${uid}.${state}`, at, state, message: null, author: null };
  };
  const all = [
    ...(monitor === null ? [] : [own(facts.confirmedAt, 'detected')]),
    ...said,
    ...(monitor === null || endedAt === null ? [] : [own(endedAt, 'resolved')]),
  ].toSorted((a, b) => a.at - b.at);
  let state: ShownState = monitor === null ? 'investigating' : 'detected';
  return all
    .map((update) => {
      if (state !== 'resolved') state = update.state ?? state;
      const { at, message, author } = update;
      const by = isTrusted ? { author } : {};
      return { uid: update.uid, at: rfc3339(at), state, message, ...by };
    })
    .toReversed();
}

function withoutOutage(note: string | null, isTrusted: boolean): ReturnType<typeof outageView> {
  const detail = isTrusted ? { snapshot: null } : {};
  return {
    reason: null,
    error: null,
    latest_reason: null,
    cause: null,
    impacted: [],
    note,
    ...detail,
    vantage: null,
  };
}

/** How long it lasted by the times that are shown of it; one that is open, up to now. */
export function shownLengthMs({
  started_at,
  ended_at,
  duration_secs,
}: Pick<IncidentView, 'started_at' | 'ended_at' | 'duration_secs'>): number {
  return ended_at === null ? duration_secs * 1000 : shownSpanMs(Date.parse(started_at), Date.parse(ended_at));
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

/** The headers of an answer as lines, and how many more there were. */
export function headerLines(headers: Answer['headers'], more: number | undefined): readonly string[] {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return more === undefined ? lines : [...lines, `… ${counted(more, 'more header')}`];
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
    cause,
    impacted,
    vantage = null,
    kind = 'down',
    monitors = [],
    ...why
  }: Pick<IncidentView, 'error' | 'cause' | 'impacted'> &
    Partial<Pick<IncidentView, 'vantage' | 'kind' | 'monitors' | 'latest_reason' | 'started_at'>>,
  nameOf: (id: string) => string,
): string[] {
  const reason = whyOf(why);
  const sentences: string[] = [];
  if (reason !== null && reason !== '') sentences.push(sentenceOf(reason));
  if (cause !== null) sentences.push(`Because of ${nameOf(cause)}.`);
  sentences.push(...vantageWords(vantage ?? []).map(sentenceOf));
  if (kind === 'operator' && monitors.length > 0)
    sentences.push(`Affects ${monitors.map(nameOf).join(', ')}.`);
  if (impacted.length > 0) sentences.push(`Also affects ${impacted.map(nameOf).join(', ')}.`);
  return sentences;
}
