/** Serves the page of one monitor, and that of one incident. */
import { rfc3339 } from '../../engine/core/instant.ts';
import { noFigures } from '../../engine/views/page.ts';
import { renderIncidentPage } from '../pages/incident-page.ts';
import { renderMonitorPage } from '../pages/monitor-page.ts';
import { withPauses } from '../../engine/core/yielding.ts';
import { HttpProblem } from '../problem.ts';
import { pageAnswer, pageAnswers, width } from './page.ts';
import { inPath, monitorId } from './parameter.ts';
import { route } from './route.ts';

const maxAgeMs = 5000;

/** As long as the longest of its charts, and as many marks on them. */
const marksMs = 90 * 86_400_000;
const maxMarks = 100;

/** How many of its incidents are on the page of a monitor. */
const maxIncidents = 20;

export const monitorPage = route({
  method: 'GET',
  path: '/monitor/{id}',
  summary: 'The page of one monitor: its days, response times and incidents',
  parameters: { id: monitorId, width },
  access: 'reader',
  limit: 'pages',
  answers: pageAnswers,
  problems: [400, 404],
  handle: (call) => {
    const { scope, site, nowAt } = call;
    const { id, width: columns } = call.values;
    const configured = scope.monitor(id);
    if (configured === null) throw new HttpProblem(404, 'There is no such monitor.');
    const record = () => {
      const page = scope.incidents({ limit: maxIncidents, before: null, monitor: id });
      return scope.newsAmong(page.incidents);
    };
    return pageAnswer(call, {
      name: JSON.stringify(['monitor', id]),
      width: columns,
      maxAgeMs,
      html: async () => {
        const { summary, figures, names } = await scope.overviewOf(id);
        const [monitor] = summary.monitors;
        if (monitor === undefined) throw new HttpProblem(404, 'There is no such monitor.');
        return renderMonitorPage({
          site,
          now: rfc3339(nowAt),
          monitor,
          figures: figures.get(id) ?? noFigures,
          ranges: scope.settings.page.show_latency ? scope.latencyRanges(id) : [],
          marks: scope.latestEvents(id, { fromAt: nowAt - marksMs, limit: maxMarks }),
          incidents: record(),
          maintenances: summary.maintenances,
          heatmap: { ...scope.heatmap(id), name: configured.name },
          nameOf: (other) => names.get(other) ?? other,
        });
      },
      text: async () => {
        const [{ statusTextSteps }, { renderHistoryText }] = await Promise.all([
          import('../plain/status-text.ts'),
          import('../plain/history-text.ts'),
        ]);
        const showsLatency = scope.settings.page.show_latency;
        const overview = await scope.overviewOf(id);
        const facts = { ...overview, group: configured.name, showsLatency, width: columns };
        const now = await withPauses(statusTextSteps(facts), scope.yieldTurn);
        const then = renderHistoryText({
          title: configured.name,
          now: rfc3339(nowAt),
          incidents: record(),
          alerts: [],
          next: null,
          nameOf: (other) => scope.monitor(other)?.name ?? other,
          width: columns,
        });
        return `${now}\n${then}`;
      },
    });
  },
});

export const incidentPage = route({
  method: 'GET',
  path: '/incidents/{uid}',
  summary: 'The page of one incident',
  parameters: { uid: inPath({ doc: 'The uid of the incident, as in its links.' }), width },
  access: 'reader',
  limit: 'pages',
  answers: pageAnswers,
  problems: [400, 404],
  handle: (call) => {
    const { scope, site, nowAt } = call;
    const { uid, width: columns } = call.values;
    const read = () => {
      const found = scope.incident(uid);
      if (found === null) throw new HttpProblem(404, 'There is no such incident.');
      return found.incident;
    };
    const now = rfc3339(nowAt);
    const nameOf = (id: string) => scope.monitor(id)?.name ?? id;
    const postmortem = () => scope.postmortem(read().uid)?.text ?? null;
    read();
    return pageAnswer(call, {
      name: JSON.stringify(['incident', uid]),
      width: columns,
      maxAgeMs,
      html: () =>
        renderIncidentPage({
          site,
          now,
          incident: read(),
          postmortem: postmortem(),
          nameOf,
          hasPages: (id) => scope.monitor(id) !== null && scope.hasPages(id),
        }),
      text: async () => {
        const { renderIncidentText } = await import('../plain/history-text.ts');
        return renderIncidentText({
          title: site.title,
          now,
          incident: read(),
          postmortem: postmortem(),
          nameOf,
          width: columns,
        });
      },
    });
  },
});
