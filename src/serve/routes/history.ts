/** Serves the incident history: as a page, and as a feed. */
import { incidents as record } from '../../db/tables/incidents.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { renderFeed } from '../feed/atom.ts';
import { renderHistoryPage } from '../pages/history-page.ts';
import { renderHistoryText } from '../plain/history-text.ts';
import { HttpProblem } from '../problem.ts';
import { rendered } from '../responses/send.ts';
import type { ViewerScope } from '../scope/scope.ts';
import { keeping, pageAnswer, pageAnswers, width } from './page.ts';
import { looseText, matching, optional } from './parameter.ts';
import { route } from './route.ts';

const maxAgeMs = 2000;

/** As many incidents stand on a page, and in the feed. */
const pageSize = 50;

export const history = route({
  method: 'GET',
  path: '/history',
  summary: 'Incidents and alerts, the newest first',
  parameters: {
    before: optional(matching('the cursor of an earlier page', record.isCursor), {
      doc: 'Go on after an earlier page, with the cursor it ends with.',
    }),
    monitor: optional(looseText('the id of a monitor'), { doc: 'Only those of one monitor.' }),
    width,
  },
  access: 'reader',
  limit: 'pages',
  answers: pageAnswers,
  problems: [400, 404],
  handle: (call) => {
    const { scope, site, nowAt } = call;
    const { before, monitor, width: columns } = call.values;
    const only = monitor === null ? null : scope.monitor(monitor);
    if (monitor !== null && only === null) throw new HttpProblem(404, 'There is no such monitor.');
    const page = () => {
      return { ...scope.history({ limit: pageSize, before, monitor }), now: rfc3339(nowAt) };
    };
    return pageAnswer(call, {
      name: JSON.stringify(['history', before, monitor]),
      width: columns,
      maxAgeMs,
      html: () =>
        renderHistoryPage({
          ...page(),
          site,
          before,
          monitor,
          monitors: scope.monitors,
        }),
      text: () => renderHistoryText({ ...page(), title: site.title, nameOf: nameIn(scope), width: columns }),
    });
  },
});

const atomType = 'application/atom+xml; charset=utf-8';

export const feed = route({
  method: 'GET',
  path: '/history.atom',
  summary: 'The latest incidents as an Atom feed',
  parameters: {},
  access: 'reader',
  limit: 'pages',
  answers: {
    200: { doc: 'The feed.', types: [atomType] },
    304: { doc: 'It is what the client has already.', types: [] },
  },
  problems: [],
  handle: ({ scope, site, nowAt, headers: asked, origin: originOfCall }) => {
    const origin = originOfCall();
    const response = scope.kept(`feed ${origin}`, {
      maxAgeMs,
      labels: () => {
        const headers = { ...keeping(scope), vary: 'Authorization' };
        return { contentType: atomType, headers, isKept: scope.isPublic };
      },
      build: () =>
        Promise.resolve(
          Buffer.from(
            renderFeed({
              title: site.title,
              databaseUid: scope.databaseUid,
              origin,
              now: rfc3339(nowAt),
              incidents: scope.feed(pageSize),
              nameOf: nameIn(scope),
            }),
          ),
        ),
    });
    return rendered(response, asked);
  },
});

function nameIn(scope: ViewerScope): (id: string) => string {
  return (id) => scope.monitor(id)?.name ?? id;
}
