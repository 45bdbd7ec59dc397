/** Answers with a rendition: packed when the client takes that, not at all when it has it already. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../exchange.ts';
import { takesGzip } from './preference.ts';
import type { Rendition } from './rendition.ts';

export async function rendered(rendition: Rendition, asked: IncomingHttpHeaders): Promise<Answer> {
  const packing = takesGzip(asked) ? rendition.packed() : null;
  const packed = packing instanceof Promise ? await packing : packing;
  const { tag, whole, unchanged } = packed ?? rendition.plain;
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
