/** Explains why a monitor alerted or did not: the recorded decisions, put in order and in plain words. */
import { incidentHeadline } from './explain-incident.ts';
import { nextSteps } from './explain-next.ts';
import { stateHeadline } from './explain-state.ts';
import { timelineOf, type TimelineMoment } from './explain-timeline.ts';
import type { DeliveryFacts } from '../core/record.ts';
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
