/** Renders a problem as a page for clients that want HTML. */
import { withHeaders, type Finish, type Request } from '../http-types.ts';
import { pageHeadersOf } from '../page-headers.ts';
import { renderErrorPage } from '../pages/error-page.ts';
import type { PageContext } from '../pages/page-context.ts';
import { problemHeaders } from '../problem.ts';
import { prefersPage } from '../responses/preference.ts';

/** Whether only programs ask for a target: its problems are never pages. */
export function isForPrograms(target: string): boolean {
  return /^\/(?:api\/|metrics(?:[?#]|$)|healthz(?:[?#]|$))/.test(target);
}

export function errorPages({ site }: { readonly site: (request: Request) => PageContext }): Finish {
  return (httpReply, request) => {
    if (httpReply.status < 400) return httpReply;
    const isProblem = httpReply.headers['content-type'] === problemHeaders['content-type'];
    if (!isProblem || typeof httpReply.body !== 'string' || isForPrograms(request.target)) return httpReply;
    const vary = { vary: 'Accept' };
    if (!prefersPage(request.headers)) return withHeaders(httpReply, vary);
    const { status, title, detail } = JSON.parse(httpReply.body) as ProblemFields;
    const context = site(request);
    const body = renderErrorPage({ site: context, status, title, detail });
    return { ...withHeaders(httpReply, { ...pageHeadersOf(context), ...vary }), body };
  };
}

interface ProblemFields {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}
