/** Renders the page of an acknowledge link: the incident, and a button. */
import { rfc3339 } from '../../engine/core/instant.ts';
import type { IncidentRow } from '../../db/tables/incidents.ts';
import { wholeIncident } from '../../engine/views/incident.ts';
import { html, urlPart } from './html.ts';
import { titleOf } from './incident.ts';
import { heading, renderFrame, time } from './layout.ts';
import { type PageContext, speechOf } from './page-context.ts';

export interface AckFacts {
  readonly site: PageContext;
  /** RFC 3339. */
  readonly now: string;
  /** Of the link. */
  readonly token: string;
  readonly incident: IncidentRow;
  /** The incident that it is folded into, which is acknowledged with it; null: none. */
  readonly root: IncidentRow | null;
}

/** The incident of the link, then its root. */
function concerned({ incident, root }: AckFacts): readonly IncidentRow[] {
  return root === null ? [incident] : [incident, root];
}

/** Whether it is over, who takes care of it, or what acknowledging it does. */
function standing({ acknowledged, endedAt }: IncidentRow, { site, now }: AckFacts): string {
  const speech = speechOf(site);
  const { words } = speech;
  if (endedAt !== null) return `${words.resolved}.`;
  if (acknowledged === null) return words.acknowledgeHint;
  const by = acknowledged.by === null ? '' : ` (${acknowledged.by})`;
  return `${words.acknowledged}${by}, ${speech.shortTime(rfc3339(acknowledged.at), now)}. ${words.acknowledgeHint}`;
}

/** In a line an incident, for programs. */
export function ackText(facts: AckFacts): string {
  return concerned(facts)
    .map((incident) => `#${incident.id} ${incident.name}: ${standing(incident, facts)}\n`)
    .join('');
}

export function renderAckPage(facts: AckFacts): string {
  const { site, now, token, incident, root } = facts;
  const shownNow = { nowAt: Date.parse(now), isCritical: () => false };
  const speech = speechOf(site);
  const { words } = speech;
  const { id, startedAt, endedAt } = incident;
  const began = rfc3339(startedAt);
  const isAsked = endedAt === null && concerned(facts).some(({ acknowledged }) => acknowledged === null);
  const title = isAsked ? words.acknowledge : endedAt === null ? words.acknowledged : words.resolved;
  return renderFrame({
    site,
    title,
    month: speech.isoDay(now).slice(0, 7),
    main: [
      heading(
        titleOf(wholeIncident(incident, shownNow), { site }),
        html`#${id} · ${speech.fillHtml('since', time(began, speech.shortTime(began, now)))}`,
      ),
      html`<section class="card pad"><p>${standing(incident, facts)}</p>${root === null ? null : html`<p>${titleOf(wholeIncident(root, shownNow), { site })} (#${root.id}): ${standing(root, facts)}</p>`}${isAsked ? html`<form class="form" method="post" action="${site.base}/ack/${urlPart(token)}"><button class="btn">${words.acknowledge}</button></form>` : null}</section>
`,
    ],
  });
}
