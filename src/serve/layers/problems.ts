/** Turns what is thrown into an answer, so that nothing but an answer leaves. */
import { cleanLine } from '../../engine/core/text.ts';
import type { Log } from '../../engine/core/log.ts';
import type { HttpReply, HttpLayer, Request } from '../http-types.ts';
import { HttpProblem, problemAnswer, problemOf } from '../problem.ts';

export interface ProblemsOptions {
  readonly log: Log;
  readonly redact: (text: string) => string;
}

export function problems(options: ProblemsOptions): HttpLayer {
  return (next) => (request) => answered(request, () => next(request), options);
}

/** What `work` answers, or what is to be said of its failure. Neither throws nor rejects. */
export function answered(
  request: Pick<Request, 'id' | 'method'>,
  work: () => Promise<HttpReply> | HttpReply,
  options: ProblemsOptions,
): Promise<HttpReply> | HttpReply {
  const failed = (error: unknown) => answerTo(error, request, options);
  try {
    const httpReply = work();
    return httpReply instanceof Promise ? httpReply.catch(failed) : httpReply;
  } catch (error) {
    return failed(error);
  }
}

function answerTo(
  error: unknown,
  request: Pick<Request, 'id' | 'method'>,
  { log, redact }: ProblemsOptions,
): HttpReply {
  const httpProblem = problemOf(error);
  if (httpProblem !== null) return problemAnswer(httpProblem);
  // The target may hold a token, so it is not logged; the id leads to it in the log of the proxy.
  const why = cleanLine(redact(error instanceof Error ? error.message : String(error)));
  log({
    level: 'error',
    event: 'http.failed',
    message: `A request could not be answered (${why}).`,
    fields: { request_id: request.id, method: cleanLine(request.method) },
  });
  return problemAnswer(
    new HttpProblem(500, `Something went wrong here. The log has it as request ${request.id}.`),
  );
}
