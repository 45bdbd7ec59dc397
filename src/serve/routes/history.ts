/** Serves the incident history: as a page, as a feed, and its maintenance as a calendar. */
import { incidents as record } from '../../db/tables/incidents.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { renderCalendar } from '../feed/calendar.ts';
import { renderFeed } from '../feed/atom.ts';
import { renderHistoryPage } from '../pages/history-page.ts';
import { speechOf } from '../pages/page-context.ts';
import { HttpProblem } from '../problem.ts';
import { rendered } from '../responses/send.ts';
import type { ViewerScope } from '../scope/viewer-scope.ts';
import { keeping, pageAnswer, pageAnswers, width } from './page.ts';
import { looseText, matching, optional } from './parameter.ts';
import { exampleCursor } from './schema.ts';
import { route } from './route.ts';

const maxAgeMs = 2000;

/** How many incidents are on a page, and in the feed. */
const pageSize = 50;

const narrowing = {
  monitor: optional(looseText('the id of a monitor'), { doc: 'Only those of this monitor.' }),
  group: optional(looseText('the name of a group'), { doc: 'Only those of this display group.' }),
};

/** The name of what was asked for; null: everything. Throws a 404 for what does not exist for the viewer. */
function aboutOf({ monitor, group }: Narrowing, scope: ViewerScope): string | null {
  const only = monitor === null ? null : scope.monitor(monitor);
  if (monitor !== null && only === null) throw new HttpProblem(404, 'There is no such monitor.');
  if (group !== null && (!scope.hasGroup(group) || (only !== null && only.group !== group)))
    throw new HttpProblem(404, 'There is no such group.');
  return only?.name ?? group;
}

interface Narrowing {
  readonly monitor: string | null;
  readonly group: string | null;
}

export const history = route({
  method: 'GET',
  path: '/history',
  summary: 'Incidents and alerts, the newest first',
  parameters: {
    before: optional(
      matching('the cursor of an earlier page', { isRight: record.isCursor, examples: [exampleCursor] }),
      {
        doc: 'The cursor at the end of the page before.',
      },
    ),
    ...narrowing,
    width,
  },
  access: 'reader',
  limit: 'pages',
  answers: pageAnswers,
  problems: [400, 404],
  handle: (call) => {
    const { scope, site, nowAt } = call;
    const { before, monitor, group, width: columns } = call.values;
    aboutOf(call.values, scope);
    const page = () => {
      return { ...scope.history({ limit: pageSize, before, monitor, group }), now: rfc3339(nowAt) };
    };
    return pageAnswer(call, {
      name: JSON.stringify(['history', before, monitor, group]),
      width: columns,
      maxAgeMs,
      html: () =>
        renderHistoryPage({
          ...page(),
          site,
          before,
          monitor,
          group,
          monitors: scope.monitors,
        }),
      text: async () => {
        const { renderHistoryText } = await import('../plain/history-text.ts');
        return renderHistoryText({ ...page(), title: site.title, nameOf: nameIn(scope), width: columns });
      },
    });
  },
});

const atomType = 'application/atom+xml; charset=utf-8';

export const feed = route({
  method: 'GET',
  path: '/history.atom',
  summary: 'The latest incidents, announcements and maintenance as an Atom feed',
  parameters: narrowing,
  access: 'reader',
  limit: 'pages',
  answers: {
    200: { doc: 'The feed.', types: [atomType] },
    304: { doc: 'The client has the current version already.', types: [] },
  },
  problems: [404],
  handle: ({ values, scope, site, nowAt, headers: asked, origin: originOfCall }) => {
    const origin = originOfCall();
    const { monitor, group } = values;
    const about = aboutOf(values, scope);
    const query = queryOf({ monitor, group });
    const response = scope.kept(`feed ${origin} ${query}`, {
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
              about,
              query,
              ...scope.feed({ limit: pageSize, monitor, group }),
              nameOf: nameIn(scope),
              speech: speechOf(site),
            }),
          ),
        ),
    });
    return rendered(response, asked);
  },
});

const calendarType = 'text/calendar; charset=utf-8';

/** How long a window stays in the calendar when it is over. */
const overMs = 30 * 86_400_000;

export const calendar = route({
  method: 'GET',
  path: '/maintenance.ics',
  summary: 'Maintenance as a calendar (iCalendar)',
  parameters: {},
  access: 'reader',
  limit: 'pages',
  answers: {
    200: { doc: 'Each window of the past 30 days and of those to come is an event.', types: [calendarType] },
    304: { doc: 'The client has the current version already.', types: [] },
  },
  problems: [],
  handle: ({ scope, site, nowAt, headers: asked, origin: originOfCall }) => {
    const origin = originOfCall();
    const response = scope.kept(`calendar ${origin}`, {
      maxAgeMs,
      labels: () => {
        const headers = { ...keeping(scope), vary: 'Authorization' };
        return { contentType: calendarType, headers, isKept: scope.isPublic };
      },
      build: () => {
        const windows = scope.maintenances().filter(({ endAt }) => endAt > nowAt - overMs);
        const { databaseUid } = scope;
        const facts = {
          title: site.title,
          databaseUid,
          origin,
          windows,
          nameOf: nameIn(scope),
          speech: speechOf(site),
        };
        return Promise.resolve(Buffer.from(renderCalendar(facts)));
      },
    });
    return rendered(response, asked);
  },
});

function queryOf(asked: Narrowing): string {
  const given = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function nameIn(scope: ViewerScope): (id: string) => string {
  return (id) => scope.monitor(id)?.name ?? id;
}
