/** Turns thrown errors into problem documents, so that every request is answered. */
import { cleanLine } from '../../engine/core/text.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Finish, HttpReply, HttpLayer, Request } from '../http-types.ts';
import { HttpProblem, problemAnswer, problemOf } from '../problem.ts';

export interface ProblemsOptions {
  readonly log: Log;
  readonly redact: (text: string) => string;
}

/** `finish` is done to every answer, that to a failure included. */
export function problems(options: ProblemsOptions & { readonly finish: Finish }): HttpLayer {
  return (next) => (request) =>
    answered(request, options, {
      work: () => next(request),
      finish: (httpReply) => options.finish(httpReply, request),
    });
}

interface Answering {
  readonly work: () => Promise<HttpReply> | HttpReply;
  readonly finish: (httpReply: HttpReply) => HttpReply;
}

/** What `finish` makes of what `work` answers, or of what is to be said of its failure. Neither throws nor rejects. */
export function answered(
  request: Pick<Request, 'id' | 'method'>,
  options: ProblemsOptions,
  { work, finish }: Answering,
): Promise<HttpReply> | HttpReply {
  const failed = (error: unknown) => finish(answerTo(error, request, options));
  let httpReply: Promise<HttpReply> | HttpReply;
  try {
    httpReply = work();
  } catch (error) {
    return failed(error);
  }
  return httpReply instanceof Promise ? httpReply.then(finish, failed) : finish(httpReply);
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
