/** Answers with a rendition: packed when the client takes that, not at all when it has it already. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../exchange.ts';
import { takesGzip } from './preference.ts';
import type { Form, Rendition } from './rendition.ts';

export function rendered(
  rendition: Rendition | Promise<Rendition>,
  asked: IncomingHttpHeaders,
): Answer | Promise<Answer> {
  if (rendition instanceof Promise) return rendition.then((built) => rendered(built, asked));
  const { plain } = rendition;
  const packed = takesGzip(asked) ? rendition.packed() : null;
  if (packed instanceof Promise) return packed.then((form) => chosen(form ?? plain, asked));
  return chosen(packed ?? plain, asked);
}

function chosen({ tag, whole, unchanged }: Form, asked: IncomingHttpHeaders): Answer {
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
