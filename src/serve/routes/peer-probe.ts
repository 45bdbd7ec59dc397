/** Probes a target at the request of another node, if it is a monitor of this node. */
import { mostOpenQuestions } from '../../engine/peers/answer-probe.ts';
import { aText, shape } from '../../engine/core/decode.ts';
import { statuses } from '../../engine/core/status.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { route } from './route.ts';
import { type AnswerSchema, flag, number, object, oneOf, orNull, text } from './schema.ts';
import { fieldIn, fieldsOf } from './parameter.ts';

interface ProbeAsked {
  readonly id: string | null;
  readonly kind: string;
  readonly target: string;
}

const bounds = { from: 64, id: 64, kind: 16, target: 4096 };

const field = (name: keyof typeof bounds, description: string) => ({
  type: ['string', 'null'],
  maxLength: bounds[name],
  description,
});

const probeBody: AnswerSchema = {
  type: 'object',
  required: ['kind', 'target'],
  properties: {
    from: field('from', 'What the peer calls itself. The token says who it is.'),
    id: field('id', 'The id of the monitor at the peer; a monitor with the same id is preferred.'),
    kind: { type: 'string', maxLength: bounds.kind },
    target: { type: 'string', maxLength: bounds.target },
  },
};

/**
 * Reads which target a peer asks about. Throws a 400 that names what is wrong. What is too long can be no target of
 * ours, so it is not cut.
 */
function readProbeAsked(body: Buffer): ProbeAsked {
  const fields = fieldsOf(body);
  textOf(fields, 'from');
  const kind = textOf(fields, 'kind');
  const target = textOf(fields, 'target');
  if (kind === null || target === null) throw new HttpProblem(400, 'kind and target are needed.');
  return { id: textOf(fields, 'id'), kind, target };
}

function textOf(fields: ReadonlyMap<string, unknown>, name: keyof typeof bounds): string | null {
  const most = bounds[name];
  const isRight = (value: unknown): value is string => aText(value) && value.length <= most;
  return fieldIn(fields, name, shape(`a text of at most ${most} characters`, isRight));
}

export const peerProbe = route({
  method: 'POST',
  path: '/api/peer/probe',
  summary: 'Probe a target of this node’s own configuration, for a peer',
  parameters: {},
  access: 'peer',
  limit: 'api',
  body: {
    doc: 'The target, which is only looked up in the configuration: this node never connects to an address it was sent.',
    schema: probeBody,
  },
  answers: {
    200: {
      doc: 'The result of one probe with the settings of this node, within 10 s.',
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
    const answer = await effects.answerPeer(scope.peer, monitor);
    if (answer === null) {
      const detail = `A peer may ask ${mostOpenQuestions} questions at once.`;
      throw new HttpProblem(429, detail, { 'retry-after': '1' });
    }
    const { status, latencyMs, error } = answer;
    const up = status === 'up' || status === 'degraded';
    return jsonAnswer(200, { up, status, latency_ms: latencyMs, error });
  },
});
