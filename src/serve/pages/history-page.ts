/** Renders the incident history: a page of the timeline, day by day. */
import {
  type AlertLine,
  timelineOf,
  type TimelineDay,
  type TimelineEntry,
} from '../../engine/views/history.ts';
import { heatmapLevels } from '../../engine/views/heatmap.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import { clockText } from '../../engine/core/instant.ts';
import { counted } from '../../engine/core/words.ts';
import { dateText } from '../../engine/views/page-wording.ts';
import { inlineHeatmap, type NamedHeatmap } from '../svg/heatmap.ts';
import { html, type Html } from './html.ts';
import { renderPastIncident } from './incident.ts';
import { renderFrame, time } from './layout.ts';
import { linkTo, linkToHeatmap, type PageContext } from './page-context.ts';

export interface HistoryPageFacts {
  readonly site: PageContext;
  /** RFC 3339. */
  readonly now: string;
  /** One page of them, the newest first. */
  readonly incidents: readonly IncidentView[];
  /** The cursor of the next page; null: this is the last. */
  readonly next: string | null;
  /** The cursor this page began with; null: it is the first. */
  readonly before: string | null;
  /** Producer alerts of the stretch of time that this page covers. */
  readonly alerts: readonly AlertLine[];
  /** All that this viewer may see, for the filter and for names. */
  readonly monitors: readonly { readonly id: string; readonly name: string }[];
  /** The one that the page is restricted to; null: all. */
  readonly monitor: string | null;
  /** Of that monitor; null: none is shown. */
  readonly heatmap: NamedHeatmap | null;
}

export function renderHistoryPage(facts: HistoryPageFacts): string {
  const { site, now, monitors, monitor } = facts;
  const names = new Map(monitors.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const title = monitor === null ? 'History' : `History of ${nameOf(monitor)}`;
  const days = timelineOf(facts.incidents, facts.alerts);
  return renderFrame({
    site,
    title,
    tone: 'unknown',
    current: 'history',
    month: now.slice(0, 7),
    headline: html`<div class="verdict"><div><h1>${title}</h1><p>Incidents and alerts, the latest first. <a href="${linkTo(site, '/history.atom')}">Follow the feed</a></p></div></div>`,
    main: [
      filter(facts),
      heatmapSection(facts),
      days.length === 0 ? nothing : days.map((day) => renderDay(day, { site, now, nameOf })),
      pager(facts),
    ],
    footer: 'Watched by statusd.',
  });
}

const nothing = html`<section class="card note s-resolved"><h2>Nothing happened</h2><p>No incident is on record here.</p></section>`;

function filter({ site, monitors, monitor }: HistoryPageFacts): Html | null {
  if (monitors.length < 2) return null;
  const links = monitors.map(
    ({ id, name }) =>
      html`<li><a href="${linkTo(site, '/history', { monitor: id })}"${id === monitor ? html` aria-current="true"` : null}><bdi>${name}</bdi></a></li>`,
  );
  return html`<nav class="block" aria-label="Filter by monitor"><details><summary>Show one monitor</summary><ul class="filter">${links}</ul></details>${monitor === null ? null : html`<p class="small"><a href="${linkTo(site, '/history')}">Show all monitors</a></p>`}</nav>`;
}

function heatmapSection({ site, heatmap, monitor }: HistoryPageFacts): Html | null {
  if (heatmap === null || monitor === null) return null;
  return html`<section aria-labelledby="heatmap"><h2 id="heatmap">Latency by hour <small><a href="${linkToHeatmap(site, monitor)}">With figures</a></small></h2><div class="card heatmap">${inlineHeatmap(heatmap)}<p class="axis"><span>00:00</span><span>06:00</span><span>12:00</span><span>18:00</span><span>24:00</span></p><p class="small">${counted(heatmap.days.length, 'day')}, the latest at the bottom, a column an hour. Compared with the median:</p>${heatmapKey()}</div></section>`;
}

function heatmapKey(): Html {
  const entries = heatmapLevels.map(
    ({ label }, level) =>
      html`<li><svg class="sw" viewBox="0 0 14 14" aria-hidden="true"><path class="h${level}" d="M0 7h14"/></svg>${label}</li>`,
  );
  return html`<ul class="key" aria-label="Key to the heatmap">${entries}</ul>`;
}

interface DayPlace {
  readonly site: PageContext;
  readonly now: string;
  readonly nameOf: (id: string) => string;
}

function renderDay({ date, entries }: TimelineDay, place: DayPlace): Html {
  const id = `d-${date}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${time(date, dateText(date))}</h2><ul>${entries.map((entry) => renderEntry(entry, place))}</ul></section>
`;
}

function renderEntry(entry: TimelineEntry, place: DayPlace): Html {
  if (entry.kind === 'incident') return renderPastIncident(entry.incident, place);
  const { at, name, severity, title, message, suppressed } = entry.alert;
  const edge = severities.includes(severity) ? ` s-${severity}` : '';
  const clock = time(at, `${clockText(Date.parse(at)).slice(0, 5)} UTC`);
  const heading =
    title === null
      ? html`<span class="word">Alert, ${severity}</span>`
      : html`<span class="word">Alert, ${severity}:</span> <bdi>${title}</bdi>`;
  const repeats =
    suppressed === 0 ? null : html` <span class="small">and ${counted(suppressed, 'repeat')}</span>`;
  return html`<li class="card note${edge}"><h3>${heading}</h3><p class="soft">${clock}, <bdi>${name}</bdi>${repeats}</p>${message === null ? null : html`<p class="text">${message}</p>`}</li>`;
}

const severities: readonly string[] = ['info', 'warning', 'error', 'critical'];

function pager({ site, next, before, monitor }: HistoryPageFacts): Html | null {
  if (next === null && before === null) return null;
  return html`<nav class="pager" aria-label="Pages of the history">${
    before === null
      ? html`<span></span>`
      : html`<a href="${linkTo(site, '/history', { monitor })}">‹ The latest</a>`
  }${next === null ? null : html`<a href="${linkTo(site, '/history', { monitor, before: next })}" rel="next">Older ›</a>`}</nav>`;
}
