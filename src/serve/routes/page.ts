/** What the routes of pages have in common: two formats, caching, parameters. */
import type { HttpReply, Headers } from '../http-types.ts';
import { htmlType, pageHeadersOf } from '../page-headers.ts';
import { rendered } from '../responses/send.ts';
import { formFor } from '../responses/preference.ts';
import type { ViewerScope } from '../scope/viewer-scope.ts';
import { isLarge } from '../warm.ts';
import { optional, type Parameters, whole, withDefault } from './parameter.ts';
import type { RouteReply, RouteCall } from './route.ts';

export const textType = 'text/plain; charset=utf-8';

export const width = withDefault(whole(20, 1000), 80, {
  doc: 'The longest line of the plain text, in columns.',
});

export const refresh = optional(whole(10, 86_400), {
  doc: 'How often the page reloads itself, in seconds. Absent: never.',
});

export const pageAnswers: Readonly<Record<number, RouteReply>> = {
  200: { doc: 'A page, or aligned plain text for curl, wget and HTTPie.', types: [htmlType, textType] },
  304: { doc: 'The client has the current version already.', types: [] },
};

export interface Forms {
  /** The page and its parameters: no other has this name. */
  readonly name: string;
  /** Of the plain text. */
  readonly width: number;
  readonly maxAgeMs: number;
  readonly html: () => Promise<string> | string;
  readonly text: () => Promise<string> | string;
  /** Further headers of the HTML. */
  readonly headers?: Headers;
}

/** The page in the form that the client prefers. */
export function pageAnswer(
  { scope, site, headers: asked }: Pick<RouteCall<Parameters>, 'scope' | 'site' | 'headers'>,
  forms: Forms,
): Promise<HttpReply> | HttpReply {
  const { maxAgeMs, name, width: columns } = forms;
  const { form, isByAgent } = formFor(asked);
  const isText = form === 'text';
  const way = isByAgent ? 'agent' : 'accept';
  const page = scope.kept(isText ? `text ${way} ${columns} ${name}` : `html ${way} ${name}`, {
    maxAgeMs,
    ...(scope.isPublic && isLarge(scope.monitors) && { staleMs: shownMeanwhileMs }),
    labels: () => {
      const own = isText ? {} : { ...pageHeadersOf(site), ...forms.headers };
      // A cache with an entry for each browser would keep nothing.
      const vary = isByAgent ? 'Accept, User-Agent, Authorization' : 'Accept, Authorization';
      return {
        contentType: isText ? textType : htmlType,
        headers: { ...own, ...keeping(scope), vary },
        isKept: scope.isPublic,
      };
    },
    build: async () => Buffer.from(await forms[form]()),
  });
  return rendered(page, asked);
}

/** As long as caches may show it meanwhile (`stale-while-revalidate`). */
const shownMeanwhileMs = 30_000;

/**
 * A public page may be cached for a moment, and shown while a newer one is fetched or this server cannot be reached; one
 * that a token opened is kept by nobody.
 */
export function keeping({ isPublic }: Pick<ViewerScope, 'isPublic'>): Headers {
  return { 'cache-control': isPublic ? publicly : 'private, no-store' };
}

const publicly = 'public, max-age=5, stale-while-revalidate=30, stale-if-error=86400';
