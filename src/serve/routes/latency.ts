/** Answers with the latency of a monitor over time. */
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { monitorId, whole, withDefault } from './parameter.ts';
import { route } from './route.ts';
import { count, listOf, object } from './schema.ts';

export const latency = route({
  method: 'GET',
  path: '/api/monitors/{id}/latency',
  summary: 'The latency of a monitor, oldest first, in at most 2,000 points',
  parameters: {
    id: monitorId,
    hours: withDefault(whole(1, 720), 24, { doc: 'How many hours back.' }),
  },
  access: 'reader',
  limit: 'api',
  answers: {
    200: {
      doc: '`t` is in seconds since the epoch. Failed checks are left out.',
      schema: listOf(object({ t: count, latency_ms: count })),
    },
  },
  problems: [400, 404, 503],
  handle: async ({ values, scope }) => {
    if (scope.monitor(values.id) === null) throw new HttpProblem(404, 'There is no such monitor.');
    return jsonAnswer(200, await scope.latency(values.id, values.hours));
  },
});
