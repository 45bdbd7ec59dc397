/** Refuses a request that does not say which host it is for (RFC 9112, section 3.2). */
import type { Layer } from '../exchange.ts';
import { Problem } from '../problem.ts';

export function requireHost(): Layer {
  return (next) => (request) => {
    if (request.hosts !== null && request.hosts !== 1) {
      throw new Problem(400, 'The request needs exactly one Host header.');
    }
    return next(request);
  };
}
