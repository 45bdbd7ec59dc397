/** Renders the SLA report of a month, for the screen and for paper. */
import { rfc3339 } from '../../engine/core/instant.ts';
import type {
  Report,
  ReportFigures,
  ReportGroup,
  ReportTotal,
  SloVerdict,
} from '../../engine/views/report.ts';
import { html, type Html, type HtmlPart } from './html.ts';
import { heading, renderFrame, time } from './layout.ts';
import { linkTo, type PageContext, speechOf } from './page-context.ts';
import type { Speech } from './words/speech.ts';

export interface ReportPageFacts {
  readonly site: PageContext;
  /** RFC 3339. */
  readonly now: string;
  readonly report: Report;
  /** The month in which the record begins; null: nothing is on record. */
  readonly recordMonth: string | null;
  /** Null: the month is not closed. */
  readonly closed: { readonly closedAt: number } | null;
  /** The group that the report is restricted to; null: all. */
  readonly group: string | null;
  /** Months that can be asked for, before and after this one; null: none. */
  readonly previous: string | null;
  readonly following: string | null;
}

export function renderReportPage(facts: ReportPageFacts): string {
  const { site, now, report, closed, group } = facts;
  const { month, zone, total, groups, isRunning, toAt } = report;
  const speech = speechOf(site);
  const { words } = speech;
  const title = speech.fill('reportTitle', speech.month(month));
  const until = rfc3339(toAt);
  const running = isRunning
    ? speech.fillHtml('reportRunning', time(minuteOf(until), speech.time(until)))
    : null;
  const stored =
    closed === null
      ? null
      : speech.fillHtml(
          'reportClosed',
          time(rfc3339(closed.closedAt), speech.date(rfc3339(closed.closedAt))),
        );
  const noData = total.uptime === null ? `${noDataText(facts, speech)} ` : null;
  return renderFrame({
    site,
    title: group === null ? title : `${group}: ${title}`,
    description: `${noData ?? `${speech.fill('uptime', speech.percent(total.uptime))}, `}${speech.count('incidents', total.incidents)}.`,
    path: `/report/${month}`,
    current: 'report',
    month: speech.isoDay(now).slice(0, 7),
    main: [
      heading(title, [
        group === null ? null : html`<bdi>${group}</bdi>. `,
        zone === 'UTC' ? null : html`<bdi>${zone}</bdi>. `,
        noData,
        running,
        stored,
      ]),
      groups.length === 0
        ? html`<section class="card pad"><p>${words.reportEmpty}</p></section>`
        : [renderTotal(total, speech), groups.map((one, index) => renderGroup(one, index, speech))],
      html`<section class="small"><p>${words.reportNote}</p></section>`,
      pager(facts, speech),
    ],
    footer: speech.fillHtml('reportMade', time(minuteOf(now), speech.time(now))),
  });
}

/** The seconds of an instant are shown nowhere. */
function minuteOf(instant: string): string {
  return `${instant.slice(0, 16)}Z`;
}

/** Why a month has no figures. */
function noDataText({ report: { month }, recordMonth }: ReportPageFacts, speech: Speech): string {
  return recordMonth !== null && month < recordMonth
    ? speech.fill('reportBefore', speech.month(recordMonth))
    : `${speech.words.noData}.`;
}

/** All of it in a few figures. */
function renderTotal(total: ReportTotal, speech: Speech): Html {
  const { words } = speech;
  const { uptime, coverage, incidents, downtimeMs, meanDowntimeMs, maintenanceMs, slosMet, slosMissed } =
    total;
  const slos = slosMet + slosMissed;
  const figure = (title: string, value: HtmlPart) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`;
  return html`<dl class="card facts">${figure(words.uptimes, speech.percent(uptime))}${figure(words.coverage, speech.percent(coverage))}${figure(words.monitorIncidents, speech.number(incidents))}${figure(words.downtime, spanText(downtimeMs, speech))}${
    downtimeMs === meanDowntimeMs ? null : figure(words.meanPerService, spanText(meanDowntimeMs, speech))
  }${maintenanceMs === 0 ? null : figure(words.excluded, spanText(maintenanceMs, speech))}${slos === 0 ? null : figure('SLO', speech.fill('slosMet', slosMet, slos))}</dl>
`;
}

function renderGroup({ name, rows, total }: ReportGroup, index: number, speech: Speech): Html {
  const { words } = speech;
  const id = `group-${index}`;
  const title = name ?? (index === 0 ? words.services : words.otherServices);
  const head = html`<tr>${[words.services, ...columnsOf(speech)].map((column) => html`<th scope="col">${column}</th>`)}</tr>`;
  const body = rows.map(
    (row) =>
      html`<tr><th scope="row"><bdi>${row.name}</bdi>${removedNote(row.removedAt, speech)}</th>${cellsOf([...figures(row, speech), ...sloFigures(row.slo, speech)], speech)}</tr>`,
  );
  return html`<section aria-labelledby="${id}"><h2 id="${id}"><bdi>${title}</bdi></h2><div class="card scroll" tabindex="0" role="group" aria-labelledby="${id}"><table><thead>${head}</thead><tbody>${body}</tbody>${rows.length > 1 ? html`<tfoot>${totalRow(total, speech)}</tfoot>` : null}</table></div></section>
`;
}

function removedNote(removedAt: number | null, speech: Speech): Html | null {
  if (removedAt === null) return null;
  const instant = rfc3339(removedAt);
  return html` <span class="soft">(${speech.fillHtml('reportRemoved', time(instant, speech.date(instant)))})</span>`;
}

function columnsOf({ words }: Speech): readonly string[] {
  return [
    words.uptimes,
    words.coverage,
    words.monitorIncidents,
    words.downtime,
    words.recovery,
    'SLO',
    words.budgetUsed,
  ];
}

/** The cells of a row; on a phone each shows its column above it, and null is not shown at all. */
function cellsOf(values: readonly HtmlPart[], speech: Speech): readonly Html[] {
  const columns = columnsOf(speech);
  return values.map((value, index) =>
    value === null ? html`<td>–</td>` : html`<td data-l="${columns[index] ?? ''}">${value}</td>`,
  );
}

function totalRow(total: ReportTotal, speech: Speech): Html {
  const { downtimeMs, meanDowntimeMs, slosMet, slosMissed } = total;
  const slos = slosMet + slosMissed;
  const mean =
    downtimeMs === meanDowntimeMs
      ? null
      : html` <span class="soft">${speech.fill('meanDowntime', speech.exactSpan(meanDowntimeMs))}</span>`;
  const met = slos === 0 ? null : speech.fill('slosMet', slosMet, slos);
  return html`<tr><th scope="row">${speech.words.together}</th>${cellsOf([...figures(total, speech, mean), met, null], speech)}</tr>`;
}

function figures(
  { uptime, coverage, incidents, downtimeMs, mttrMs }: ReportFigures,
  speech: Speech,
  mean: Html | null = null,
): readonly HtmlPart[] {
  return [
    speech.percent(uptime),
    speech.percent(coverage),
    speech.number(incidents),
    html`${spanText(downtimeMs, speech)}${mean}`,
    spanText(mttrMs, speech),
  ];
}

/** The verdict, and how much of the budget is used. */
function sloFigures(slo: SloVerdict, speech: Speech): readonly HtmlPart[] {
  const { words } = speech;
  const target = slo.kind === 'none' ? '' : `${speech.number(slo.targetPercent)} %`;
  switch (slo.kind) {
    case 'none':
      return [null, null];
    case 'no_data':
      return [html`${target} ${words.dayUnknown}`, null];
    case 'met':
    case 'missed': {
      const isMet = slo.kind === 'met';
      const word = html`<span class="word ${isMet ? 'c-up' : 'c-down'}">${isMet ? words.sloMet : words.sloMissed}</span>`;
      const budgetMs = slo.budgetMinutes * 60_000;
      // In whole minutes, unless it has not come to one yet.
      const budgetText = budgetMs < 60_000 ? speech.exactSpan(budgetMs) : speech.span(budgetMs);
      const budget = html`<span class="soft">${budgetText}</span>`;
      return [
        html`${target} ${word}`,
        speech.fillHtml('shareOf', `${speech.number(slo.usedPercent)} %`, budget),
      ];
    }
  }
}

function spanText(ms: number | null, speech: Speech): string {
  return ms === null || ms === 0 ? '–' : speech.exactSpan(ms);
}

function pager({ site, previous, following, group }: ReportPageFacts, speech: Speech): Html | null {
  const link = (month: string | null, words: (name: string) => string) =>
    month === null
      ? html`<span></span>`
      : html`<a href="${linkTo(site, `/report/${month}`, { group })}">${words(speech.month(month))}</a>`;
  return html`<nav class="pager" aria-label="${speech.words.otherMonths}">${link(previous, (name) => `‹ ${name}`)}${link(following, (name) => `${name} ›`)}</nav>`;
}
