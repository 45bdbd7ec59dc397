/** Renders an incident: as a notice while it lasts, as an entry of the history afterwards. */
import { durationText } from '../../engine/core/duration.ts';
import { counted } from '../../engine/core/words.ts';
import { circumstancesOf, type IncidentView, stateInWords } from '../../engine/views/incident.ts';
import { shortTimeText, timeText } from '../../engine/views/page-wording.ts';
import { html, type Html } from './html.ts';
import { time } from './layout.ts';
import { linkTo, type PageContext } from './page-context.ts';

export interface IncidentPlace {
  readonly site: PageContext;
  readonly now: string;
  readonly nameOf: (id: string) => string;
}

/** The classes of each kind. */
const shades = { down: 'down', unknown: 'unknown', operator: 'degraded' } as const;

/** An incident that is open, on the status page. */
function renderActiveIncident(incident: IncidentView, place: IncidentPlace): Html {
  const { name, kind, started_at, duration_secs } = incident;
  return html`<li class="card note s-${shades[kind]}"><h3><bdi>${name}</bdi> ${stateInWords(kind, true)}</h3><p>Since ${time(started_at, shortTimeText(started_at, place.now))}, ${durationText(duration_secs * 1000)}. ${circumstancesOf(incident, place.nameOf).join(' ')}</p>${noteOf(incident)}</li>`;
}

/** An entry of the history, open or over, with the answer that failed folded away. */
export function renderPastIncident(incident: IncidentView, place: IncidentPlace): Html {
  const { id, uid, monitor, name, kind, started_at, ended_at, duration_secs } = incident;
  const isOpen = ended_at === null;
  const since = time(started_at, timeText(started_at));
  const number = id === undefined ? null : html` <span class="small">#${id}</span>`;
  const span = isOpen
    ? html`Since ${since}`
    : html`${since} to ${time(ended_at, shortTimeText(ended_at, started_at))}`;
  return html`<li class="card note ${isOpen ? `s-${shades[kind]}` : 's-resolved'}" id="${uid}"><h3><a href="${linkTo(place.site, '/history', { monitor })}"><bdi>${name}</bdi></a> ${stateInWords(kind, isOpen)} for ${durationText(duration_secs * 1000)}${number}</h3><p class="soft">${span}</p><p>${circumstancesOf(incident, place.nameOf).join(' ')}</p>${noteOf(incident)}${vantageOf(incident)}${snapshotOf(incident)}</li>`;
}

function noteOf({ note }: IncidentView): Html | null {
  return note === null ? null : html`<p class="text"><b>Note:</b> ${note}</p>`;
}

function vantageOf({ vantage, name }: IncidentView): Html | null {
  // What all of them say together stands in a sentence already; here is what each said, if it may be named.
  const named = (vantage ?? []).filter(({ peer }) => peer !== null);
  if (named.length === 0) return null;
  const rows = named.map(
    ({ peer, verdict, error }) =>
      html`<li><bdi>${peer}</bdi>: ${verdict ?? 'no answer'}${error === null ? null : html`, ${error}`}</li>`,
  );
  return html`<details><summary>What each node saw<span class="vh"> of ${name}</span></summary><ul class="soft">${rows}</ul></details>`;
}

function snapshotOf({ snapshot, name }: IncidentView): Html | null {
  if (snapshot === undefined || snapshot === null) return null;
  const { status_line, headers, more_headers: more, body } = snapshot;
  const rest = more === undefined ? [] : [`… ${counted(more, 'more header')}`];
  const lines = [status_line, ...headers.map(([header, value]) => `${header}: ${value}`), ...rest, '', body];
  return html`<details><summary>The answer that failed<span class="vh">, ${name}</span></summary><pre class="snap" tabindex="0">${lines.join('\n')}</pre></details>`;
}

/** What a status page says of all incidents together. */
export function renderActiveIncidents(incidents: readonly IncidentView[], place: IncidentPlace): Html | null {
  if (incidents.length === 0) return null;
  return html`<section aria-labelledby="incidents"><h2 id="incidents">${incidents.length === 1 ? 'Active incident' : `${incidents.length} active incidents`}</h2><ul>${incidents.map((incident) => renderActiveIncident(incident, place))}</ul></section>`;
}
