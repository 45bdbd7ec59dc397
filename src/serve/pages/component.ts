/** Renders the services of a status page: groups that fold, a row for each service with its days. */
import type { ReaderState } from '../../engine/core/status.ts';
import type { PageFigures, PageGroup, ShownMonitor } from '../../engine/views/page.ts';
import { noFigures } from '../../engine/views/page.ts';
import { renderBars } from './bars.ts';
import { html, type Html, type HtmlPart, urlPart } from './html.ts';
import { linkTo, type PageContext, speechOf } from './page-context.ts';
import type { Speech } from './words/speech.ts';

export interface ComponentPlace {
  readonly site: PageContext;
  /** RFC 3339. */
  readonly now: string;
  readonly figures: ReadonlyMap<string, PageFigures>;
  /** Whether the reader may open the page of a monitor's own, by its id. */
  readonly hasPages: (id: string) => boolean;
  /** Since when those that are down are (RFC 3339), by id. */
  readonly downSince: ReadonlyMap<string, string>;
  /** How many rows with bars there may still be on the page. */
  readonly budget: { rows: number };
  readonly onlyTroubled: boolean;
}

/** Few enough to be shown unfolded whatever they are. */
export const fewMonitors = 15;

/** A group on a page; `isOpen`: it is unfolded even when all is well. */
export function renderGroup(
  { name, monitors }: PageGroup<ShownMonitor>,
  place: ComponentPlace,
  { title, isOpen }: { readonly title: string; readonly isOpen: boolean },
): Html {
  const speech = speechOf(place.site);
  const troubled = monitors.filter(({ state }) => state !== 'up');
  const worst = worstOf(monitors);
  const shown = place.onlyTroubled ? troubled : monitors;
  const rows = shown.slice(0, Math.max(0, place.budget.rows));
  place.budget.rows -= rows.length;
  const rest = monitors.length - rows.length;
  const others = monitors.filter((monitor) => !rows.includes(monitor));
  return html`<details class="grp"${isOpen || troubled.length > 0 ? html` open=""` : null}><summary><span class="dot s-${worst}"></span><h2><bdi>${title}</bdi></h2><span class="sum">${summaryOf(troubled, monitors.length, speech)}</span></summary><div class="rows">${rows.map((monitor) => renderRow(monitor, place))}${rest === 0 ? null : restOf(name, others, place)}</div></details>
`;
}

/** What is not shown in rows: a link to the page of the group, or the names where there is none. */
function restOf(name: string | null, others: readonly ShownMonitor[], place: ComponentPlace): Html {
  const speech = speechOf(place.site);
  const isQuiet = others.every(({ state }) => state === 'up');
  const words = isQuiet ? speech.count('showAll', others.length) : speech.count('more', others.length);
  if (name !== null && place.onlyTroubled)
    return html`<p class="rest"><a href="${linkTo(place.site, `/status/${urlPart(name)}`)}">${words}</a></p>`;
  const items = others.map(
    (monitor) => html`<li><span class="dot s-${monitor.state}"></span>${nameOf(monitor, place)}</li>`,
  );
  return html`<details class="rest"><summary>${words}</summary><ul class="names">${items}</ul></details>`;
}

function renderRow(monitor: ShownMonitor, place: ComponentPlace): Html {
  const { id, state, description, history } = monitor;
  const { site, figures } = place;
  const speech = speechOf(site);
  return html`<article class="row s-${state}" id="m-${id}"><h3>${nameOf(monitor, place)}</h3><span class="st">${speech.words[state]}</span>${description === null || place.onlyTroubled ? null : html`<p class="ds">${description}</p>`}${whyOf(monitor, place)}${renderBars(history, (figures.get(id) ?? noFigures).shown, speech)}</article>`;
}

function nameOf({ id, name }: ShownMonitor, { site, hasPages }: ComponentPlace): Html {
  return hasPages(id)
    ? html`<a href="${linkTo(site, `/monitor/${urlPart(id)}`)}"><bdi>${name}</bdi></a>`
    : html`<bdi>${name}</bdi>`;
}

/** Why it is as it is, in the words of a reader; of a job that is well, what it said. */
function whyOf(
  { id, status, state, last_error }: ShownMonitor,
  { site, now, downSince }: ComponentPlace,
): Html | null {
  const speech = speechOf(site);
  const since = downSince.get(id);
  const reason = speech.reason(last_error);
  const said = (words: HtmlPart): Html => html`<p class="why">${words}</p>`;
  switch (state) {
    case 'down':
      return since === undefined
        ? reason === null
          ? null
          : said(reason)
        : said([
            speech.fill('notAnswering', speech.shortTime(since, now)),
            reason === null ? '' : `. ${reason}`,
          ]);
    case 'degraded':
      return said(reason ?? speech.words.slower);
    case 'up':
      // One failure that nothing confirmed is not shown to readers, and neither is its reason.
      return status !== 'up' || last_error === null ? null : said(last_error);
    case 'maintenance':
    case 'unknown':
      return null;
  }
}

const worstFirst: readonly ReaderState[] = ['down', 'degraded', 'maintenance', 'unknown', 'up'];

export function worstOf(monitors: readonly Pick<ShownMonitor, 'state'>[]): ReaderState {
  return worstFirst.find((state) => monitors.some((monitor) => monitor.state === state)) ?? 'unknown';
}

/** Whether a group has nothing to look at: some of it is up, and of the rest nothing is known. */
export function isQuiet(monitors: readonly Pick<ShownMonitor, 'state'>[]): boolean {
  return monitors.some(({ state }) => state === 'up') && ['up', 'unknown'].includes(worstOf(monitors));
}

/** How many are named at the head of a group. */
const maxNamed = 4;

function summaryOf(troubled: readonly ShownMonitor[], total: number, speech: Speech): HtmlPart {
  const [first] = troubled;
  if (first === undefined) return speech.words.up;
  // All of a group alike: its name says which they are.
  if (troubled.length === total && troubled.every(({ state }) => state === first.state))
    return speech.words[first.state];
  const named = troubled
    .toSorted((a, b) => worstFirst.indexOf(a.state) - worstFirst.indexOf(b.state))
    .slice(0, maxNamed)
    .map(({ name, state }, index) => {
      const words = speech.fillHtml(summaryKeys[state], html`<bdi>${name}</bdi>`);
      return index === 0 ? words : html`, ${words}`;
    });
  const more = troubled.length - named.length;
  return [named, more === 0 ? null : `, ${speech.count('more', more)}`];
}

const summaryKeys = {
  down: 'summaryDown',
  degraded: 'summaryDegraded',
  maintenance: 'summaryMaintained',
  unknown: 'summaryUnknown',
  up: 'summaryUnknown',
} as const;
