/** Renders announcements and planned maintenance. */
import { maintenanceSoon, type PageAnnouncement, type PageMaintenance } from '../../engine/views/page.ts';
import { html, type Html } from './html.ts';
import { time } from './layout.ts';
import type { Speech } from './words/speech.ts';

export function renderAnnouncements(
  announcements: readonly PageAnnouncement[],
  now: string,
  speech: Speech,
): Html | null {
  if (announcements.length === 0) return null;
  const { words } = speech;
  const drawn = announcements.map(({ title, body, severity, at, until }) => {
    const word = severityWord(severity, speech);
    const times = [
      at === null ? null : time(at, speech.shortTime(at, now)),
      until === null ? null : speech.fillHtml('until', time(until, speech.shortTime(until, now))),
    ].filter((part) => part !== null);
    const when = times.map((part, index) => (index === 0 ? part : html`, ${part}`));
    return html`<article class="note a-${word === null ? 'info' : severity}"><h3>${word === null ? null : html`<span class="word">${word}:</span> `}<bdi>${title}</bdi></h3>${body === null || body === '' ? null : html`<p class="text">${body}</p>`}${when.length === 0 ? null : html`<p class="small">${when}</p>`}</article>`;
  });
  return html`<section aria-labelledby="news"><h2 class="vh" id="news">${words.announcements}</h2>${drawn}</section>
`;
}

function severityWord(severity: string, { words }: Speech): string | null {
  switch (severity) {
    case 'info':
    case 'warning':
    case 'critical':
    case 'resolved':
      return words[severity];
    default:
      return null;
  }
}

interface MaintenancePlace {
  readonly now: string;
  readonly nameOf: (id: string) => string;
  readonly speech: Speech;
}

/** What is under way, and what begins within 7 days. */
export function renderMaintenances(
  windows: readonly PageMaintenance[],
  place: MaintenancePlace,
): Html | null {
  const shown = maintenanceSoon(windows, place.now);
  if (shown.length === 0) return null;
  const { words } = place.speech;
  return html`<section aria-labelledby="maintenance"><h2 class="vh" id="maintenance">${words.maintenance}</h2>${shown.map((window) => maintenance(window, place))}</section>
`;
}

/** A window with what it covers, and when. */
export function maintenance(
  { title, start, end, monitors }: PageMaintenance,
  { now, nameOf: named, speech }: MaintenancePlace,
): Html {
  const isNow = Date.parse(start) <= Date.parse(now);
  const isOver = Date.parse(end) <= Date.parse(now);
  const until = time(end, speech.shortTime(end, isNow && !isOver ? now : start));
  const when =
    isNow && !isOver
      ? speech.fillHtml('until', until)
      : speech.fillHtml('fromTo', time(start, speech.shortTime(start, now)), until);
  const word = isOver ? 'maintenance' : isNow ? 'maintenanceNow' : 'maintenanceSoon';
  const names = monitors.length === 0 ? speech.words.allServices : monitors.map(named).join(', ');
  return html`<div class="mt"><p><b>${speech.words[word]}:</b> <bdi>${speech.maintenanceTitle(title)}</bdi> <span class="soft">(${names})</span></p><span>${when}</span></div>`;
}
