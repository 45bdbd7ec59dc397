/** Shows a problem as a page to those who read pages. */
import { withHeaders, type Finish, type Request } from '../exchange.ts';
import { pageHeaders } from '../page-headers.ts';
import { renderErrorPage } from '../pages/error-page.ts';
import type { Site } from '../pages/site.ts';
import { problemHeaders } from '../problem.ts';
import { prefersPage } from '../rendition/preference.ts';

/** Whether only programs ask for a target: its problems are never pages. */
export function isForPrograms(target: string): boolean {
  return /^\/(?:api\/|metrics(?:[?#]|$)|healthz(?:[?#]|$))/.test(target);
}

export function errorPages({ site }: { readonly site: (request: Request) => Site }): Finish {
  return (answer, request) => {
    const isProblem = answer.headers['content-type'] === problemHeaders['content-type'];
    if (!isProblem || typeof answer.body !== 'string' || isForPrograms(request.target)) return answer;
    const vary = { vary: 'Accept' };
    if (!prefersPage(request.headers)) return withHeaders(answer, vary);
    const { status, title, detail } = JSON.parse(answer.body) as ProblemFields;
    const body = renderErrorPage({ site: site(request), status, title, detail });
    return { ...withHeaders(answer, { ...pageHeaders, ...vary }), body };
  };
}

interface ProblemFields {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}
