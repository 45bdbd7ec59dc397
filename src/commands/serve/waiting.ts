/** The answers and log lines of a node while it waits for its shared database. */
import type { Config } from '../../engine/config/config.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Log } from '../../engine/core/log.ts';
import { type Handler, jsonAnswer } from '../../serve/http-types.ts';
import { HttpProblem, problemAnswer } from '../../serve/problem.ts';
import { waitingHealth } from '../../serve/scope/health.ts';
import { reasonOf } from './opening.ts';

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

interface Waiting {
  readonly loaded: () => Pick<LoadedConfig, 'redact'>;
  readonly log: Log;
}

/** Says why a node waits, once for as long as what helps stays the same: a server out of reach is so in many words. */
export function saysWhyItWaits({ loaded, log }: Waiting): (why: unknown) => void {
  let said: string | null = null;
  return (why) => {
    const message = `${loaded().redact(reasonOf(why))} It is tried again.`;
    const cure = why instanceof StatusdError && why.hint !== null ? why.hint : message;
    if (cure !== said) log({ level: 'error', event: 'node.waits', message });
    said = cure;
  };
}
