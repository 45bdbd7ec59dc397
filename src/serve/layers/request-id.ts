/** Names every request: as the proxy in front named it, else anew. */
import { withHeaders, type Layer } from '../exchange.ts';

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

export function requestId(newId: () => string): Layer {
  return (next) => async (request) => {
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && wellFormed.test(given) ? given : newId();
    return withHeaders(await next({ ...request, id }), { 'x-request-id': id });
  };
}
