/** Reads a page of the record: incidents, and the alerts that producers sent in the stretch of time it covers. */
import type { Store } from '../../db/store/store.ts';
import { incidents, type IncidentQuery, type IncidentRow } from '../../db/tables/incidents.ts';
import { type AlertRow, producerAlerts } from '../../db/tables/producer-alerts.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { AlertLine } from '../../engine/views/history.ts';
import { incidentView, type IncidentView } from '../../engine/views/incident.ts';
import type { Reader } from '../../engine/views/monitor.ts';

export interface RecordAsked extends Pick<IncidentQuery, 'limit' | 'isOpen'> {
  /** The cursor that the page before ended with; null: the first page. */
  readonly before: string | null;
  /** Ids of monitors; null: of all, those that are configured no more included. */
  readonly monitors: readonly string[] | null;
}

export interface RecordPage {
  readonly incidents: readonly IncidentView[];
  readonly next: string | null;
}

export interface HistoryPage extends RecordPage {
  /** Those of the stretch of time from the first incident of the page on, until the page before it begins. */
  readonly alerts: readonly AlertLine[];
}

interface RecordSources {
  readonly store: Pick<Store, 'sql'>;
  readonly reader: Reader;
}

export function readIncidents(sources: RecordSources, asked: RecordAsked): RecordPage {
  const page = incidents.list(sources.store.sql, asked);
  return { incidents: page.incidents.map((row) => viewOf(row, sources.reader)), next: page.next };
}

/** Null: there is none, or it is of a monitor that does not exist for the reader. */
export function readIncident(
  { store: { sql }, reader }: RecordSources,
  uid: string,
  { isOperator, known }: { readonly isOperator: boolean; readonly known: ReadonlyMap<string, unknown> },
): IncidentView | null {
  const row = incidents.find(sql, uid);
  if (row === null || !(isOperator || reader.isVisible(row.monitor))) return null;
  return viewOf(row, { ...reader, isVisible: (id) => known.has(id) });
}

/** With the instant at which each last changed. */
export function readFeed(sources: RecordSources, asked: RecordAsked) {
  return incidents.list(sources.store.sql, asked).incidents.map((row) => ({
    incident: viewOf(row, sources.reader),
    updatedAt: rfc3339(Math.max(row.confirmedAt, row.endedAt ?? 0, row.notedAt ?? 0)),
  }));
}

/** As many alerts make a page full. */
const fullAt = 200;
const unbounded = 2 ** 31 - 1;

/** Every alert stands on exactly one page, and so does every incident. A page that is full of alerts ends early. */
export function readHistory(
  { store: { sql }, reader }: RecordSources,
  asked: RecordAsked,
  nameOf: (id: string) => string,
): HistoryPage {
  const { before, monitors } = asked;
  const { incidents: rows, next } = incidents.list(sql, asked);
  const toAt = before === null ? reader.nowAt + 1 : startOf(before);
  const alertsFrom = (fromAt: number, limit: number) =>
    producerAlerts.listWithin(sql, { fromAt, toAt, limit }, monitors);
  const listed = alertsFrom(next === null ? 0 : startOf(next), fullAt + 1);
  const isCut = listed.length > fullAt;
  const cutAt = isCut ? (listed[fullAt - 1]?.at ?? 0) : -Infinity;
  // Alerts of one instant stay together: a cursor could not come between them.
  const alerts = isCut ? alertsFrom(cutAt, unbounded) : listed;
  return {
    incidents: rows.filter(({ startedAt }) => startedAt >= cutAt).map((row) => viewOf(row, reader)),
    next: isCut ? cursorBefore(cutAt) : next,
    alerts: alerts.map((row) => lineOf(row, reader, nameOf)),
  };
}

/** What a producer writes is for the operator (host names, tags, a stack trace): strangers get severity and time. */
function lineOf(row: AlertRow, { hasDetail }: Reader, nameOf: (id: string) => string): AlertLine {
  const { monitor, severity, title, message, tags, suppressed } = row;
  const line = { at: rfc3339(row.at), monitor, name: nameOf(monitor), severity };
  return hasDetail(monitor)
    ? { ...line, title, message: withTags(message, tags), suppressed }
    : { ...line, title: null, message: null, suppressed: 0 };
}

function viewOf(row: IncidentRow, reader: Reader): IncidentView {
  return incidentView(row, { ...reader, isDetailPublic: reader.hasDetail(row.monitor) });
}

/** A cursor begins with the instant it stands for. */
function startOf(cursor: string): number {
  return Number(cursor.slice(0, cursor.indexOf('-')));
}

/** Of all that is older than an instant: no name of an incident sorts before a dash. */
function cursorBefore(at: number): string {
  return `${at}--`;
}

function withTags(message: string | null, tags: Readonly<Record<string, string>>): string | null {
  const words = Object.entries(tags).map(([name, tag]) => `${name}: ${tag}`);
  return words.length === 0 ? message : [...(message === null ? [] : [message]), words.join(', ')].join('\n');
}
