/** Answers another node how one of its targets looks from here, if it is one of this node's own. */
import { statuses } from '../../engine/core/status.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { readProbeAsked, probeBody } from './peer-probe-body.ts';
import { route } from './route.ts';
import { flag, number, object, oneOf, orNull, text } from './schema.ts';

export const peerProbe = route({
  method: 'POST',
  path: '/api/peer/probe',
  summary: 'Probe a target of this node’s own configuration, for a peer',
  parameters: {},
  access: 'peer',
  limit: 'api',
  body: { doc: 'Which target. Nothing of it is dialled: it is looked up.', schema: probeBody },
  answers: {
    200: {
      doc: 'What one probe with the settings of this node saw, within 10 s.',
      schema: object({
        up: flag,
        status: oneOf(statuses),
        latency_ms: orNull(number),
        error: orNull(text),
      }),
    },
  },
  problems: [400, 401, 404, 413],
  handle: async ({ scope, effects, body }) => {
    const monitor = scope.probed(readProbeAsked(body));
    if (scope.peer === null || monitor === null) {
      throw new HttpProblem(404, 'This node does not probe that target.');
    }
    const { status, latencyMs, error } = await effects.verdict(scope.peer, monitor);
    const up = status === 'up' || status === 'degraded';
    return jsonAnswer(200, { up, status, latency_ms: latencyMs, error });
  },
});
