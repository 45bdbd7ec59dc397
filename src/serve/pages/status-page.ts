/** Renders the status page, whole or restricted to one group. */
import type { Status } from '../../engine/core/status.ts';
import {
  countStatuses,
  groupsOf,
  noFigures,
  type PageAnnouncement,
  type PageFigures,
  type PageGroup,
  type PageMaintenance,
  type PageMonitor,
  type PageSummary,
  toneOf,
} from '../../engine/views/page.ts';
import { durationText } from '../../engine/core/duration.ts';
import { counted } from '../../engine/core/words.ts';
import { shortTimeText, timeText } from '../../engine/views/page-wording.ts';
import { barSheet, renderKey } from './bars.ts';
import { html, Html, type HtmlPart, urlPart } from './html.ts';
import { renderActiveIncidents } from './incident.ts';
import { iconSheet, renderFrame, smallIcon, statusIcon, time } from './layout.ts';
import type { Pieces } from '../responses/pieces.ts';
import type { FragmentPlace, Fragments } from './fragments.ts';
import { renderLinks, renderMonitor } from './monitor.ts';
import { linkBack, linkTo, type PageContext } from './page-context.ts';
import { peersHeard, peerTones, type PeerView, peerWords, skewWords } from '../../engine/views/peers.ts';

export interface StatusPageFacts {
  /** As this viewer may see it; on the page of a group, that group's alone. */
  readonly summary: PageSummary;
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
  /** Renders the items of a list of monitors; absent: as `renderMonitor` does. */
  readonly itemsOf?: (monitors: readonly PageMonitor[]) => HtmlPart;
}

/** As many monitors are rendered in one step. */
const stepSize = 5;

/** No text can hold it, so that it marks where pieces go. */
const mark = '\0';

/** The page in pieces, those of monitors as they were kept. They are made a few at a time; `breathe` lets others have their turn. */
export async function statusPagePieces(
  facts: StatusPageFacts,
  { fragments, yieldTurn }: { readonly fragments: Fragments; readonly yieldTurn: () => Promise<void> },
): Promise<Pieces> {
  const place = placeOf(facts);
  const items = new Map<PageMonitor, Pieces>();
  for (const [index, monitor] of facts.summary.monitors.entries()) {
    items.set(monitor, fragments.of(monitor, facts.figures.get(monitor.id) ?? noFigures, place));
    if (index % stepSize === stepSize - 1) await yieldTurn();
  }
  const lists: Pieces[] = [];
  const itemsOf = (monitors: readonly PageMonitor[]) => {
    lists.push(monitors.flatMap((monitor) => items.get(monitor) ?? []));
    return new Html(mark);
  };
  const parts = renderStatusPage({ ...facts, itemsOf }).split(mark);
  return parts.flatMap((part, index) => [Buffer.from(part), ...(lists[index] ?? [])]);
}

function placeOf({ summary, names: others, site, hasPages = () => true }: StatusPageFacts): FragmentPlace {
  const { monitors, generated_at: now } = summary;
  const names = others ?? new Map(monitors.map(({ id, name }) => [id, name]));
  return { site, now, nameOf: (id) => names.get(id) ?? id, hasPages };
}

/**
 * A page that reloads itself takes the focus and the place from whoever reads it with a keyboard or a screen reader
 * (WCAG 2.2.1, failure F41, whether by `meta` or by header). So it stays as it is and, a minute old, shows a bar that
 * offers the latest, by style alone. Only who asks (`?refresh=60`) gets the header `Refresh`, and a link that stops it.
 */
export function renderStatusPage(facts: StatusPageFacts): string {
  const { summary, group, site } = facts;
  const { monitors, generated_at: now } = summary;
  const place = placeOf(facts);
  const tone = summary.overall === 'unknown' ? 'unknown' : toneOf(monitors);
  const label = monitors.length === 0 ? 'Nothing to show yet' : summary.overall_label;
  const main: HtmlPart = [
    iconSheet(barSheet()),
    renderAnnouncements(summary.announcements, now),
    renderActiveIncidents(summary.incidents, place),
    renderMaintenances(summary.maintenances, place),
    monitors.length === 0
      ? emptiness
      : groupsOf(summary).map((one, index) => renderGroup(one, { index, facts, place })),
    monitors.length === 0 ? null : html`<div class="block">${renderKey()}</div>`,
    group === null ? renderPeers(summary) : null,
    renderChannels(summary),
    facts.refreshSecs === null
      ? html`<p class="stale">This page is over a minute old. <a href="">Show the latest</a></p>`
      : null,
  ];
  return renderFrame({
    site,
    title: group === null ? label : `${group}: ${label}`,
    tone,
    current: group === null ? 'status' : null,
    month: now.slice(0, 7),
    headline: headline(facts, { tone, label }),
    main,
    footer: 'Watched by statusd.',
  });
}

const emptiness = html`<section class="card note"><h2>No monitor is on this page</h2><p>Monitors that are public appear here as soon as they are in the configuration.</p></section>`;

interface Verdict {
  readonly tone: Status;
  readonly label: string;
}

function headline(facts: StatusPageFacts, { tone, label }: Verdict): Html {
  const { summary, group } = facts;
  const { generated_at: now, monitors } = summary;
  const scope = group === null ? null : html`<span class="vh">${group}: </span>`;
  const crumb =
    group === null
      ? null
      : html`<p><a href="${linkTo(facts.site, '/')}">All groups</a> › <bdi>${group}</bdi></p>`;
  return html`<div class="verdict">${statusIcon(tone)}<div><h1>${scope}${label}</h1>${crumb}<p>${
    monitors.length === 0 ? 'As' : `${countsText(summary)}, as`
  } of ${time(now, timeText(now))}. <span class="no-print">${refreshing(facts)}</span></p></div></div>`;
}

/** An empty address is this one with all that is asked for in it, the token of a private page too. */
function refreshing(facts: StatusPageFacts): Html {
  const path = facts.group === null ? '/' : `/status/${urlPart(facts.group)}`;
  if (facts.refreshSecs !== null) {
    return html`Refreshes every ${durationText(facts.refreshSecs * 1000)}. <a href="${linkBack(facts.site, path)}">Stop</a>`;
  }
  return html`<a href="">Refresh</a> · <a href="${linkBack(facts.site, path, { refresh: '60' })}">Every minute</a>`;
}

function countsText({ monitors }: PageSummary): string {
  const { up, degraded, down, unknown } = countStatuses(monitors);
  if (up === monitors.length) return `${counted(up, 'monitor')} up`;
  const parts = [
    [down, 'down'],
    [degraded, 'degraded'],
    [up, 'up'],
    [unknown, 'without data'],
  ] as const;
  return parts.flatMap(([count, word]) => (count === 0 ? [] : `${count} ${word}`)).join(', ');
}

interface Placed {
  readonly index: number;
  readonly facts: StatusPageFacts;
  readonly place: FragmentPlace;
}

function renderGroup({ name, monitors }: PageGroup, { index, facts, place }: Placed): Html {
  const { figures, site, group } = facts;
  const itemsOf =
    facts.itemsOf ??
    ((all) => {
      const whole = { ...place, linksOf: (id: string) => renderLinks(id, place) };
      return all.map((one) => renderMonitor(one, figures.get(one.id) ?? noFigures, whole));
    });
  const { up } = countStatuses(monitors);
  const words = name ?? (index === 0 ? 'Monitors' : 'Other monitors');
  const isLinked = name !== null && group === null;
  const heading = isLinked
    ? html`<a href="${linkTo(site, `/status/${urlPart(name)}`)}"><bdi>${words}</bdi></a>`
    : html`<bdi>${words}</bdi>`;
  const id = `group-${index}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${heading} <small>${up} of ${monitors.length} up</small></h2><ul class="card">
${itemsOf(monitors)}</ul></section>
`;
}

function renderChannels({ channels = [] }: PageSummary): Html | null {
  const failing = channels.filter((channel) => channel.failing);
  if (failing.length === 0) return null;
  const rows = failing.map(({ name, consecutive_failures, failing_for_secs }) => {
    const span = failing_for_secs === null ? '' : `, for ${durationText(failing_for_secs * 1000)}`;
    return html`<li><bdi>${name}</bdi><span><span class="c-down">Failing</span>: ${consecutive_failures === 1 ? 'one failed delivery' : `${consecutive_failures} failed deliveries`}${span}</span></li>`;
  });
  return html`<section aria-labelledby="channels"><h2 id="channels">Channels</h2><ul class="card rows">${rows}</ul></section>`;
}

const severityWords: Readonly<Record<string, string>> = {
  info: 'Information',
  warning: 'Warning',
  critical: 'Critical',
  resolved: 'Resolved',
};

/** Renders what people say on the status page: banners, and maintenance that is planned or under way. */
function renderAnnouncements(announcements: readonly PageAnnouncement[], now: string): Html | null {
  if (announcements.length === 0) return null;
  return html`<section aria-labelledby="news"><h2 id="news">Announcements</h2><ul>${announcements.map((one) => announcement(one, now))}</ul></section>`;
}

function announcement({ title, body, severity, at, until }: PageAnnouncement, now: string): Html {
  const word = severityWords[severity];
  const since = at === null ? null : html`${time(at, shortTimeText(at, now))}`;
  const end =
    until === null
      ? null
      : html`${since === null ? 'Until ' : ', until '}${time(until, shortTimeText(until, now))}`;
  return html`<li class="card note${word === undefined ? '' : ` s-${severity}`}"><h3>${word === undefined ? null : html`<span class="word">${word}:</span> `}<bdi>${title}</bdi></h3>${body === null || body === '' ? null : html`<p class="text">${body}</p>`}${since === null && end === null ? null : html`<p class="small">${since}${end}</p>`}</li>`;
}

interface MaintenancePlace {
  readonly now: string;
  readonly nameOf: (id: string) => string;
}

/** Windows that are over are left out. */
function renderMaintenances(windows: readonly PageMaintenance[], place: MaintenancePlace): Html | null {
  const nowAt = Date.parse(place.now);
  const shown = windows
    .filter(({ end }) => Date.parse(end) > nowAt)
    .toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start));
  if (shown.length === 0) return null;
  return html`<section aria-labelledby="maintenance"><h2 id="maintenance">Maintenance</h2><ul class="card rows">${shown.map((window) => maintenance(window, place))}</ul></section>`;
}

function maintenance(
  { title, start, end, monitors }: PageMaintenance,
  { now, nameOf }: MaintenancePlace,
): Html {
  const waitMs = Date.parse(start) - Date.parse(now);
  const when =
    waitMs > 0
      ? html`in ${durationText(waitMs)}: ${time(start, shortTimeText(start, now))} to ${time(end, shortTimeText(end, start))}`
      : html`<span class="word">Now</span>, until ${time(end, shortTimeText(end, now))}`;
  const names = monitors.length === 0 ? 'all monitors' : monitors.map(nameOf).join(', ');
  return html`<li><span><bdi>${title}</bdi> <span class="soft">(${names})</span></span><span>${when}</span></li>`;
}

/** Renders the other nodes on the status page: each of them, or for strangers how many are heard. */
function renderPeers({ peers, peer_counts }: Pick<PageSummary, 'peers' | 'peer_counts'>): Html | null {
  const heard = peersHeard(peer_counts);
  if (heard === null) return null;
  if (peers.length === 0) return html`<p class="block soft">Other nodes: ${heard}.</p>`;
  return html`<section aria-labelledby="peers"><h2 id="peers">Other nodes <small>${heard}</small></h2><ul class="card rows">${peers.map(renderPeer)}</ul></section>`;
}

function renderPeer(peer: PeerView): Html {
  const { name, state, age, clock_skew_ms, reason } = peer;
  const facts = [
    age === null ? null : `heard ${durationText(age * 1000)} ago`,
    skewWords(clock_skew_ms),
    reason,
  ].filter((fact) => fact !== null);
  const more = facts.length === 0 ? null : html`: ${facts.join(', ')}`;
  const tone = peerTones[state];
  return html`<li><span><span class="c-${tone}">${smallIcon(tone)}</span> <bdi>${name}</bdi></span><span><span class="word c-${tone}">${peerWords[state]}</span>${more}</span></li>`;
}
