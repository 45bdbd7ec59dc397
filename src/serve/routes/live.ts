/** Serves what the summary lacks to the live view of another machine. */
import { statuses } from '../../engine/core/status.ts';
import { liveEventKinds } from '../../engine/views/feed.ts';
import { jsonAnswer } from '../http-types.ts';
import { looseText, withDefault } from './parameter.ts';
import { route } from './route.ts';
import { count, flag, instant, listOf, object, oneOf, orNull, text } from './schema.ts';

const status = oneOf(statuses);

/** More than any screen has lines. */
const mostMonitors = 300;

export const live = route({
  method: 'GET',
  path: '/api/live',
  summary: 'What top shows beyond the summary: the last checks of some monitors, who was alerted, silences',
  parameters: {
    monitors: withDefault(looseText('ids of monitors, separated by commas'), '', {
      doc: `Ids of monitors, separated by commas; ${mostMonitors} at most are answered.`,
    }),
  },
  access: 'operator',
  limit: 'api',
  answers: {
    200: {
      doc: 'The last 30 checks, 24 hours and 90 days of each monitor, oldest first; the number of alerts sent in each of the last 24 hours; in `feed` what happened in the last day, newest first.',
      schema: object({
        alerts_by_hour: listOf(count),
        feed: listOf(object({ at: instant, kind: oneOf(liveEventKinds), monitor: orNull(text), text })),
        incidents: listOf(
          object({
            uid: text,
            sent: listOf(object({ channel: text, at: instant })),
            failed: listOf(text),
            folded: flag,
            withheld: orNull(text),
          }),
        ),
        silences: listOf(object({ id: count, monitors: listOf(text), until: instant, reason: orNull(text) })),
        monitors: listOf(
          object({
            id: text,
            target: orNull(text),
            dependents: listOf(text),
            checks: listOf(status),
            hours: listOf(object({ latency_ms: orNull(count), status })),
            days: listOf(status),
          }),
        ),
      }),
    },
  },
  problems: [401],
  handle: ({ values, scope, redact }) => {
    const ids = values.monitors.split(',').filter((id) => id !== '');
    return jsonAnswer(200, scope.live(ids.slice(0, mostMonitors), redact));
  },
});
