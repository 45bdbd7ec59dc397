/** Renders the page of one incident, at its permanent address. */
import type { IncidentView } from '../../engine/views/incident.ts';
import { html, urlPart } from './html.ts';
import { chips, type IncidentPlace, renderUpdates, snapshotOf, titleOf, vantageOf } from './incident.ts';
import { renderFrame, stateIcon, time } from './layout.ts';
import { renderMarkdown } from './markdown.ts';
import { linkTo, speechOf } from './page-context.ts';

export interface IncidentPageFacts extends IncidentPlace {
  readonly incident: IncidentView;
  /** What was written about it afterwards, in Markdown; null: nothing. */
  readonly postmortem: string | null;
  /** Whether the reader may open the page of a monitor's own, by its id. */
  readonly hasPages: (id: string) => boolean;
}

export function renderIncidentPage(facts: IncidentPageFacts): string {
  const { site, now, incident, postmortem, hasPages } = facts;
  const { uid, monitor, monitors, name, kind, state: stage, started_at, ended_at, duration_secs } = incident;
  const affected = monitor === null ? monitors : incident.impacted;
  const speech = speechOf(site);
  const { words } = speech;
  const state = words[stage];
  const tone = ended_at !== null ? 'up' : kind === 'down' ? 'down' : 'degraded';
  const figure = (title: string, value: Parameters<typeof html>[1]) =>
    html`<div><dt>${title}</dt><dd>${value}</dd></div>`;
  const at = (instant: string) => time(instant, speech.time(instant));
  const updates = renderUpdates(incident, facts);
  const back =
    monitor !== null && hasPages(monitor)
      ? html` › <a href="${linkTo(site, `/monitor/${urlPart(monitor)}`)}"><bdi>${name}</bdi></a>`
      : null;
  return renderFrame({
    site,
    title: `${name}: ${state}`,
    description: `${name}: ${state}. ${words.started}: ${speech.time(started_at)}.`,
    path: `/incidents/${urlPart(uid)}`,
    month: speech.isoDay(now).slice(0, 7),
    main: [
      html`<p class="crumb"><a href="${linkTo(site, '/history')}">${words.history}</a>${back}</p><div class="verdict v-${tone}">${stateIcon(tone)}<div><h1>${titleOf(incident, facts)}</h1><p>${state}${incident.id === undefined ? null : ` · #${incident.id}`}</p></div></div>
<dl class="card facts">${figure(words.started, at(started_at))}${ended_at === null ? null : figure(words.ended, at(ended_at))}${figure(words.duration, ended_at === null ? speech.span(duration_secs * 1000) : speech.spanBetween(started_at, ended_at))}</dl>
`,
      updates === null
        ? null
        : html`<section aria-labelledby="updates"><h2 id="updates">${words.timeline}</h2><div class="card">${updates}</div></section>
`,
      affected.length === 0
        ? null
        : html`<section aria-labelledby="affected"><h2 id="affected">${words.affected}</h2>${chips(affected, facts)}</section>
`,
      postmortem === null
        ? null
        : html`<section aria-labelledby="postmortem"><h2 id="postmortem">${words.postmortem}</h2><div class="card pad">${renderMarkdown(postmortem)}</div></section>
`,
      vantageOf(incident),
      snapshotOf(incident, facts),
    ],
  });
}
