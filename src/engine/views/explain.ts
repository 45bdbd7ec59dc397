/** Explains why a monitor alerted or did not: the recorded decisions, put in order and in plain words. */
import { incidentHeadline } from './explain-incident.ts';
import { nextSteps } from './explain-next.ts';
import { stateHeadline } from './explain-state.ts';
import { timelineOf, type TimelineMoment } from './explain-timeline.ts';
import { durationText } from '../core/duration.ts';
import { nearInstantText } from '../core/instant.ts';
import type { DeliveryFacts, OperatorIncidentFacts } from '../core/record.ts';
import { inWords } from '../core/words.ts';
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
  const length = durationText((endedAt ?? nowAt) - startedAt);
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

export function explain(facts: ExplainFacts): Explanation {
  const { incident, deliveries } = facts;
  const own = deliveries.filter((delivery) => incident !== null && delivery.incident === incident.uid);
  const isAboutState = incident === null || (incident.endedAt !== null && facts.askedAt === null);
  return {
    headline: [
      ...(isAboutState ? [stateHeadline(facts)] : []),
      ...(incident === null ? [] : incidentHeadline(incident, { ...facts, deliveries: own })),
    ],
    timeline: timelineOf(facts),
    messages: deliveries,
    next: nextSteps(facts),
  };
}
