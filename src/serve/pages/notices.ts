/** Renders what people say on the status page: banners, and maintenance that is planned or under way. */
import { durationText } from '../../engine/core/duration.ts';
import type { PageAnnouncement, PageMaintenance } from '../../engine/views/page.ts';
import { shortTimeText } from '../../engine/views/page-wording.ts';
import { html, type Html } from './html.ts';
import { time } from './layout.ts';

const severityWords: Readonly<Record<string, string>> = {
  info: 'Information',
  warning: 'Warning',
  critical: 'Critical',
  resolved: 'Resolved',
};

export function renderAnnouncements(announcements: readonly PageAnnouncement[], now: string): Html | null {
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

export interface MaintenancePlace {
  readonly now: string;
  readonly nameOf: (id: string) => string;
}

/** Windows that are over are left out. */
export function renderMaintenances(
  windows: readonly PageMaintenance[],
  place: MaintenancePlace,
): Html | null {
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
