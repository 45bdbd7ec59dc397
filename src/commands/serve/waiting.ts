/** What a node answers while it waits for the database it shares. */
import type { Config } from '../../engine/config/config.ts';
import { type Handler, jsonAnswer } from '../../serve/http-types.ts';
import { HttpProblem, problemAnswer } from '../../serve/problem.ts';
import { waitingHealth } from '../../serve/scope/health.ts';

const unready = new HttpProblem(503, 'This node does not reach its database at the moment.', {
  'retry-after': '1',
});

/** 503 to everything. */
export const refuse: Handler = () => problemAnswer(unready);

/** 503 to everything, where `/healthz` says how this node is: `healthcheck` and `doctor` recognise it by that. */
export function answerWaiting(config: () => Config): Handler {
  return (request) =>
    /^\/healthz(?:\?|$)/.test(request.target) ? jsonAnswer(503, waitingHealth(config())) : refuse(request);
}
