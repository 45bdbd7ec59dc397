/** Leads addresses that people guess to those that there are. */
import { rfc3339 } from '../../engine/core/instant.ts';
import { linkTo } from '../pages/page-context.ts';
import { keeping } from './page.ts';
import { route } from './route.ts';

/** `to`: the path that is meant now. */
function redirect(path: string, summary: string, to: (now: string) => string) {
  return route({
    method: 'GET',
    path,
    summary,
    parameters: {},
    access: 'reader',
    limit: 'pages',
    answers: { 302: { doc: 'Where it is.', types: [] } },
    problems: [],
    handle: ({ scope, site, nowAt }) => {
      const location = linkTo(site, to(rfc3339(nowAt)));
      return { status: 302, headers: { ...keeping(scope), vary: 'Authorization', location }, body: '' };
    },
  });
}

export const currentReport = redirect(
  '/report',
  'The service report of this month',
  (now) => `/report/${now.slice(0, 7)}`,
);
export const historyFolder = redirect('/history/', 'The history', () => '/history');
