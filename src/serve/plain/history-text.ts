/** Writes the incident history for a terminal, and the page of one incident. */
import { durationText } from '../../engine/core/duration.ts';
import { minuteText } from '../../engine/core/instant.ts';
import { type AlertLine, timelineOf } from '../../engine/views/history.ts';
import {
  circumstancesOf,
  type IncidentView,
  shownLengthMs,
  stateInWords,
} from '../../engine/views/incident.ts';
import type { PageMaintenance } from '../../engine/views/page.ts';
import { timeText, wholeMinutesMs } from '../../engine/views/page-wording.ts';
import { documentOf, labelled, spread } from './lines.ts';
import { allWords, newestWords } from './updates.ts';

export interface HistoryTextFacts {
  readonly title: string;
  /** RFC 3339. */
  readonly now: string;
  /** One page of them, the newest first. */
  readonly incidents: readonly IncidentView[];
  readonly alerts: readonly AlertLine[];
  readonly maintenance?: readonly PageMaintenance[];
  /** The cursor of the next page; null: this is the last. */
  readonly next: string | null;
  readonly nameOf: (id: string) => string;
  /** No line has more cells. */
  readonly width: number;
}

export function renderHistoryText(facts: HistoryTextFacts): string {
  const { title, now, next, width } = facts;
  const entries = timelineOf(facts).flatMap(({ entries: ofDay }) => ofDay);
  const lines = entries.flatMap((entry) => {
    switch (entry.kind) {
      case 'incident':
        return [...incidentLines(entry.incident, facts), ''];
      case 'alert':
        return alertLines(entry.alert, width);
      case 'maintenance':
        return maintenanceLines(entry.window, facts);
    }
  });
  return documentOf([
    spread(`${title}: history`, timeText(now), width),
    '',
    ...(lines.length === 0 ? ['No incident is on record here.'] : lines),
    ...(next === null ? [] : labelled('Older', `?before=${next}`, width)),
  ]);
}

export interface IncidentTextFacts extends Pick<HistoryTextFacts, 'title' | 'now' | 'nameOf' | 'width'> {
  readonly incident: IncidentView;
  /** What was written about it afterwards, in Markdown; null: nothing. */
  readonly postmortem: string | null;
}

/** One incident with all that was said about it. */
export function renderIncidentText(facts: IncidentTextFacts): string {
  const { title, now, incident, postmortem, width } = facts;
  return documentOf([
    spread(`${title}: incident`, timeText(now), width),
    '',
    ...incidentLines(incident, facts, allWords(incident, now)),
    ...(postmortem === null ? [] : ['', ...labelled('Post-mortem', postmortem, width)]),
  ]);
}

function incidentLines(
  incident: IncidentView,
  { nameOf, width, now }: Pick<HistoryTextFacts, 'nameOf' | 'width' | 'now'>,
  said: readonly string[] = [newestWords(incident, now) ?? []].flat(),
): string[] {
  const { id, name, kind, started_at, ended_at, note } = incident;
  const isOpen = ended_at === null;
  const state = isOpen && kind === 'down' ? 'DOWN for' : `${stateInWords(kind, isOpen)} for`;
  const number = id === undefined ? '' : ` (#${id})`;
  const start = minuteText(Date.parse(started_at));
  const lengthMs = shownLengthMs(incident);
  const sentences = [
    `${name} ${state} ${durationText(isOpen ? wholeMinutesMs(lengthMs) : lengthMs)}${number}.`,
    ...circumstancesOf(incident, nameOf),
  ];
  const below = [...said, ...(note === null ? [] : [`Note: ${note}`])];
  return [
    ...labelled(start, sentences.join(' '), width),
    ...below.flatMap((text) => labelled(' '.repeat(start.length), text, width)),
  ];
}

function maintenanceLines(
  { title, start, end, monitors }: PageMaintenance,
  { nameOf, width, now }: HistoryTextFacts,
): string[] {
  const names = monitors.length === 0 ? 'everything' : monitors.map(nameOf).join(', ');
  const until = end > now ? 'until' : 'to';
  const text = `Maintenance: ${title} (${names}), ${until} ${minuteText(Date.parse(end))}.`;
  return [...labelled(minuteText(Date.parse(start)), text, width), ''];
}

function alertLines({ at, name, severity, title, message, suppressed }: AlertLine, width: number): string[] {
  const start = minuteText(Date.parse(at));
  const repeats = suppressed === 0 ? '' : ` (and ${suppressed} more)`;
  return [
    ...labelled(start, `${name}: alert, ${severity}${title === null ? '' : `: ${title}`}${repeats}`, width),
    ...(message === null ? [] : labelled(' '.repeat(start.length), message, width)),
    '',
  ];
}
