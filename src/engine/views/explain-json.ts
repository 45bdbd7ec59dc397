/** An explanation as JSON, the same for the command and the API. */
import { rfc3339 } from '../core/instant.ts';
import type { DeliveryFacts } from '../core/record.ts';
import type { TimelineMoment } from './explain-timeline.ts';

export function momentJson({ at, kind, channel, event, reason, text, times }: TimelineMoment) {
  return { at: rfc3339(at), kind, channel, event, reason, text, times };
}

export function messageJson({
  id,
  channel,
  event,
  state,
  attempts,
  nextAt,
  finishedAt,
  lastError,
}: DeliveryFacts) {
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
