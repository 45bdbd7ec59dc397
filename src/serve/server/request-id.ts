/** The id of a request: that of a proxy in front, or a new one. */
import type { IncomingHttpHeaders } from 'node:http';

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders, newId: () => string): string {
  return typeof given === 'string' && wellFormed.test(given) ? given : newId();
}
