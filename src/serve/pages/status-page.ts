/** Renders the status page, whole or restricted to one group. */
import type { ReaderState } from '../../engine/core/status.ts';
import { groupsOf, type PageFigures, type PageOverview } from '../../engine/views/page.ts';
import { declaredIn, type PageVerdict, verdictOf } from '../../engine/views/verdict.ts';
import { type ComponentPlace, fewMonitors, isQuiet, renderGroup, worstOf } from './component.ts';
import { html, type Html, type HtmlPart, urlPart } from './html.ts';
import { renderOpenIncidents, renderPastIncident } from './incident.ts';
import { renderFrame, stateIcon, time } from './layout.ts';
import { renderAnnouncements, renderMaintenances } from './notices.ts';
import { renderChannels, renderPeers } from './node-parts.ts';
import { linkBack, linkTo, type PageContext, speechOf } from './page-context.ts';
import type { Speech } from './words/speech.ts';

export interface StatusPageFacts {
  /** As this viewer may see it; on the page of a group, that group's alone. */
  readonly summary: PageOverview;
  /** The group that the page is restricted to; null: all. */
  readonly group: string | null;
  /** By id of the monitor. */
  readonly figures: ReadonlyMap<string, PageFigures>;
  /** Of monitors that are named and need not be on the page, by id. */
  readonly names?: ReadonlyMap<string, string>;
  /** Whether the reader may open the pages of a monitor's own, by its id; absent: those of all. */
  readonly hasPages?: (id: string) => boolean;
  readonly site: PageContext;
  /** The reader asked for a page that loads itself anew this often (`?refresh=`); null: it stays. */
  readonly refreshSecs: number | null;
}

/** With more, only what is not as it should be is listed. */
const manyMonitors = 100;
/** No page draws the days of more. */
const maxRows = 100;

export function renderStatusPage(facts: StatusPageFacts): string {
  const { summary, group, site } = facts;
  const { generated_at: now, monitors } = summary;
  const speech = speechOf(site);
  const { words } = speech;
  const names = facts.names ?? new Map(monitors.map(({ id, name }) => [id, name]));
  const causes = new Map(monitors.map(({ id, cause }) => [id, cause]));
  const place = {
    site,
    now,
    nameOf: (id: string) => names.get(id) ?? id,
    hasPages: facts.hasPages ?? (() => true),
  };
  const verdict = verdictOf(summary);
  const sentence = sentenceOf(summary, verdict, speech);
  const path = group === null ? '/' : `/status/${urlPart(group)}`;
  return renderFrame({
    site,
    title: group === null ? sentence : `${group}: ${sentence}`,
    description: `${sentence}. ${workingText(verdict, speech)}.`,
    path,
    ...(group === null ? { current: 'status' } : {}),
    month: speech.isoDay(now).slice(0, 7),
    main: [
      renderVerdict(facts, verdict),
      renderOpenIncidents(summary.incidents, place, (id) => causes.get(id) ?? null),
      renderAnnouncements(summary.announcements, now, speech),
      renderMaintenances(summary.maintenances, { ...place, speech }),
      renderComponents(facts),
      renderPast(facts, place),
      group === null ? renderPeers(summary, speech) : null,
      renderChannels(summary),
      facts.refreshSecs === null
        ? html`<p class="stale no-print">${words.stale} <a href="">${words.reload}</a></p>`
        : null,
    ],
    footer: html`<span class="no-print">${refreshing(facts)}</span>`,
  });
}

/** How many are named in the sentence, and in the list under it. */
const maxNamed = 3;
const maxListed = 12;

const sentenceKeys = { down: 'isDown', degraded: 'isDegraded', maintenance: 'isMaintained' } as const;

/** Those that the sentence names, and what it says of them; null: it names none, or what an operator says is worse. */
function namedIn(summary: PageOverview, verdict: PageVerdict) {
  const { about, total } = verdict;
  const state = about[0]?.state;
  if (state !== 'down' && declaredIn(summary) !== null) return null;
  if (state === undefined || state === 'up' || state === 'unknown' || isBlind(verdict)) return null;
  if (state === 'down' && about.length === total && total > 1) return null;
  // "and one more" says no less than its name.
  const named = about.length <= maxNamed ? about : about.slice(0, maxNamed - 1);
  return { key: sentenceKeys[state], named, others: about.length - named.length };
}

/** What is wrong, or that nothing is. */
function sentenceOf(summary: PageOverview, verdict: PageVerdict, speech: Speech): string {
  const found = namedIn(summary, verdict);
  if (found === null)
    return (
      declaredIn(summary)?.titles.slice(0, maxNamed).join(', ') ??
      plainSentence(verdict, speech, summary.generated_at)
    );
  const names = found.named.map(({ name }) => name);
  return speech.about(found.key, names, found.others);
}

function sentenceHtml(summary: PageOverview, verdict: PageVerdict, speech: Speech): HtmlPart {
  const found = namedIn(summary, verdict);
  if (found === null) {
    const titles = declaredIn(summary)
      ?.titles.slice(0, maxNamed)
      .map((title) => html`<bdi>${title}</bdi>`);
    return (
      titles?.map((title, index) => (index === 0 ? title : html`, ${title}`)) ??
      plainSentence(verdict, speech, summary.generated_at)
    );
  }
  const names = found.named.map(({ name }) => html`<bdi>${name}</bdi>`);
  return speech.aboutHtml(found.key, names, found.others);
}

function isBlind({ state }: PageVerdict): boolean {
  return state === 'unknown';
}

function plainSentence(
  { state, blindSince, total, working, about }: PageVerdict,
  speech: Speech,
  now: string,
): string {
  const { words } = speech;
  if (total === 0) return words.empty;
  if (blindSince !== null) return speech.fill('blind', speech.shortTime(blindSince, now));
  if (state !== 'unknown' && about[0]?.state === 'down') return words.allDown;
  if (state === 'unknown') return working === 0 ? words.noData : words.upAsKnown;
  return working === total ? words.allUp : words.upAsKnown;
}

function workingText({ working, total }: PageVerdict, speech: Speech): string {
  return total === 0 ? speech.words.emptyHint.replace(/\.$/, '') : speech.countOf('working', working, total);
}

function renderVerdict(facts: StatusPageFacts, verdict: PageVerdict): Html {
  const { summary, group, site } = facts;
  const speech = speechOf(site);
  const { generated_at: now } = summary;
  const tone: ReaderState =
    isBlind(verdict) || verdict.total === 0
      ? 'unknown'
      : (declaredIn(summary)?.tone ?? verdict.troubled[0]?.state ?? 'up');
  const crumb =
    group === null
      ? null
      : html`<p class="crumb"><a href="${linkTo(site, '/')}">${speech.words.allServices}</a> › <bdi>${group}</bdi></p>`;
  const checked = speech.fillHtml('checked', time(`${now.slice(0, 16)}Z`, speech.clock(now)));
  return html`${crumb}<div class="verdict v-${tone}">${stateIcon(tone)}<div><h1>${group === null ? null : html`<span class="vh">${group}: </span>`}${sentenceHtml(summary, verdict, speech)}</h1><p>${verdict.blindSince === null ? html`${workingText(verdict, speech)} · ` : null}${checked}</p>${listed(facts, verdict)}</div></div>
`;
}

/** Every name that the sentence has no room for, with the way to it; of everything it needs none. */
function listed({ summary, site }: StatusPageFacts, verdict: PageVerdict): Html | null {
  const { troubled, about, total } = verdict;
  if (!isBlind(verdict) && about[0]?.state === 'down' && about.length === total) return null;
  const named = new Set(namedIn(summary, verdict)?.named);
  const others = troubled.filter((monitor) => !named.has(monitor));
  if (others.length === 0) return null;
  const speech = speechOf(site);
  const hasRows = troubled.length <= maxRows && summary.monitors.length > 0;
  const items = others.slice(0, maxListed).map(({ id, name, state }) => {
    const words = html`<bdi>${name}</bdi>`;
    return html`<li>${hasRows ? html`<a href="#m-${id}">${words}</a>` : words} <span>${speech.words[state]}</span></li>`;
  });
  const more = others.length - items.length;
  return html`<ul class="also">${items}${more === 0 ? null : html`<li>${speech.count('more', more)}</li>`}</ul>`;
}

/** An empty address is this one with all that is asked for in it, the token of a private page too. */
function refreshing({ group, refreshSecs, site }: StatusPageFacts): Html {
  const speech = speechOf(site);
  const path = group === null ? '/' : `/status/${urlPart(group)}`;
  if (refreshSecs !== null)
    return html`${speech.fill('refreshes', speech.exactSpan(refreshSecs * 1000))} <a href="${linkBack(site, path)}">${speech.words.stop}</a>`;
  return html`<a href="${linkBack(site, path, { refresh: '60' })}">${speech.words.everyMinute}</a>`;
}

function renderComponents(facts: StatusPageFacts): HtmlPart {
  const { summary, group, site, figures } = facts;
  const { words } = speechOf(site);
  const { monitors, incidents, generated_at: now } = summary;
  // The overall verdict says that there are none.
  if (monitors.length === 0) return null;
  const onlyTroubled = group === null && monitors.length > manyMonitors;
  const place: ComponentPlace = {
    site,
    now,
    figures,
    hasPages: facts.hasPages ?? (() => true),
    downSince: new Map(
      incidents.flatMap((one) =>
        one.kind === 'down' && one.monitor !== null ? [[one.monitor, one.started_at]] : [],
      ),
    ),
    budget: { rows: maxRows },
    onlyTroubled,
  };
  const groups = groupsOf(summary);
  const isOpen = monitors.length <= fewMonitors || group !== null;
  const quiet = onlyTroubled ? groups.filter((one) => one.name !== null && isQuiet(one.monitors)) : [];
  const drawn = groups
    .filter((one) => !quiet.includes(one))
    .map((one, index) =>
      renderGroup(one, place, {
        title: one.name ?? (index === 0 ? words.services : words.otherServices),
        isOpen,
      }),
    );
  const links = quiet.map(
    ({ name, monitors: own }) =>
      html`<li><span class="dot s-${worstOf(own)}"></span><a href="${linkTo(site, `/status/${urlPart(name ?? '')}`)}"><bdi>${name ?? ''}</bdi></a></li>`,
  );
  return html`<section aria-label="${words.services}">${drawn}${links.length === 0 ? null : html`<ul class="names card">${links}</ul>`}</section>
`;
}

function renderPast(
  { summary, site }: StatusPageFacts,
  place: Parameters<typeof renderPastIncident>[1],
): Html {
  const speech = speechOf(site);
  const { words } = speech;
  const days = new Map<string, Html[]>();
  for (const incident of summary.past) {
    const day = speech.date(incident.started_at);
    days.set(day, [...(days.get(day) ?? []), renderPastIncident(incident, place)]);
  }
  // What is open stands at the top of the page.
  const nothing = summary.incidents.length === 0 ? words.nothingPast : words.noOthers;
  const drawn = [...days].map(([day, entries]) => html`<h3 class="day">${day}</h3><ul>${entries}</ul>`);
  return html`<section aria-labelledby="past"><h2 id="past">${words.past}</h2>${days.size === 0 ? html`<p class="soft">${nothing}</p>` : drawn}<p class="small no-print"><a href="${linkTo(site, '/history')}">${words.allIncidents}</a></p></section>
`;
}
