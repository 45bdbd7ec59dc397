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
      description: 'Of its run: what came of the checks of another run is not handed over.',
    },
    config: { ...name, description: 'The digest of its configuration, which has to be that of this node.' },
    version: { ...name, description: 'Of its program, which has to be that of this node.' },
    checks: {
      type: 'array',
      maxItems: mostInQuestion,
      description: 'None: only what came of earlier checks is asked for.',
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
  summary: 'Make checks for the node that leads, and hand over what came of them',
  parameters: {},
  access: 'node',
  limit: null,
  body: {
    doc: 'Which monitors. Both nodes have the same configuration: nothing else is sent.',
    schema: question,
  },
  answers: {
    200: {
      doc: 'What came of checks since the last question: within 2 s, as soon as there is something.',
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
