/** Renders an explanation for programs. */
import { rfc3339 } from '../../engine/core/duration.ts';
import type { Explanation } from '../../engine/views/explain.ts';
import type { ExplainFacts } from '../../engine/views/explain-facts.ts';
import type { DeliveryFacts } from '../../engine/views/explain-facts.ts';
import type { TimelineMoment } from '../../engine/views/explain-timeline.ts';
import { wholeIncident } from '../../engine/views/incident.ts';

export function explanationJson(facts: ExplainFacts, explanation: Explanation) {
  const { monitor, peer, incident, askedAt, nowAt, state } = facts;
  return {
    monitor: monitor.id,
    name: monitor.name,
    at: rfc3339(askedAt ?? nowAt),
    status: peer?.state ?? state?.status ?? 'unknown',
    summary: explanation.headline,
    incident: incident === null ? null : wholeIncident(incident, nowAt),
    timeline: explanation.timeline.map(momentJson),
    messages: explanation.messages.map(messageJson),
    next: explanation.next,
  };
}

function momentJson({ at, kind, channel, event, reason, text, times }: TimelineMoment) {
  return { at: rfc3339(at), kind, channel, event, reason, text, times };
}

function messageJson({ id, channel, event, state, attempts, nextAt, finishedAt, lastError }: DeliveryFacts) {
  return {
    id,
    channel,
    event,
    state,
    attempts,
    next_at: state === 'waiting' ? rfc3339(nextAt) : null,
    finished_at: finishedAt === null ? null : rfc3339(finishedAt),
    last_error: lastError,
  };
}
