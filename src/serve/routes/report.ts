/** Serves the SLA report of a month. */
import { rfc3339 } from '../../engine/core/instant.ts';
import { renderReportPage } from '../pages/report-page.ts';
import { HttpProblem } from '../problem.ts';
import { withPauses } from '../../engine/core/yielding.ts';
import { pageAnswer, pageAnswers, width } from './page.ts';
import { inPath, looseText, optional } from './parameter.ts';
import { route } from './route.ts';

const maxAgeMs = 10_000;

export const report = route({
  method: 'GET',
  path: '/report/{month}',
  summary: 'The service report of a month',
  parameters: {
    month: inPath({ doc: 'The month, in the time zone of the page: 2026-11.' }),
    group: optional(looseText('the name of a group'), { doc: 'Only the monitors of one group.' }),
    width,
  },
  access: 'reader',
  limit: 'pages',
  answers: pageAnswers,
  problems: [400, 404],
  handle: (call) => {
    const { scope, site, nowAt } = call;
    const { month, group, width: columns } = call.values;
    if (group !== null && !scope.hasGroup(group)) throw new HttpProblem(404, 'There is no such group.');
    const read = async () => {
      const found = await scope.report(month, group);
      if (found === null) throw new HttpProblem(404, 'There is no report for this month.');
      return found;
    };
    return pageAnswer(call, {
      name: JSON.stringify(['report', month, group]),
      width: columns,
      maxAgeMs,
      html: async () => {
        const found = await read();
        await scope.yieldTurn();
        return renderReportPage({ ...found, site, now: rfc3339(nowAt), group });
      },
      text: async () => {
        const { reportTextSteps } = await import('../plain/report-text.ts');
        const facts = { ...(await read()), title: site.title, group, width: columns };
        return withPauses(reportTextSteps(facts), scope.yieldTurn);
      },
    });
  },
});
