/** Renders the page of one monitor: its status, days, response times and incidents. */
import { heatmapFigures, heatmapLabels } from '../../engine/views/heatmap.ts';
import { latencyText } from '../../engine/core/duration.ts';
import type { PageDay } from '../../engine/views/day.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import type { PageFigures, PageMaintenance, ShownMonitor } from '../../engine/views/page.ts';
import type { LatencyPoint } from '../../engine/views/page-latency.ts';
import { inlineHeatmap, type NamedHeatmap } from '../svg/heatmap.ts';
import { kindOf, renderBars, titleOf } from './bars.ts';
import { type ChartMark, renderChart } from './chart.ts';
import { html, type Html, urlPart } from './html.ts';
import { renderOpenIncidents, renderPastIncident } from './incident.ts';
import { renderFrame, stateIcon, time } from './layout.ts';
import { renderMaintenances } from './notices.ts';
import { brandOf, linkTo, linkToHeatmap, type PageContext, speechOf } from './page-context.ts';
import type { Speech } from './words/speech.ts';

/** The response times of the last `hours`, oldest first. */
export interface LatencyRange {
  readonly hours: number;
  readonly points: readonly LatencyPoint[];
}

export interface MonitorPageFacts {
  readonly site: PageContext;
  /** RFC 3339. */
  readonly now: string;
  readonly monitor: ShownMonitor;
  readonly figures: PageFigures;
  readonly ranges: readonly LatencyRange[];
  /** What was changed about it, the oldest first; absent: nothing. */
  readonly marks?: readonly ChartMark[];
  /** Its latest, the newest first. */
  readonly incidents: readonly IncidentView[];
  /** What it is or will be under; absent: nothing. */
  readonly maintenances?: readonly PageMaintenance[];
  readonly heatmap: NamedHeatmap;
  readonly nameOf: (id: string) => string;
}

/** Where the reader gets to the picture of a badge; the token of a reader is in no address that is passed on. */
function badgeAddress({ base, origin = null }: PageContext, id: string, kind: 'status' | 'uptime'): string {
  return `${origin ?? base}/api/badge/${urlPart(id)}/${kind}`;
}

export function renderMonitorPage(facts: MonitorPageFacts): string {
  const { site, now, monitor, figures, incidents, nameOf } = facts;
  const { id, name, state, description, url, group, last_checked } = monitor;
  const speech = speechOf(site);
  const { words } = speech;
  const place = { site, now, nameOf };
  const open = incidents.filter(({ ended_at }) => ended_at === null);
  const over = incidents.filter(({ ended_at }) => ended_at !== null);
  const checked =
    last_checked === null
      ? words.noData
      : speech.fillHtml(
          'lastChecked',
          time(`${last_checked.slice(0, 16)}Z`, speech.shortTime(last_checked, now)),
        );
  const groupLink =
    group === null
      ? null
      : html` › <a href="${linkTo(site, `/status/${urlPart(group)}`)}"><bdi>${group}</bdi></a>`;
  return renderFrame({
    site,
    title: `${name}: ${words[state]}`,
    description: `${name}: ${words[state]}. ${speech.fill('uptime', speech.percent(figures.shown))}.`,
    path: `/monitor/${urlPart(id)}`,
    month: speech.isoDay(now).slice(0, 7),
    main: [
      html`<p class="crumb"><a href="${linkTo(site, '/')}">${words.allServices}</a>${groupLink}</p><div class="verdict v-${state}">${stateIcon(state)}<div><h1><bdi>${name}</bdi>: ${words[state]}</h1>${description === null ? null : html`<p>${description}</p>`}<p>${checked}${url === null ? null : html` · <a href="${url}">${words.website}</a>`}</p></div></div>
`,
      renderOpenIncidents(open, place, () => null),
      renderMaintenances(facts.maintenances ?? [], { ...place, speech }),
      uptimes(figures, speech),
      html`<section aria-labelledby="days"><h2 id="days">${words.calendar}</h2><div class="card pad">${renderBars(monitor.history, figures.shown, speech)}</div>${calendar(monitor.history, speech)}</section>
`,
      brandOf(site).showsLatency ? latency(facts) : null,
      html`<section aria-labelledby="record"><h2 id="record">${words.monitorIncidents}</h2>${over.length === 0 ? html`<p class="soft">${incidents.length === 0 ? words.noIncidents : words.noOthers}</p>` : html`<ul>${over.map((incident) => renderDated(incident, facts))}</ul>`}<p class="small no-print"><a href="${linkTo(site, '/history', { monitor: id })}">${words.allIncidents}</a></p></section>
`,
      badges(facts),
    ],
  });
}

function renderDated(incident: IncidentView, { site, now, nameOf }: MonitorPageFacts): Html {
  const speech = speechOf(site);
  return html`<li><p class="small">${speech.date(incident.started_at)}</p><ul>${renderPastIncident(incident, { site, now, nameOf }, 'h3')}</ul></li>`;
}

function uptimes({ day, week, month, quarter }: PageFigures, speech: Speech): Html {
  const { words } = speech;
  const figure = (title: string, value: number | null) =>
    html`<div><dt>${title}</dt><dd>${speech.percent(value)}</dd></div>`;
  return html`<section aria-labelledby="uptime"><h2 id="uptime">${words.uptimes}</h2><dl class="card facts">${figure(words.hours24, day)}${figure(words.days7, week)}${figure(words.days30, month)}${figure(words.days90, quarter)}</dl></section>
`;
}

/** A month a table of weeks, which begin on Monday; each day has the colour of its bar. */
function calendar(days: readonly PageDay[], speech: Speech): Html {
  const months = new Map<string, PageDay[]>();
  for (const day of days) {
    const month = day.date.slice(0, 7);
    months.set(month, [...(months.get(month) ?? []), day]);
  }
  const drawn = [...months]
    .toReversed()
    .slice(0, maxMonths)
    .map(([month, own]) => {
      const cells = own.map(
        (day, index) =>
          html`<li${index === 0 ? html` class="w${weekdayOf(day)}"` : null} title="${titleOf(day, speech)}">${Number(day.date.slice(8))}<i class="${kindOf(day)}"></i></li>`,
      );
      return html`<div><h3>${speech.month(month)}</h3><ol>${cells}</ol></div>`;
    });
  return html`<div class="card cal">${drawn}</div>`;
}

/** From 1 for Monday on: the column of a week that a month begins in. */
function weekdayOf({ date }: PageDay): number {
  return ((new Date(date).getUTCDay() + 6) % 7) + 1;
}

const maxMonths = 12;

const rangeKeys = [
  [24, 'hours24', 96],
  [168, 'days7', 84],
  [720, 'days30', 120],
  [2160, 'days90', 90],
] as const;

function latency(facts: MonitorPageFacts): Html {
  const { site, now, ranges, heatmap, marks = [] } = facts;
  const speech = speechOf(site);
  const { words } = speech;
  const nowAt = Date.parse(now);
  const charts = rangeKeys.flatMap(([hours, key, slices]) => {
    const range = ranges.find((one) => one.hours === hours);
    return range === undefined
      ? []
      : [renderChart({ ...range, title: words[key], slices, marks, nowAt }, speech)];
  });
  return html`<section aria-labelledby="latency"><h2 id="latency">${words.latency}</h2><div class="card charts">${charts}</div></section>
${heatmap.medianMs === null ? null : byHour(facts)}`;
}

function heatmapLabel(heatmap: NamedHeatmap, speech: Speech): string {
  const figures = heatmapFigures(heatmap);
  if (figures === null) return speech.words.noLatency;
  const hour = speech.time(new Date(figures.slowestAt).toISOString());
  return speech.fill('heatmapSummary', latencyText(figures.medianMs), hour, latencyText(figures.slowestMs));
}

/** Nothing to compare with: there is no such picture. */
function byHour({ site, monitor, heatmap }: MonitorPageFacts): Html {
  const speech = speechOf(site);
  const { words } = speech;
  const key = heatmapLabels((value) => speech.number(value)).map(
    (label, level) =>
      html`<li><svg class="sw" viewBox="0 0 14 14" aria-hidden="true"><path class="h${level}" d="M0 7h14"/></svg>${label}</li>`,
  );
  return html`<section aria-labelledby="heatmap"><h2 id="heatmap">${words.heatmap} <small><a href="${linkToHeatmap(site, monitor.id)}">SVG</a></small></h2><div class="card pad">${inlineHeatmap(heatmap, heatmapLabel(heatmap, speech))}<p class="ax"><span>00:00</span><b>12:00</b><span>24:00</span></p><p class="small">${speech.fill('heatmapNote', latencyText(heatmap.medianMs))}</p><ul class="key">${key}</ul></div></section>
`;
}

function badges({ site, monitor: { id, name } }: MonitorPageFacts): Html {
  const { words } = speechOf(site);
  const page = `${site.origin ?? site.base}/monitor/${urlPart(id)}`;
  const snippet = (kind: 'status' | 'uptime') => `[![${name}](${badgeAddress(site, id, kind)})](${page})`;
  return html`<section class="no-print" aria-labelledby="badges"><h2 id="badges">${words.badges}</h2><div class="card pad"><p><img src="${site.base}/api/badge/${urlPart(id)}/status" alt="" height="20"/> <img src="${site.base}/api/badge/${urlPart(id)}/uptime" alt="" height="20"/></p><details class="fold"><summary>${words.badgeHint}</summary><pre class="code" tabindex="0">${snippet('status')}
${snippet('uptime')}</pre></details></div></section>
`;
}
