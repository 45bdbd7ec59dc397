/** Merges events and decisions into one timeline. */
import { durationText, shownSpanMs } from '../core/duration.ts';
import { reasons, verdicts } from '../alerting/reasons.ts';
import {
  ackWithdrawn,
  type DecisionFacts,
  type EventFacts,
  type IncidentFacts,
  type IncidentUpdateFacts,
} from '../core/record.ts';
import { kindOf } from './incident.ts';
import { inWords } from '../core/words.ts';

/** `happened`: a fact of the record. Any other kind: what was decided. */
export const momentKinds = ['happened', ...verdicts] as const;

export interface TimelineMoment {
  readonly at: number;
  readonly kind: (typeof momentKinds)[number];
  /** Null where it is about all channels, or none. */
  readonly channel: string | null;
  readonly event: string | null;
  /** The word that metrics count; null for what happened. */
  readonly reason: string | null;
  readonly text: string;
  /** How often in a row the same was decided; `at` is the first time. */
  readonly times: number;
}

interface TimelineFacts {
  readonly incident: IncidentFacts | null;
  readonly updates?: readonly IncidentUpdateFacts[];
  readonly events?: readonly EventFacts[];
  readonly decisions: readonly DecisionFacts[];
  /** Decisions are no part of it: they name channels. */
  readonly isPublic?: boolean;
  /** How the other monitors of the incident are called; default: by their ids. */
  readonly nameOf?: (id: string) => string;
}

export function timelineOf({
  incident,
  updates = [],
  events = [],
  decisions,
  isPublic = false,
  nameOf = (id) => id,
}: TimelineFacts): readonly TimelineMoment[] {
  const happened = [
    ...events.map(({ at, title }) => happening(at, `Changed: ${sentenceEnd(title)}`)),
    ...(incident === null
      ? []
      : [...incidentMoments(incident, { decisions, nameOf }), ...acknowledgedMoments(incident)]),
    ...updates.map(updateMoment),
  ];
  const decided = isPublic ? [] : decisions.map(momentOf);
  // Sorting keeps the order of equals: what happened stands before what was decided about it.
  const ordered = [...happened, ...decided].toSorted((a, b) => a.at - b.at);
  return withoutRepeats(ordered);
}

/** What a decision says in full: its own sentence, else that of the catalogue, else the bare word. */
export function sentenceOf({ detail, reason }: Pick<DecisionFacts, 'detail' | 'reason'>): string {
  if (detail !== null && detail !== '') return detail;
  return Object.hasOwn(reasons, reason)
    ? reasons[reason as keyof typeof reasons]
    : reason.replaceAll('_', ' ');
}

function incidentMoments(
  incident: IncidentFacts,
  { decisions, nameOf }: Required<Pick<TimelineFacts, 'decisions' | 'nameOf'>>,
): readonly TimelineMoment[] {
  const { startedAt, confirmedAt, endedAt, reason, category, latest, cause, impacted } = incident;
  const newReason = latest?.reason ?? latest?.category ?? null;
  // Kept is why the check failed that confirmed it; the first may have failed of something else.
  const said = reason ?? category;
  const why = said === null ? '.' : `: ${sentenceEnd(said)}`;
  const end = (words: string) => {
    if (endedAt === null) return [];
    const lasted = durationText(shownSpanMs(startedAt, endedAt));
    const text = isEndedByRemoval(incident, decisions)
      ? `It left the configuration after ${lasted}; whether it recovered is not known.`
      : `${words}, after ${lasted}.`;
    return [happening(endedAt, text)];
  };
  if (kindOf(incident) === 'unknown') {
    return [
      happening(startedAt, 'The first check could not be made.'),
      happening(confirmedAt, `It was confirmed that it cannot be checked${why}`),
      ...end('It could be checked again'),
    ];
  }
  return [
    happening(startedAt, 'The first check failed.'),
    happening(confirmedAt, `It was confirmed down${why}`),
    ...(cause === null ? [] : [happening(confirmedAt, `Its root cause is ${nameOf(cause)}.`)]),
    ...(impacted.length === 0
      ? []
      : [happening(confirmedAt, `It took ${inWords(impacted.map(nameOf), 6)} with it.`)]),
    ...(latest === null || newReason === null
      ? []
      : [happening(latest.sinceAt, `It failed for another reason: ${sentenceEnd(newReason)}`)]),
    ...end('It was up again'),
  ];
}

/** What decided so says it: to the channels that knew of it, or to none. */
function isEndedByRemoval({ uid }: IncidentFacts, decisions: readonly DecisionFacts[]): boolean {
  return decisions.some(
    ({ incident, event, channel, reason }) =>
      incident === uid &&
      event === 'recovered' &&
      (reason === 'no_longer_monitored' || (reason === 'monitor_removed' && channel === null)),
  );
}

/** `Acknowledged (ops): on it.` */
function acknowledgedMoments({ acknowledged, carriedFrom }: IncidentFacts): readonly TimelineMoment[] {
  if (acknowledged === null) return [];
  const { at, by, reason } = acknowledged;
  const who = by === null ? 'Acknowledged' : `Acknowledged (${by})`;
  const words = carriedFrom === null ? who : `${who}, carried over from the outage before`;
  return [happening(at, reason === null ? `${words}.` : `${words}: ${sentenceEnd(reason)}`)];
}

/** `Identified (root): a full disk.` */
function updateMoment({ at, state, message, author }: IncidentUpdateFacts): TimelineMoment {
  const word = state === null ? 'Update' : `${state.charAt(0).toUpperCase()}${state.slice(1)}`;
  const by = author === null ? word : `${word} (${author})`;
  return happening(at, message === null ? `${by}.` : `${by}: ${sentenceEnd(message)}`);
}

function sentenceEnd(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function happening(at: number, text: string): TimelineMoment {
  return { at, kind: 'happened', channel: null, event: null, reason: null, text, times: 1 };
}

function momentOf(decision: DecisionFacts): TimelineMoment {
  const { at, verdict, channel, event, reason } = decision;
  if (reason === ackWithdrawn) return happening(at, sentenceOf(decision));
  const kind = verdicts.find((known) => known === verdict) ?? 'spared';
  return { at, kind, channel, event, reason, text: sentenceOf(decision), times: 1 };
}

function withoutRepeats(moments: readonly TimelineMoment[]): readonly TimelineMoment[] {
  const kept: TimelineMoment[] = [];
  for (const moment of moments) {
    const last = kept.at(-1);
    if (last !== undefined && isSame(last, moment))
      kept[kept.length - 1] = { ...last, times: last.times + 1 };
    else kept.push(moment);
  }
  return kept;
}

function isSame(a: TimelineMoment, b: TimelineMoment): boolean {
  return a.kind === b.kind && a.channel === b.channel && a.event === b.event && a.text === b.text;
}
