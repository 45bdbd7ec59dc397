/** The shape of an incident. */
import { incidentKinds } from '../../engine/views/incident.ts';
import { count, instant, listOf, object, oneOf, orNull, text } from './schema.ts';

export const incident = object(
  {
    id: count,
    uid: text,
    monitor: text,
    name: text,
    /** unknown: it could not be checked, which is no downtime. */
    kind: oneOf(incidentKinds),
    started_at: instant,
    confirmed_at: instant,
    ended_at: orNull(instant),
    duration_secs: count,
    reason: orNull(text),
    error: orNull(text),
    cause: orNull(text),
    impacted: listOf(text),
    note: orNull(text),
    snapshot: orNull(
      object(
        {
          status_line: text,
          headers: listOf({ type: 'array', items: text }),
          /** How many headers more there were. */
          more_headers: count,
          body: text,
        },
        ['more_headers'],
      ),
    ),
    vantage: orNull(
      listOf(object({ peer: orNull(text), verdict: orNull(oneOf(['up', 'down'])), error: orNull(text) })),
    ),
  },
  ['id', 'snapshot'],
);
