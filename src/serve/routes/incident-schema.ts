/** The shape of an incident. */
import { anything, count, instant, listOf, object, orNull, text } from './schema.ts';

export const incident = object(
  {
    id: count,
    uid: text,
    monitor: text,
    name: text,
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
      object({ status_line: text, headers: listOf({ type: 'array', items: text }), body: text }),
    ),
    vantage: anything,
  },
  ['id', 'snapshot'],
);
