/** Silences monitors. */
import { silences } from '../../db/tables/silences.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { limits } from '../../engine/operations/limits.ts';
import { checkSilence, createSilence } from '../../engine/operations/silence.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { line, looseText, optional, required, whole } from './parameter.ts';
import { route } from './route.ts';
import { count, instant, listOf, object, orNull, text } from './schema.ts';

export const silence = route({
  method: 'POST',
  path: '/api/silence',
  summary: 'Hold back the alerts of some monitors for a while',
  parameters: {
    monitors: required(looseText('monitor or peer ids, separated by commas, or the word all', ['all']), {
      doc: 'Ids of monitors and the listen_id of peers, separated by commas, or the word all for everything. The monitor with the id all is named by all,all.',
    }),
    duration: required(looseText('a duration', ['90m', '1h30m']), {
      doc: `How long: 90s, 10m, 1h30m; ${limits.silence} at most.`,
    }),
    reason: optional(line(limits.reason), { doc: 'The reason.' }),
  },
  access: 'operator',
  limit: 'api',
  answers: {
    200: {
      doc: 'The silence is durable.',
      schema: object({ ids: listOf(count), monitors: listOf(text), until: instant, reason: orNull(text) }),
    },
  },
  problems: [400, 401, 404, 413, 503],
  handle: async ({ values, scope, effects, nowAt, redact }) => {
    const { monitors: written, duration, reason: given } = values;
    const checked = checkSilence({ monitors: [written], duration: redact(duration), reason: given ?? '' });
    const { id, monitors, untilAt, reason } = await createSilence(checked, {
      known: [...scope.monitors, ...scope.peers],
      nowAt,
      redact,
      write: effects.write,
      identity: effects.identity(silences),
    });
    return jsonAnswer(200, { ids: [id], monitors: monitors ?? ['*'], until: rfc3339(untilAt), reason });
  },
});

export const endSilence = route({
  method: 'DELETE',
  path: '/api/silence',
  summary: 'End a silence',
  parameters: { id: required(whole(1, Number.MAX_SAFE_INTEGER), { doc: 'The number of the silence.' }) },
  access: 'operator',
  limit: 'api',
  answers: { 200: { doc: 'The silence has ended.', schema: object({ cleared: count }) } },
  problems: [400, 401, 404, 413, 503],
  handle: async ({ values: { id }, effects }) => {
    const cleared = await effects.end(silences, id);
    if (cleared === 0) throw new HttpProblem(404, 'There is no such silence.');
    return jsonAnswer(200, { cleared });
  },
});
