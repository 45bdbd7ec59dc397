/** The headers that restrict what a browser does with an answer. */
import type { Headers, HttpReply } from '../http-types.ts';

/** On every answer, those to requests that could not be understood included. */
export const securityHeaders: Headers = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

const names = Object.keys(securityHeaders);

/** A page that needs more brings a policy of its own. What was prepared with all of them is passed on as it is. */
export const secured = (httpReply: HttpReply): HttpReply => {
  const { headers } = httpReply;
  if (names.every((name) => headers[name] !== undefined)) return httpReply;
  return { ...httpReply, headers: { ...securityHeaders, ...headers } };
};
