/** Names a request: as the proxy in front named it, else anew. */
import type { IncomingHttpHeaders } from 'node:http';

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders, newId: () => string): string {
  return typeof given === 'string' && wellFormed.test(given) ? given : newId();
}
