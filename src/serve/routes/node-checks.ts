/** Makes checks for another node that shares the database, and returns the results of earlier ones. */
import { mostInQuestion, readQuestion, refusals } from '../../engine/nodes/wire.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { route } from './route.ts';
import { type AnswerSchema, count, listOf, number, object, oneOf, text } from './schema.ts';

const name = { type: 'string', maxLength: 200 };

const question: AnswerSchema = {
  type: 'object',
  required: ['from', 'session', 'config', 'version', 'checks'],
  properties: {
    from: { ...name, description: 'The node that asks.' },
    session: {
      ...name,
      description: 'The run of that node: results of checks for another run are not returned.',
    },
    config: { ...name, description: 'The digest of its configuration, which must be that of this node.' },
    version: { ...name, description: 'The version of its program, which must be that of this node.' },
    checks: {
      type: 'array',
      maxItems: mostInQuestion,
      description: 'The checks to make; none: only the results of earlier checks are requested.',
      items: {
        type: 'object',
        required: ['n', 'id'],
        properties: { n: { type: 'integer', minimum: 0 }, id: { ...name, description: 'Of a monitor.' } },
      },
    },
  },
};

export const nodeChecks = route({
  method: 'POST',
  path: '/api/node/checks',
  summary: 'Make checks for the leading node, and return their results',
  parameters: {},
  access: 'node',
  limit: null,
  body: {
    doc: 'The monitors to check. Both nodes have the same configuration, so nothing else is sent.',
    schema: question,
  },
  answers: {
    200: {
      doc: 'The results since the last request, as soon as there are any, after 2 s at the latest.',
      schema: object({ node: text, at: number, findings: listOf(finding()) }),
    },
  },
  problems: [400, 401, 404, 409, 413],
  handle: async ({ effects, body }) => {
    const asked = readQuestion(body.toString('utf8'));
    if (asked === null)
      throw new HttpProblem(
        400,
        'from, session, config, version and checks, a list of n and id, are needed.',
      );
    const answer = await effects.answerNode(asked);
    switch (answer) {
      case null:
        throw new HttpProblem(404, 'This node shares no database with others.');
      case 'config':
        throw new HttpProblem(409, 'This node runs on another configuration.');
      case 'version':
        throw new HttpProblem(409, 'This node runs another version of statusd.');
      default:
        return jsonAnswer(200, answer);
    }
  },
});

/** A result as a probe gives it, or why there is none. */
function finding(): AnswerSchema {
  return {
    type: 'object',
    required: ['n'],
    properties: { n: count, result: { type: 'object' }, refusal: oneOf(refusals) },
  };
}
