/** Describes an outage in a sentence or two, with the channels that were notified. */
import { durationText, shownSpanMs } from '../core/duration.ts';
import { nearInstantText } from '../core/instant.ts';
import { reasonsText } from '../core/latest-reason.ts';
import { inWords } from '../core/words.ts';
import { recordedBy } from '../core/past-uid.ts';
import type { DecisionVerdict } from '../alerting/reasons.ts';
import { sentenceOf } from './explain-timeline.ts';
import { problemOf, remedyOf } from '../core/own-fault.ts';
import { withoutStop } from './page-wording.ts';
import { readVantage, vantageWords } from './vantage.ts';
import type { DecisionFacts, DeliveryFacts, IncidentFacts } from '../core/record.ts';
import { kindOf, stateInWords } from './incident.ts';

interface Notified {
  readonly nowAt: number;
  readonly decisions: readonly DecisionFacts[];
  readonly deliveries: readonly DeliveryFacts[];
}

export function incidentHeadline(incident: IncidentFacts, notified: Notified): readonly string[] {
  const { id, monitor, startedAt, endedAt, reason, category, latest, note } = incident;
  const { nowAt } = notified;
  const latestWhy = latest?.reason ?? latest?.category ?? null;
  const why = reasonsText({
    first: reason ?? category,
    latest: latest === null || latestWhy === null ? null : { reason: latestWhy, sinceAt: latest.sinceAt },
    startedAt,
  });
  const because = why === null ? '' : `: ${withoutStop(why)}`;
  const from = nearInstantText(startedAt, nowAt);
  const length = durationText(shownSpanMs(startedAt, endedAt ?? nowAt));
  const state = stateInWords(kindOf(incident), endedAt === null);
  const was =
    endedAt === null
      ? `Incident ${id}: ${monitor} ${state} since ${from}, for ${length}${because}.`
      : `Incident ${id}: ${monitor} ${state} from ${from} to ${nearInstantText(endedAt, nowAt)}, for ${length}${because}.`;
  const seen = vantageWords(readVantage(incident.vantage) ?? []).map((words) => `${words}.`);
  return [
    was,
    ...causeOf(incident),
    ...seen,
    notifiedSentence(incident, notified),
    ...acknowledgedSentence(incident, nowAt),
    ...(note === null ? [] : [`Note: ${note}`]),
  ];
}

function acknowledgedSentence(
  { acknowledged, carriedFrom }: IncidentFacts,
  nowAt: number,
): readonly string[] {
  if (acknowledged === null) return [];
  const { at, by, reason } = acknowledged;
  const who = by === null ? '' : ` by ${by}`;
  const why = reason === null ? '' : `: ${withoutStop(reason)}`;
  const carried = carriedFrom === null ? '' : ', carried over from the outage before';
  return [`Acknowledged${who} at ${nearInstantText(at, nowAt)}${carried}${why}.`];
}

/** What keeps this host from checking it, and what helps; nothing of an outage. */
function causeOf({ ownFault }: IncidentFacts): readonly string[] {
  return ownFault === null ? [] : [`The cause: ${problemOf(ownFault)}. ${remedyOf(ownFault)}.`];
}

/** The channels that took a message saying that it is, or was, down, or cannot be checked. */
export function notifiedChannels(
  uid: string,
  facts: Pick<Notified, 'decisions' | 'deliveries'>,
): readonly string[] {
  return [...new Set([...takers(uid, 'down', facts), ...takers(uid, 'unknown', facts)])];
}

/** The channels that took a message about an event of an incident, by the outbox or, once that is pruned, by the log. */
function takers(
  uid: string,
  wanted: 'down' | 'unknown' | 'recovered',
  { decisions, deliveries }: Pick<Notified, 'decisions' | 'deliveries'>,
): readonly string[] {
  const sent = deliveries
    .filter(({ incident, event, state }) => incident === uid && event === wanted && state === 'sent')
    .map(({ channel }) => channel);
  const notified = decisions
    .filter(({ incident, event, verdict }) => incident === uid && event === wanted && verdict === 'told')
    .flatMap(({ channel }) => (channel === null ? [] : [channel]));
  return [...new Set([...sent, ...notified])];
}

/** The channels that may have a message saying that it is down: all of it went out, and no answer came in time. */
function unanswered(uid: string, decisions: readonly DecisionFacts[]): readonly string[] {
  const channels = decisions
    .filter(({ incident, event, reason }) => incident === uid && event === 'down' && reason === 'no_answer')
    .flatMap(({ channel }) => (channel === null ? [] : [channel]));
  return [...new Set(channels)];
}

/** What holds back a message that is not part of another one. */
const unfolding: ReadonlySet<string> = new Set(['upstream_due', 'upstream_failing']);

/** The channels that received a message about an upstream, which covers this outage. */
function foldedChannels(uid: string, decisions: readonly DecisionFacts[]): readonly string[] {
  const folded = new Set<string>();
  for (const { incident, event, verdict, channel, reason } of decisions) {
    if (incident !== uid || event !== 'down' || channel === null) continue;
    if (reason === 'folded') folded.add(channel);
    else if (verdict === 'held' && unfolding.has(reason)) folded.delete(channel);
  }
  return [...folded];
}

function notifiedSentence(incident: IncidentFacts, facts: Notified): string {
  const { decisions, deliveries } = facts;
  const notified = notifiedChannels(incident.uid, facts);
  // A recovery goes to the channels that received the alert; one that receives it alone gets both at once, late.
  const unsure = unanswered(incident.uid, decisions).filter((channel) => !notified.includes(channel));
  const known = [...notified, ...unsure];
  const folded = foldedChannels(incident.uid, decisions).filter((channel) => !known.includes(channel));
  const late = takers(incident.uid, 'recovered', facts).filter(
    (channel) => !known.includes(channel) && !folded.includes(channel),
  );
  const waiting = deliveries.filter(({ state }) => state === 'waiting').map(({ channel }) => channel);
  const still = [...new Set(waiting)].filter((channel) => ![...known, ...late, ...folded].includes(channel));
  const about = incident.cause ?? 'what it depends on';
  const parts = [
    ...(folded.length === 0 ? [] : [`folded into the message about ${about} to ${inWords(folded)}`]),
    ...(notified.length === 0 ? [] : [`sent to ${inWords(notified)}`]),
    ...(late.length === 0 ? [] : [`sent late, after it was over, to ${inWords(late)}`]),
    ...(unsure.length === 0 ? [] : [`perhaps to ${inWords(unsure)}, which did not answer in time`]),
    ...(still.length === 0 ? [] : [`not yet to ${inWords(still)}`]),
  ].join('; ');
  if (folded.length + known.length + late.length > 0)
    return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`;
  if (still.length > 0) return `Not sent yet; a message is pending for ${inWords(still)}.`;
  const last = decisions.findLast(
    ({ incident: uid, verdict }) => uid === incident.uid && notNotified.some((word) => word === verdict),
  );
  if (last !== undefined) return `Not sent: ${sentenceOf(last)}`;
  const program = recordedBy(incident.uid);
  return program === null ? 'Not sent.' : `Not sent here: ${program} monitored it.`;
}

const notNotified: readonly DecisionVerdict[] = ['spared', 'undelivered', 'held'];
