/** Sends a cached response: compressed if the client accepts that, or 304 if it has it already. */
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpReply } from '../http-types.ts';
import { takesGzip } from './preference.ts';
import type { Representation, CachedResponse } from './cached-response.ts';

export function rendered(
  response: CachedResponse | Promise<CachedResponse>,
  asked: IncomingHttpHeaders,
): HttpReply | Promise<HttpReply> {
  if (response instanceof Promise) return response.then((built) => rendered(built, asked));
  const { plain } = response;
  const packed = takesGzip(asked) ? response.packed() : null;
  if (packed instanceof Promise)
    return packed.then((representation) => chosen(representation ?? plain, asked));
  return chosen(packed ?? plain, asked);
}

function chosen({ tag, whole, unchanged }: Representation, asked: IncomingHttpHeaders): HttpReply {
  return unchanged !== null && isKnown(asked['if-none-match'], tag) ? unchanged : whole;
}

/**
 * If-None-Match compares weakly (RFC 9110, section 13.1.2), so a proxy that weakened the tag on its way is
 * understood.
 */
function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === tag);
}
