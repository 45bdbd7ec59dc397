/** Refuses a request that does not say which host it is for (RFC 9112, section 3.2). */
import type { HttpLayer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';

export function requireHost(): HttpLayer {
  return (next) => (request) => {
    if (request.hosts !== null && request.hosts !== 1) {
      throw new HttpProblem(400, 'The request needs exactly one Host header.');
    }
    return next(request);
  };
}
