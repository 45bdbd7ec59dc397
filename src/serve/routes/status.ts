/** Serves the status page, whole or restricted to a group. */
import type { HttpReply } from '../http-types.ts';
import { renderStatusPage } from '../pages/status-page.ts';
import { HttpProblem } from '../problem.ts';
import { withPauses } from '../../engine/core/yielding.ts';
import { pageAnswer, pageAnswers, refresh, width } from './page.ts';
import { inPath } from './parameter.ts';
import { type RouteCall, route } from './route.ts';

/** Samples arrive all the time; a page is a little behind. */
const maxAgeMs = 2000;

const parameters = { width, refresh };

export const statusPage = route({
  method: 'GET',
  path: '/',
  summary: 'The status page',
  parameters,
  access: 'reader',
  limit: 'pages',
  answers: pageAnswers,
  problems: [400],
  handle: (call) => answer(call, null),
});

export const groupPage = route({
  method: 'GET',
  path: '/status/{group}',
  summary: 'The status page of one display group',
  parameters: { group: inPath({ doc: 'The name of the group.' }), ...parameters },
  access: 'group',
  limit: 'pages',
  answers: pageAnswers,
  problems: [400, 404],
  handle: (call) => {
    const { group } = call.values;
    if (!call.scope.hasGroup(group)) throw new HttpProblem(404, 'There is no such group.');
    return answer(call, group);
  },
});

function answer(call: RouteCall<typeof parameters>, group: string | null): Promise<HttpReply> | HttpReply {
  const { scope, site, values } = call;
  const { refresh: refreshSecs, width: columns } = values;
  return pageAnswer(call, {
    // What may be any text stands last.
    name: group === null ? `status ${refreshSecs}` : `group ${refreshSecs} ${group}`,
    width: columns,
    maxAgeMs,
    html: async () => {
      const { hasPages } = scope;
      const facts = { ...(await scope.overview(group)), hasPages, group, site, refreshSecs };
      return renderStatusPage(facts);
    },
    text: async () => {
      const { statusTextSteps } = await import('../plain/status-text.ts');
      const showsLatency = scope.settings.page.show_latency;
      const facts = { ...(await scope.overview(group)), group, showsLatency, width: columns };
      return withPauses(statusTextSteps(facts), scope.yieldTurn);
    },
    headers: refreshSecs === null ? {} : { refresh: String(refreshSecs) },
  });
}
