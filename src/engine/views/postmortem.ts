/** Writes the skeleton of a post-mortem in Markdown: facts of the record, and headings for the rest. */
import { durationText, shownSpanMs } from '../core/duration.ts';
import { dayText, instantText } from '../core/instant.ts';
import type {
  DecisionFacts,
  DeliveryFacts,
  EventFacts,
  IncidentFacts,
  IncidentUpdateFacts,
  OperatorIncidentFacts,
} from '../core/record.ts';
import { cleanLine, cleanLines } from '../core/text.ts';
import { inWords } from '../core/words.ts';
import {
  criticalAmong,
  headerLines,
  incidentView,
  type IncidentView,
  shownLengthMs,
  stateInWords,
} from './incident.ts';
import { timelineOf, type TimelineMoment } from './explain-timeline.ts';
import { errorText } from './page-wording.ts';

export interface PostmortemFacts {
  /** As its readers see it. */
  readonly incident: IncidentView;
  readonly timeline: readonly TimelineMoment[];
  /** Those about the incident; null: readers are told of none. */
  readonly messages: readonly DeliveryFacts[] | null;
  readonly nameOf: (id: string) => string;
}

interface IncidentRecord {
  readonly facts: IncidentFacts | OperatorIncidentFacts;
  readonly updates: readonly IncidentUpdateFacts[];
  readonly events: readonly EventFacts[];
  readonly decisions: readonly DecisionFacts[];
}

/**
 * The record of an incident with the eyes of its readers without a token: no reasons of failures unless they are public, no
 * channels, no authors, no private monitor except where the incident is about private ones alone.
 */
export function publicPostmortemFacts(
  { facts, updates, events, decisions }: IncidentRecord,
  {
    monitors,
    nowAt,
    nameOf,
  }: {
    readonly monitors: readonly PublicMonitor[];
    readonly nowAt: number;
    readonly nameOf: PostmortemFacts['nameOf'];
  },
): Pick<PostmortemFacts, 'incident' | 'timeline' | 'messages'> {
  const about = facts.monitor === null ? facts.monitors : [facts.monitor];
  const shown = new Set(monitors.flatMap((one) => (one.public ? [one.id] : [])));
  if (about.length > 0 && !about.some((id) => shown.has(id))) for (const id of about) shown.add(id);
  const isVisible = (id: string) => shown.has(id);
  const isDetailPublic = monitors.find(({ id }) => id === facts.monitor)?.public_error_detail === true;
  const incident = incidentView(
    facts,
    { nowAt, isTrusted: false, isDetailPublic, isVisible, isCritical: criticalAmong(monitors) },
    updates,
  );
  const timeline = timelineOf({
    incident:
      facts.monitor === null
        ? null
        : {
            ...facts,
            reason: errorText(incident.error),
            latest:
              facts.latest === null || incident.latest_reason === null
                ? null
                : { ...facts.latest, reason: errorText(incident.latest_reason.error) },
            cause: incident.cause,
            impacted: incident.impacted,
            acknowledged:
              facts.acknowledged === null ? null : { ...facts.acknowledged, by: null, reason: null },
          },
    updates: updates.map((update) => ({ ...update, author: null })),
    events: events.filter((event) => event.monitors.length === 0 || event.monitors.some(isVisible)),
    decisions,
    isPublic: true,
    nameOf,
  });
  return { incident, timeline, messages: null };
}

interface PublicMonitor {
  readonly id: string;
  readonly public: boolean;
  readonly public_error_detail: boolean;
  readonly critical: boolean;
}

/** Ends with a line break. */
export function postmortemSkeleton(facts: PostmortemFacts): string {
  const { incident, timeline } = facts;
  const { name, kind, started_at, ended_at } = incident;
  const state = kind === 'operator' ? '' : ` ${stateInWords(kind, ended_at === null)}`;
  const sections = [
    `# Post-mortem: ${cleanLine(name)}${state}, ${dayText(Date.parse(started_at))}`,
    factLines(facts).join('\n'),
    '## Summary\n\n_What happened, for whom, and how it ended, in two or three sentences._',
    `## Timeline (UTC)\n\n${timeline.map(momentLine).join('\n')}`,
    '## Cause\n\n_What made it happen, and why nothing stopped it._',
    ...answerSection(incident),
    '## What went well, what did not\n\n- _…_',
    '## What changes\n\n- [ ] _what, who, until when_',
  ];
  return `${sections.join('\n\n')}\n`;
}

function factLines(facts: PostmortemFacts): string[] {
  const { incident, nameOf, messages } = facts;
  const { id, uid, monitor, monitors, impact, started_at, confirmed_at, ended_at } = incident;
  const startedAt = Date.parse(started_at);
  const after = (at: number) => `${durationText(shownSpanMs(startedAt, at))} after the first failure`;
  const to = ended_at === null ? ', still open' : ` to ${instantText(Date.parse(ended_at))}`;
  const names = (ids: readonly string[]) => inWords(ids.map((one) => cleanLine(nameOf(one))));
  const about = monitors.length === 0 ? 'everything' : names(monitors);
  const affected = [...(incident.cause === null ? [] : [`- Root cause: ${names([incident.cause])}`])];
  if (incident.impacted.length > 0) affected.push(`- Also affected: ${names(incident.impacted)}`);
  return [
    `- Incident: ${id === undefined ? uid : `${id} (${uid})`}`,
    `- About: ${about}`,
    `- Impact: ${impact}, for ${durationText(shownLengthMs(incident))}`,
    `- From ${instantText(startedAt)}${to}`,
    ...affected,
    ...(monitor === null ? [] : [`- Detected: ${after(Date.parse(confirmed_at))}`]),
    ...(monitor === null || messages === null
      ? []
      : [`- First notification: ${firstNotification({ ...facts, messages }, after)}`]),
  ];
}

/** Of what says that it is down, or was. Messages are kept for less time than what was decided about them. */
function firstNotification(
  { incident, messages, timeline, nameOf }: PostmortemFacts & { readonly messages: readonly DeliveryFacts[] },
  after: (at: number) => string,
): string {
  const sent = messages.flatMap(({ state, finishedAt, channel, event }) =>
    state === 'sent' && finishedAt !== null ? [{ at: finishedAt, channel, event }] : [],
  );
  const decided = timeline.flatMap(({ at, kind, channel, event }) =>
    kind === 'told' && channel !== null ? [{ at, channel, event }] : [],
  );
  const all = [...sent, ...decided].toSorted((a, b) => a.at - b.at);
  const first = all.find(({ event }) => event !== 'recovered');
  if (first !== undefined) return `${after(first.at)}, on ${cleanLine(first.channel)}`;
  const held = timeline.findLast(
    ({ event, kind, reason }) => event === 'down' && (kind === 'held' || reason === 'folded'),
  );
  if (held?.reason === 'folded' && incident.cause !== null)
    return `in the message about ${cleanLine(nameOf(incident.cause))}`;
  // A recovery goes to who received the alert: one without any is a message that came late.
  const [late] = all;
  return late === undefined
    ? 'none on record'
    : `${after(late.at)}, on ${cleanLine(late.channel)}, when it was over`;
}

function momentLine({ at, channel, event, text, times }: TimelineMoment): string {
  const about = channel === null ? '' : `${cleanLine(channel)}${event === null ? '' : ` (${event})`}: `;
  return `- ${instantText(at)}: ${about}${cleanLine(text)}${times > 1 ? ` (${times} times)` : ''}`;
}

/** The answer that failed, as a block of code: indented, so that nothing in it ends the block. */
function answerSection({ snapshot }: IncidentView): string[] {
  if (snapshot === undefined || snapshot === null) return [];
  const { status_line, headers, more_headers: more, body } = snapshot;
  const lines = [status_line, ...headerLines(headers, more), '', ...cleanLines(body)];
  return [
    `## The answer that failed\n\n${lines.map((line) => `    ${cleanLine(line)}`.trimEnd()).join('\n')}`,
  ];
}
