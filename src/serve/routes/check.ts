/** Checks a monitor at once, and explains one, for the live view. */
import { deliveryStates } from '../../engine/core/record.ts';
import { momentKinds } from '../../engine/views/explain-timeline.ts';
import { whyUnasked } from '../../engine/operations/check-now.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { monitorId } from './parameter.ts';
import { route } from './route.ts';
import { count, instant, listOf, object, oneOf, orNull, text } from './schema.ts';

export const checkNow = route({
  method: 'POST',
  path: '/api/monitors/{id}/check',
  summary: 'Check a monitor now, out of turn',
  parameters: { id: monitorId },
  access: 'operator',
  limit: 'api',
  answers: {
    202: {
      doc: '`checked`: the monitor has a new sample. `checking`: the check takes longer, and its sample will be in the summary.',
      schema: object({ status: oneOf(['checked', 'checking']) }),
    },
  },
  problems: [400, 401, 404, 409, 413],
  handle: async ({ values, scope, effects }) => {
    const monitor = scope.monitor(values.id);
    if (monitor === null) throw new HttpProblem(404, 'There is no such monitor.');
    const why = whyUnasked(monitor);
    if (why !== null) throw new HttpProblem(409, `${why}.`);
    const isChecked = await effects.checkNow(monitor.id);
    return jsonAnswer(202, { status: isChecked ? 'checked' : 'checking' });
  },
});

const moment = object({
  at: instant,
  kind: oneOf(momentKinds),
  channel: orNull(text),
  event: orNull(text),
  reason: orNull(text),
  text,
  times: count,
});

export const explainMonitor = route({
  method: 'GET',
  path: '/api/monitors/{id}/explain',
  summary: 'Why a monitor alerted or did not, and what was sent about it',
  parameters: { id: monitorId },
  access: 'operator',
  limit: 'api',
  answers: {
    200: {
      doc: 'What `statusd explain` prints; `channels` are those that alerts of the monitor go to.',
      schema: object({
        channels: listOf(text),
        summary: listOf(text),
        timeline: listOf(moment),
        messages: listOf(
          object({
            id: count,
            channel: text,
            event: text,
            state: oneOf(deliveryStates),
            attempts: count,
            next_at: orNull(instant),
            finished_at: orNull(instant),
            last_error: orNull(text),
          }),
        ),
        next: listOf(text),
      }),
    },
  },
  problems: [401, 404],
  handle: ({ values, scope }) => {
    const explained = scope.explanation(values.id);
    if (explained === null) throw new HttpProblem(404, 'There is no such monitor.');
    return jsonAnswer(200, explained);
  },
});
