/** Mutes monitors ad hoc. */
import { silences } from '../../db/tables/silences.ts';
import { durationFaults, durationHint, parseDuration } from '../../engine/core/duration.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import type { ViewerScope } from '../scope/scope.ts';
import { bounded, line, looseText, optional, required } from './parameter.ts';
import { route } from './route.ts';
import { count, instant, listOf, object, orNull, text } from './schema.ts';

const maxSilenceMs = 7 * 86_400_000;

export const silence = route({
  method: 'POST',
  path: '/api/silence',
  summary: 'Hold back the alerts of some monitors for a while',
  parameters: {
    monitors: required(looseText('monitor or peer ids, separated by commas, or the word all'), {
      doc: 'Ids of monitors and the listen_id of peers, separated by commas, or the word all.',
    }),
    duration: required(looseText('a duration'), { doc: 'How long: 90s, 10m, 1h30m; 7 days at most.' }),
    reason: optional(line(500), { doc: 'Why.' }),
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
    const monitors = chosen(values.monitors, scope, redact);
    const untilAt = nowAt + spanOf(values.duration);
    const reason = values.reason === '' ? null : values.reason;
    const id = await silences.create(
      { monitors, untilAt, reason, createdAt: nowAt },
      { write: effects.write, identity: effects.identity(silences) },
    );
    return jsonAnswer(200, { ids: [id], monitors: monitors ?? ['*'], until: rfc3339(untilAt), reason });
  },
});

/** In the order of the configuration; null: all. */
function chosen(
  written: string,
  scope: ViewerScope,
  redact: (text: string) => string,
): readonly string[] | null {
  const ids = written
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  if (ids.includes('all')) return null;
  if (ids.length === 0) {
    throw new HttpProblem(
      400,
      'monitors must be ids of monitors or peers, separated by commas, or the word all.',
    );
  }
  const wanted = new Set(ids);
  const known = [...scope.monitors.map(({ id }) => id), ...scope.peerIds];
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined)
    throw new HttpProblem(404, `There is no monitor ${bounded(redact(unknown), 128, ' ')}.`);
  return known.filter((id) => wanted.has(id));
}

function spanOf(written: string): number {
  const parsed = parseDuration(written, maxSilenceMs);
  if (parsed.kind === 'duration') return parsed.ms;
  const limit = parsed.fault === 'too_long' ? ': 7 days at most' : '';
  throw new HttpProblem(400, `duration ${durationFaults[parsed.fault]}${limit}. ${durationHint}`);
}
