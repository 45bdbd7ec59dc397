/** Reads a page of the record: incidents, and the alerts that producers sent in the stretch of time it covers. */
import type { Store } from '../../db/store.ts';
import { incidents, type IncidentQuery, type IncidentRow } from '../../db/topics/incidents.ts';
import { producerAlerts } from '../../db/topics/producer-alerts.ts';
import { rfc3339 } from '../../engine/core/duration.ts';
import type { AlertLine } from '../../engine/views/history.ts';
import { incidentView, type IncidentView } from '../../engine/views/incident.ts';
import type { Reader } from '../../engine/views/reader.ts';

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

interface RecordSources {
  readonly store: Pick<Store, 'sql'>;
  readonly reader: Reader;
}

export function readIncidents(sources: RecordSources, asked: RecordAsked): RecordPage {
  const page = incidents.list(sources.store.sql, asked);
  return { incidents: page.incidents.map((row) => viewOf(row, sources.reader)), next: page.next };
}

/** With the instant at which each last changed. */
export function readFeed(sources: RecordSources, asked: RecordAsked) {
  return incidents.list(sources.store.sql, asked).incidents.map((row) => ({
    incident: viewOf(row, sources.reader),
    updatedAt: rfc3339(Math.max(row.confirmedAt, row.endedAt ?? 0, row.notedAt ?? 0)),
  }));
}

/** More alerts than this are nobody's reading. */
const maxAlerts = 200;

/**
 * From the first incident of `page` on, until the page before it begins: so every alert stands on exactly one page.
 * Beyond a bound only the latest are shown.
 */
export function readAlerts(
  { store, reader }: RecordSources,
  { before, monitors }: RecordAsked,
  page: RecordPage & { readonly nameOf: (id: string) => string },
): readonly AlertLine[] {
  const toAt = before === null ? reader.nowAt + 1 : startOf(before);
  const fromAt = page.next === null ? 0 : startOf(page.next);
  return producerAlerts
    .listWithin(store.sql, { fromAt, toAt, limit: maxAlerts }, monitors)
    .map(({ at, monitor, severity, title, message, tags, suppressed }) => ({
      at: rfc3339(at),
      monitor,
      name: page.nameOf(monitor),
      severity,
      title,
      message: withTags(message, tags),
      suppressed,
    }));
}

function viewOf(row: IncidentRow, reader: Reader): IncidentView {
  return incidentView(row, { ...reader, isDetailPublic: reader.hasDetail(row.monitor) });
}

/** A cursor begins with the instant of the incident it stands for. */
function startOf(cursor: string): number {
  return Number(cursor.slice(0, cursor.indexOf('-')));
}

function withTags(message: string | null, tags: Readonly<Record<string, string>>): string | null {
  const words = Object.entries(tags).map(([name, tag]) => `${name}: ${tag}`);
  return words.length === 0 ? message : [...(message === null ? [] : [message]), words.join(', ')].join('\n');
}
