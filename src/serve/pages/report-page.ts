/** Renders the SLA report of a month, for the screen and for paper. */
import { durationText } from '../../engine/core/duration.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { counted } from '../../engine/core/words.ts';
import type {
  Report,
  ReportFigures,
  ReportGroup,
  ReportTotal,
  SloVerdict,
} from '../../engine/views/report.ts';
import { monthText, percentText, timeText } from '../../engine/views/page-wording.ts';
import { downtimeTexts, maintenanceTexts, noDataText } from '../../engine/views/report-wording.ts';
import { html, type Html, type HtmlPart } from './html.ts';
import { heading, renderFrame, time } from './layout.ts';
import { linkTo, type PageContext } from './page-context.ts';

export interface ReportPageFacts {
  readonly site: PageContext;
  /** RFC 3339. */
  readonly now: string;
  readonly report: Report;
  /** The month in which the record begins; null: nothing is on record. */
  readonly recordMonth: string | null;
  /** The group that the report is restricted to; null: all. */
  readonly group: string | null;
  /** Months that can be asked for, before and after this one; null: none. */
  readonly previous: string | null;
  readonly following: string | null;
}

export function renderReportPage(facts: ReportPageFacts): string {
  const { site, now, report, recordMonth, group } = facts;
  const { month, total, isRunning, toAt } = report;
  const title = `Service report, ${monthText(month)}`;
  const until = isRunning
    ? html`The month still runs: figures up to ${time(rfc3339(toAt), timeText(rfc3339(toAt)))}.`
    : null;
  return renderFrame({
    site,
    title: group === null ? title : `${group}: ${title}`,
    description: summaryText(report, recordMonth),
    path: `/report/${month}`,
    current: 'report',
    month: now.slice(0, 7),
    main: [
      heading(
        title,
        html`${group === null ? null : html`<bdi>${group}</bdi>. `}${summaryText(report, recordMonth)} ${until}`,
      ),
      report.groups.length === 0 ? nothing : report.groups.map((one, index) => renderGroup(one, index)),
      report.groups.length > 1 ? renderTotal(total) : null,
      explanation,
      pager(facts),
    ],
    footer: html`Made ${time(now, timeText(now))}.`,
  });
}

const nothing = html`<section class="card pad"><h2>Nothing to report</h2><p>No monitor is in this report.</p></section>`;

const explanation = html`<section class="small"><h2 class="vh">How it is reckoned</h2><p>Uptime is a share of the time that was observed, cut after two decimals and never rounded up; every failed check counts, confirmed or not. Coverage says how much of the time was observed. The error budget is what the promise allows of that time. Time under maintenance is left out of all of these. Incidents are confirmed outages; their downtime is what lies within the month, and of several monitors together the time with at least one outage. Time to recovery is the mean of those that ended in it.</p></section>`;

function summaryText({ month, total }: Report, recordMonth: string | null): string {
  const { uptime, coverage, incidents, slosMet, slosMissed } = total;
  const promises = slosMet + slosMissed;
  const kept = promises === 0 ? '' : ` ${slosMet} of ${counted(promises, 'SLO')} met.`;
  if (uptime === null) return `${noDataText(month, recordMonth)}.${kept}`;
  const figures = [
    `coverage ${percentText(coverage)}`,
    counted(incidents, 'incident'),
    ...downtimeTexts(total),
    ...maintenanceTexts(total),
  ];
  return `Uptime ${percentText(uptime)}, ${figures.join(', ')}.${kept}`;
}

const head = html`<thead><tr><th scope="col">Monitor</th><th scope="col">Uptime</th><th scope="col">Coverage</th><th scope="col">Incidents</th><th scope="col">Downtime</th><th scope="col">Recovery</th><th scope="col">SLO</th><th scope="col">Budget used</th></tr></thead>`;

function renderGroup({ name, rows, total }: ReportGroup, index: number): Html {
  const id = `group-${index}`;
  const words = name ?? (index === 0 ? 'Monitors' : 'Other monitors');
  const body = rows.map(
    (row) =>
      html`<tr><th scope="row"><bdi>${row.name}</bdi></th>${figureCells(row)}${sloCells(row.slo)}</tr>`,
  );
  return table(id, { words, rows: body, total: rows.length > 1 ? totalRow('Together', total) : null });
}

function renderTotal(total: ReportTotal): Html {
  return table('total', { words: 'Everything', rows: totalRow('All monitors', total), total: null });
}

interface TableParts {
  readonly words: string;
  readonly rows: HtmlPart;
  readonly total: Html | null;
}

function table(id: string, { words, rows, total }: TableParts): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}"><bdi>${words}</bdi></h2><div class="card scroll" tabindex="0" role="group" aria-labelledby="${id}"><table>${head}<tbody>${rows}</tbody>${total === null ? null : html`<tfoot>${total}</tfoot>`}</table></div></section>
`;
}

function totalRow(words: string, total: ReportTotal): Html {
  const promises = total.slosMet + total.slosMissed;
  const kept = promises === 0 ? '–' : `${total.slosMet} of ${promises} met`;
  const { downtimeMs, meanDowntimeMs } = total;
  const mean =
    downtimeMs === meanDowntimeMs
      ? null
      : html` <span class="soft">mean ${durationText(meanDowntimeMs)}</span>`;
  return html`<tr><th scope="row">${words}</th>${figureCells(total, mean)}<td>${kept}</td><td>–</td></tr>`;
}

function figureCells(
  { uptime, coverage, incidents, downtimeMs, mttrMs }: ReportFigures,
  mean: Html | null = null,
): Html {
  return html`<td>${percentText(uptime)}</td><td>${percentText(coverage)}</td><td>${incidents}</td><td>${downtimeMs === 0 ? '–' : durationText(downtimeMs)}${mean}</td><td>${mttrMs === null ? '–' : durationText(mttrMs)}</td>`;
}

function sloCells(slo: SloVerdict): Html {
  switch (slo.kind) {
    case 'none':
      return html`<td>–</td><td>–</td>`;
    case 'no_data':
      return html`<td>${slo.targetPercent}% no data</td><td>–</td>`;
    case 'met':
    case 'missed': {
      const tone = slo.kind === 'met' ? 'c-up' : 'c-down';
      return html`<td>${slo.targetPercent}% <span class="word ${tone}">${slo.kind}</span></td><td>${slo.usedPercent}% <span class="soft">of ${minutes(slo.budgetMinutes)}</span></td>`;
    }
  }
}

function minutes(count: number): string {
  return durationText(count * 60_000);
}

function pager({ site, previous, following, group }: ReportPageFacts): Html | null {
  const link = (month: string | null, words: (name: string) => string) =>
    month === null
      ? html`<span></span>`
      : html`<a href="${linkTo(site, `/report/${month}`, { group })}">${words(monthText(month))}</a>`;
  return html`<nav class="pager" aria-label="Other months">${link(previous, (name) => `‹ ${name}`)}${link(following, (name) => `${name} ›`)}</nav>`;
}
