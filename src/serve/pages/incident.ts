/** Renders incidents: a card while one is open, a line of the past, the course of its updates. */
import { incidentCards, type IncidentCard } from '../../engine/views/verdict.ts';
import { headerLines, type IncidentView } from '../../engine/views/incident.ts';
import { html, Html, type HtmlPart, urlPart } from './html.ts';
import { reasonsOf } from './incident-words.ts';
import { time } from './layout.ts';
import { linkTo, type PageContext, speechOf } from './page-context.ts';

export interface IncidentPlace {
  readonly site: PageContext;
  /** RFC 3339. */
  readonly now: string;
  readonly nameOf: (id: string) => string;
  /** Whether the reader may open the pages of a monitor's own, by its id; absent: those of all. */
  readonly hasPages?: (id: string) => boolean;
}

type Card = IncidentCard<IncidentView>;

/** Its title, with a link to its page where the reader may open that. */
function linkedTitle(incident: IncidentView, place: IncidentPlace): Html {
  const { uid, monitor } = incident;
  const title = titleOf(incident, place);
  return monitor !== null && place.hasPages?.(monitor) === false
    ? title
    : html`<a href="${linkTo(place.site, `/incidents/${urlPart(uid)}`)}">${title}</a>`;
}

/** `Payments is down`; what an operator opened has its title alone. */
export function titleOf({ name, kind, ended_at }: IncidentView, { site }: Pick<IncidentPlace, 'site'>): Html {
  const speech = speechOf(site);
  const named = html`<bdi>${name}</bdi>`;
  const isOpen = ended_at === null;
  switch (kind) {
    case 'down':
      return isOpen ? speech.aboutHtml('isDown', [named]) : speech.fillHtml('wasDown', named);
    case 'unknown':
      return speech.fillHtml(isOpen ? 'isUnchecked' : 'wasUnchecked', named);
    case 'operator':
      return named;
  }
}

/** Up to so many cards are shown whole; of more, the first one; and no more than so many at all. */
const wholeCards = 3;
const maxCards = 20;

/** The open incidents of a status page: root causes, each with what it took along. */
export function renderOpenIncidents(
  incidents: readonly IncidentView[],
  place: IncidentPlace,
  causeOf: (monitor: string) => string | null,
): Html | null {
  if (incidents.length === 0) return null;
  const { site } = place;
  const speech = speechOf(site);
  const cards = incidentCards(incidents, causeOf);
  const shown = cards.slice(0, maxCards);
  const more = cards.length - shown.length;
  const drawn = shown.map((card, index) =>
    index === 0 || cards.length <= wholeCards ? renderCard(card, place) : renderFolded(card, place),
  );
  return html`<section aria-labelledby="incidents"><h2 class="vh" id="incidents">${speech.words.openIncidents}</h2>${drawn}${
    more === 0
      ? null
      : html`<p class="rest"><a href="${linkTo(site, '/history')}">${speech.count('moreIncidents', more)}</a></p>`
  }</section>
`;
}

/** The colours of an outage also for what an operator says is one. */
function toneOf({ kind, impact }: IncidentView): string {
  return kind === 'operator' && impact === 'major' ? 'down' : kind;
}

function renderCard({ incident, dependents }: Card, place: IncidentPlace): Html {
  const { uid } = incident;
  return html`<article class="inc i-${toneOf(incident)}" id="i-${uid}"><header><h3>${linkedTitle(incident, place)}</h3>${chips(dependents, place)}</header>${renderUpdates(incident, place)}</article>
`;
}

function renderFolded({ incident, dependents }: Card, place: IncidentPlace): Html {
  const { uid, started_at } = incident;
  const speech = speechOf(place.site);
  const since = speech.fillHtml('since', time(started_at, speech.shortTime(started_at, place.now)));
  return html`<details class="inc i-${toneOf(incident)}" id="i-${uid}"><summary><h3>${titleOf(incident, place)}</h3> <span class="soft">${since}</span></summary>${chips(dependents, place)}${renderUpdates(incident, place)}</details>
`;
}

/** How many names are shown. */
const maxChips = 12;

export function chips(ids: readonly string[], { site, nameOf }: IncidentPlace): Html | null {
  if (ids.length === 0) return null;
  const speech = speechOf(site);
  const items = ids.slice(0, maxChips).map((id) => html`<li><bdi>${nameOf(id)}</bdi></li>`);
  const more = ids.length - items.length;
  return html`<ul class="chips" aria-label="${speech.words.affected}">${items}${more === 0 ? null : html`<li>${speech.count('more', more)}</li>`}</ul>`;
}

/** The newest first. */
export function renderUpdates(incident: IncidentView, place: IncidentPlace): Html | null {
  const { site, now } = place;
  const speech = speechOf(site);
  const acknowledged = acknowledgedItem(incident, place);
  const items: HtmlPart[] = incident.updates.map(({ state, at, message }) => {
    const reasons =
      state === 'detected' ? reasonsOf(incident, { speech, nameOf: place.nameOf }).join(' ') : '';
    const own = state === 'resolved' ? speech.words.workingAgain : reasons === '' ? null : reasons;
    const words = message ?? own;
    return html`<li><div><b>${speech.words[state]}</b> ${time(at, speech.shortTime(at, now))}</div>${words === null ? null : html`<p class="text">${words}</p>`}</li>`;
  });
  if (acknowledged !== null) {
    const { at } = acknowledged;
    const older = incident.updates.findIndex((update) => update.at <= at);
    items.splice(older === -1 ? items.length : older, 0, acknowledged.item);
  }
  const note = noteOf(incident, place);
  return note === null && items.length === 0 ? null : html`<ol class="tl">${note}${items}</ol>`;
}

/** That it is acknowledged; by whom and why, as far as the reader may know. */
function acknowledgedItem({ acknowledged }: IncidentView, { site, now }: IncidentPlace) {
  if (acknowledged === null) return null;
  const { at, by = null, reason = null } = acknowledged;
  const speech = speechOf(site);
  const who = by === null ? null : html` (<bdi>${by}</bdi>)`;
  const why = reason === null ? null : html`<p class="text">${reason}</p>`;
  const item = html`<li><div><b>${speech.words.acknowledged}</b>${who} ${time(at, speech.shortTime(at, now))}</div>${why}</li>`;
  return { at, item };
}

function noteOf({ note }: IncidentView, { site }: IncidentPlace): Html | null {
  if (note === null) return null;
  return html`<li><div><b>${speechOf(site).words.note}</b></div><p class="text">${note}</p></li>`;
}

/** An entry of a history: what, when, how long, why, and what was said of it last, with a link to all of it. */
export function renderPastIncident(
  incident: IncidentView,
  place: IncidentPlace,
  level: 'h3' | 'h4' = 'h4',
): Html {
  const { uid, kind, monitors, impacted, started_at, ended_at, note, updates } = incident;
  const { site, now, nameOf } = place;
  const speech = speechOf(site);
  const tag = new Html(level);
  const isOpen = ended_at === null;
  const began = time(started_at, speech.clock(started_at));
  const when: HtmlPart = isOpen
    ? speech.fillHtml('since', time(started_at, speech.shortTime(started_at, now)))
    : [
        speech.fillHtml('fromTo', began, time(ended_at, speech.shortTime(ended_at, started_at))),
        ', ',
        speech.fill('lasted', speech.spanBetween(started_at, ended_at)),
      ];
  const reasons = reasonsOf(incident, { speech, nameOf }).join(' ');
  const said = updates.find(({ message }) => message !== null);
  const labelledText = (label: string, text: string) => html`<p class="text"><b>${label}:</b> ${text}</p>`;
  const number = incident.id === undefined ? null : html` <span class="soft">#${incident.id}</span>`;
  return html`<li class="past i-${isOpen ? toneOf(incident) : 'over'}" id="${uid}"><${tag}>${linkedTitle(incident, place)}${number}</${tag}><p class="soft">${when}</p>${reasons === '' ? null : html`<p>${reasons}</p>`}${chips(kind === 'operator' ? monitors : impacted, place)}${said === undefined ? null : labelledText(speech.words[said.state], said.message ?? '')}${note === null ? null : labelledText(speech.words.note, note)}</li>`;
}

/** What each node saw, for those who may know their names. */
export function vantageOf({ vantage, name }: IncidentView): Html | null {
  // What all of them say together stands in a sentence already; here is what each said, if it may be named.
  const named = (vantage ?? []).filter(({ peer }) => peer !== null);
  if (named.length === 0) return null;
  const rows = named.map(
    ({ peer, verdict, error }) =>
      html`<li><bdi>${peer}</bdi>: ${verdict ?? 'no answer'}${error === null ? null : html`, ${error}`}</li>`,
  );
  return html`<details class="fold" lang="en"><summary>What each node saw<span class="vh"> of ${name}</span></summary><ul class="soft">${rows}</ul></details>`;
}

/** The answer that failed, folded away. */
export function snapshotOf({ snapshot, name }: IncidentView, { site }: IncidentPlace): Html | null {
  if (snapshot === undefined || snapshot === null) return null;
  const { status_line, headers, more_headers: more, body } = snapshot;
  const lines = [status_line, ...headerLines(headers, more), '', body];
  return html`<details class="fold"><summary>${speechOf(site).words.answer}<span class="vh">, ${name}</span></summary><pre class="snap" tabindex="0">${lines.join('\n')}</pre></details>`;
}
