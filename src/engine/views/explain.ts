/** Explains why a monitor alerted or did not: the recorded decisions, put in order and in plain words. */
import { incidentHeadline } from './explain-incident.ts';
import { nextSteps } from './explain-next.ts';
import { flappingSentence, stateHeadline } from './explain-state.ts';
import { timelineOf, type TimelineMoment } from './explain-timeline.ts';
import { durationText, shownSpanMs } from '../core/duration.ts';
import { nearInstantText } from '../core/instant.ts';
import type { DeliveryFacts, OperatorIncidentFacts } from '../core/record.ts';
import { counted, inWords } from '../core/words.ts';
import { toldAllTheSameMs } from '../monitoring/confirm/unstable.ts';
import type { ExplainFacts } from './explain-facts.ts';

export interface Explanation {
  /** What is or was the case, a sentence or two. */
  readonly headline: readonly string[];
  /** Oldest first. */
  readonly timeline: readonly TimelineMoment[];
  readonly messages: readonly DeliveryFacts[];
  /** What happens next, a sentence each. */
  readonly next: readonly string[];
}

/** The same of an incident that an operator opened; `own` are the messages about it. */
export function explainDeclared(
  incident: OperatorIncidentFacts,
  {
    nowAt,
    deliveries,
    ...rest
  }: Pick<ExplainFacts, 'nowAt' | 'updates' | 'events' | 'decisions' | 'deliveries'>,
): Explanation {
  const { id, title, impact, monitors, startedAt, endedAt, note } = incident;
  const from = nearInstantText(startedAt, nowAt);
  const length = durationText(shownSpanMs(startedAt, endedAt ?? nowAt));
  const span =
    endedAt === null
      ? `open since ${from}, for ${length}`
      : `open from ${from} to ${nearInstantText(endedAt, nowAt)}, for ${length}`;
  const about = monitors.length === 0 ? 'about everything' : `about ${inWords(monitors)}`;
  return {
    headline: [
      `Incident ${id}: ${title}, ${span}.`,
      `Opened by hand, ${about}; impact: ${impact}.`,
      ...(note === null ? [] : [`Note: ${note}`]),
    ],
    timeline: timelineOf({ incident: null, ...rest }),
    messages: deliveries,
    next: [],
  };
}

/** `nameOf`: how the timeline calls the other monitors of an incident; default: by their ids. */
export function explain(facts: ExplainFacts, nameOf?: (id: string) => string): Explanation {
  const { incident, deliveries } = facts;
  const own = deliveries.filter((delivery) => incident !== null && delivery.incident === incident.uid);
  const isAboutState = incident === null || (incident.endedAt !== null && facts.askedAt === null);
  return {
    headline: [
      ...(isAboutState ? [stateHeadline(facts), ...present(flappingSentence(facts))] : []),
      ...(incident === null ? [] : incidentHeadline(incident, { ...facts, deliveries: own })),
      ...present(unstableSentence(facts)),
      ...present(othersSentence(facts)),
    ],
    timeline: timelineOf(nameOf === undefined ? facts : { ...facts, nameOf }),
    messages: deliveries,
    next: nextSteps(facts),
  };
}

function unstableSentence({ monitor, unstable = null, nowAt }: ExplainFacts): string | null {
  if (unstable === null) return null;
  const since = nearInstantText(unstable.startedAt, nowAt);
  const all = counted(unstable.outages, 'outage');
  return `${monitor.id} is unstable since ${since}: ${all}, whose messages are gathered in one where they last less than ${durationText(toldAllTheSameMs)}.`;
}

const maxOthers = 6;

/** Their decisions are left out of the timeline. */
function othersSentence({ others = [] }: ExplainFacts): string | null {
  const [latest] = others;
  if (latest === undefined) return null;
  const ids = others.map(({ id }) => String(id));
  const which = others.length === 1 ? 'incident' : 'incidents';
  return `Also in the last 24 h: ${which} ${inWords(ids, maxOthers)} (\`statusd explain ${latest.id}\`).`;
}

function present(sentence: string | null): readonly string[] {
  return sentence === null ? [] : [sentence];
}
