/** Renders the incident history: a page of the timeline, day by day. */
import {
  type AlertLine,
  timelineOf,
  type TimelineDay,
  type TimelineEntry,
} from '../../engine/views/history.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import type { PageMaintenance } from '../../engine/views/page.ts';
import { html, type Html } from './html.ts';
import { maintenance } from './notices.ts';
import { type IncidentPlace, renderPastIncident } from './incident.ts';
import { heading, renderFrame, time } from './layout.ts';
import { linkTo, type PageContext, speechOf } from './page-context.ts';

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
  readonly maintenance?: readonly PageMaintenance[];
  /** All that this viewer may see, for the filter and for names. */
  readonly monitors: readonly { readonly id: string; readonly name: string }[];
  /** The one that the page is restricted to; null: all. */
  readonly monitor: string | null;
  /** The display group that the page is restricted to; null: all. */
  readonly group?: string | null;
}

export function renderHistoryPage(facts: HistoryPageFacts): string {
  const { site, now, monitors, monitor, group = null } = facts;
  const speech = speechOf(site);
  const { words } = speech;
  const names = new Map(monitors.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const of = monitor === null ? group : nameOf(monitor);
  const title = of === null ? words.history : speech.fill('historyOf', of);
  const days = timelineOf(facts, (instant) => speech.isoDay(instant));
  return renderFrame({
    site,
    title,
    description: words.historyHint,
    path: '/history',
    current: 'history',
    month: speech.isoDay(now).slice(0, 7),
    main: [
      heading(
        of === null ? title : speech.fillHtml('historyOf', html`<bdi>${of}</bdi>`),
        html`${words.historyHint} <a class="no-print" href="${linkTo(site, '/history.atom', { monitor, group })}">${words.feed}</a> <span class="no-print">·</span> <a class="no-print" href="${linkTo(site, '/maintenance.ics')}">${words.maintenance} (iCalendar)</a>`,
      ),
      filter(facts),
      days.length === 0
        ? html`<section class="card pad"><p>${words.noIncidents}</p></section>`
        : days.map((day) => renderDay(day, { site, now, nameOf })),
      pager(facts),
    ],
  });
}

/** More are found from the page of each. */
const maxFiltered = 50;

/** One address for all of them, in a form that folds: which is asked for stands in the address. */
function filter({ site, monitors, monitor, group = null }: HistoryPageFacts): Html | null {
  const { words } = speechOf(site);
  if (monitor !== null || group !== null)
    return html`<p class="small no-print"><a href="${linkTo(site, '/history')}">${words.allOfThem}</a></p>`;
  if (monitors.length < 2 || monitors.length > maxFiltered) return null;
  const links = monitors.map(
    ({ id, name }) =>
      html`<li><a href="${linkTo(site, '/history', { monitor: id })}"><bdi>${name}</bdi></a></li>`,
  );
  return html`<nav class="no-print" aria-label="${words.oneService}"><details class="fold"><summary>${words.oneService}</summary><ul class="names">${links}</ul></details></nav>`;
}

function renderDay({ date, entries }: TimelineDay, place: IncidentPlace): Html {
  const id = `d-${date}`;
  const first = entries[0]?.at ?? date;
  return html`<section aria-labelledby="${id}"><h2 class="day" id="${id}">${time(date, speechOf(place.site).date(first))}</h2><ul>${entries.map((entry) => renderEntry(entry, place))}</ul></section>
`;
}

function renderEntry(entry: TimelineEntry, place: IncidentPlace): Html {
  if (entry.kind === 'incident') return renderPastIncident(entry.incident, place, 'h3');
  if (entry.kind === 'maintenance')
    return html`<li>${maintenance(entry.window, { ...place, speech: speechOf(place.site) })}</li>`;
  const { at, name, severity, title, message, suppressed } = entry.alert;
  const speech = speechOf(place.site);
  const level = severities.find((known) => known === severity);
  const word = html`<span class="word">${speech.words.alert}, ${level === undefined ? severity : speech.words[level]}</span>`;
  const repeats =
    suppressed === 0 ? null : html` <span class="small">${speech.count('repeats', suppressed)}</span>`;
  return html`<li class="note${level === undefined ? '' : ` a-${level}`}"><h3>${word}${title === null ? null : html`: <bdi>${title}</bdi>`}</h3><p class="soft">${time(at, speech.clock(at))}, <bdi>${name}</bdi>${repeats}</p>${message === null ? null : html`<p class="text">${message}</p>`}</li>`;
}

const severities = ['info', 'warning', 'error', 'critical'] as const;

function pager({ site, next, before, monitor, group = null }: HistoryPageFacts): Html | null {
  if (next === null && before === null) return null;
  const { words } = speechOf(site);
  return html`<nav class="pager" aria-label="${words.older}">${
    before === null
      ? html`<span></span>`
      : html`<a href="${linkTo(site, '/history', { monitor, group })}">‹ ${words.latest}</a>`
  }${next === null ? null : html`<a href="${linkTo(site, '/history', { monitor, group, before: next })}" rel="next">${words.older} ›</a>`}</nav>`;
}
