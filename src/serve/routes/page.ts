/** What the routes of pages have in common: two forms, what caches may do with them, their parameters. */
import type { HttpReply, Headers } from '../http-types.ts';
import { htmlType, pageHeaders } from '../page-headers.ts';
import { rendered } from '../responses/send.ts';
import { prefersText } from '../responses/preference.ts';
import type { Pieces } from '../responses/pieces.ts';
import type { ViewerScope } from '../scope/scope.ts';
import { optional, type Parameters, whole, withDefault } from './parameter.ts';
import type { RouteReply, RouteCall } from './route.ts';

const textType = 'text/plain; charset=utf-8';

export const width = withDefault(whole(20, 1000), 80, {
  doc: 'How many columns a line of the plain text has at most.',
});

export const refresh = optional(whole(10, 86_400), {
  doc: 'Every so many seconds the page loads itself anew. Absent: never.',
});

export const pageAnswers: Readonly<Record<number, RouteReply>> = {
  200: { doc: 'A page, or aligned plain text for curl, wget and HTTPie.', types: [htmlType, textType] },
  304: { doc: 'It is what the client has already.', types: [] },
};

export interface Forms {
  /** The page and its parameters: no other has this name. */
  readonly name: string;
  /** Of the plain text. */
  readonly width: number;
  readonly maxAgeMs: number;
  readonly html: () => Promise<string | Pieces> | string;
  readonly text: () => Promise<string> | string;
  /** Further headers of the HTML. */
  readonly headers?: Headers;
}

/** The page in the form that the client prefers. */
export function pageAnswer(
  { scope, headers: asked }: Pick<RouteCall<Parameters>, 'scope' | 'headers'>,
  forms: Forms,
): Promise<HttpReply> | HttpReply {
  const { maxAgeMs, name, width: columns } = forms;
  const isText = prefersText(asked);
  const form = isText ? 'text' : 'html';
  const page = scope.kept(isText ? `text ${columns} ${name}` : `html ${name}`, {
    maxAgeMs,
    labels: () => {
      const own = isText ? {} : { ...pageHeaders, ...forms.headers };
      return {
        contentType: isText ? textType : htmlType,
        headers: { ...own, ...keeping(scope), vary: 'Accept, User-Agent, Authorization' },
        isKept: scope.isPublic,
      };
    },
    build: async () => {
      const page = await forms[form]();
      return typeof page === 'string' ? Buffer.from(page) : page;
    },
  });
  return rendered(page, asked);
}

/** Anybody's page may be kept, and is asked about before every use; one that a token opened is kept by nobody. */
export function keeping({ isPublic }: Pick<ViewerScope, 'isPublic'>): Headers {
  return { 'cache-control': isPublic ? 'no-cache' : 'private, no-store' };
}
