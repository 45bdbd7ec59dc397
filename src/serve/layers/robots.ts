/** Keeps search engines from listing what is no page, where they may not list the pages: feeds, pictures, text, JSON. */
import type { Finish } from '../http-types.ts';

export interface RobotsOptions {
  readonly isIndexed: () => boolean;
}

export function robots({ isIndexed }: RobotsOptions): Finish {
  return (httpReply) =>
    isIndexed() ? httpReply : { ...httpReply, also: [...(httpReply.also ?? []), 'x-robots-tag', 'noindex'] };
}
