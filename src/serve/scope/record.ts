/** Reads one page of the history: incidents, and the alerts of producers in the same span of time. */
import type { Store } from '../../db/store/store.ts';
import { announcements } from '../../db/tables/announcements.ts';
import { events } from '../../db/tables/events.ts';
import { incidentUpdates, type PostmortemRow, postmortems } from '../../db/tables/incident-updates.ts';
import { type IncidentQuery } from '../../db/tables/incident-pages.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { type AlertRow, producerAlerts } from '../../db/tables/producer-alerts.ts';
import type { ConfiguredNotice } from '../../engine/config/config.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { AlertLine } from '../../engine/views/history.ts';
import { announcementViews, withoutRepeats } from '../../engine/views/frame.ts';
import { incidentView, type IncidentView } from '../../engine/views/incident.ts';
import type { PlannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import type { PageMaintenance } from '../../engine/views/page.ts';
import type { Reader } from '../../engine/views/monitor.ts';
import { isNews, type Maintenance, newsAmong } from './news.ts';

export interface RecordAsked extends Pick<IncidentQuery, 'limit' | 'isOpen' | 'isNarrow'> {
  /** The cursor that the page before ended with; null: the first page. */
  readonly before: string | null;
  /** Ids of monitors; null: of all, those that are no longer configured included. */
  readonly monitors: readonly string[] | null;
}

export interface RecordPage {
  readonly incidents: readonly IncidentView[];
  readonly next: string | null;
}

export interface HistoryPage extends RecordPage {
  /** Those of the stretch of time from the first incident of the page on, until the page before it begins. */
  readonly alerts: readonly AlertLine[];
  /** What began in that stretch. */
  readonly maintenance: readonly PageMaintenance[];
}

/** What is shown of maintenance, besides the record. */
interface WithMaintenance extends Maintenance {
  readonly planned: readonly PlannedMaintenance[];
}

interface RecordSources {
  readonly store: Pick<Store, 'sql'>;
  readonly reader: Reader;
}

export function readIncidents(sources: RecordSources, asked: RecordAsked): RecordPage {
  const page = recorded.list(sources.store.sql, asked);
  return { incidents: viewsOf(page.incidents, sources), next: page.next };
}

/** All that are open and about a monitor that `isIn`, or about everything; the one that started last first. */
export function readOpenIncidents(
  sources: RecordSources,
  isIn: (monitor: string) => boolean,
): readonly IncidentView[] {
  const { incidents: open } = recorded.list(sources.store.sql, { limit: unbounded - 1, isOpen: true });
  return viewsOf(
    open.filter((row) => isAbout(row, isIn)),
    sources,
  );
}

/** One by its uid or, for those who may see everything, its number; null: there is none for this reader. */
export function readIncident(
  sources: RecordSources,
  name: string,
  isIn: (monitor: string) => boolean,
): { readonly row: RecordedIncidentRow; readonly incident: IncidentView } | null {
  const { sql } = sources.store;
  const byNumber = sources.reader.isTrusted && /^[1-9]\d{0,14}$/.test(name);
  const row = (byNumber ? recorded.find(sql, Number(name)) : null) ?? recorded.find(sql, name);
  if (row === null || !isAbout(row, isIn)) return null;
  const [incident] = viewsOf([row], sources);
  return incident === undefined ? null : { row, incident };
}

export interface EventsAsked {
  readonly fromAt: number;
  readonly toAt: number;
  /** Only those that concern one of these monitors, or everything; none: all. */
  readonly monitors: readonly string[];
}

/** What was changed, the oldest first: what concerns only monitors that the reader may not see is left out. */
export function readEvents(
  { store: { sql }, reader: { isTrusted } }: RecordSources,
  asked: EventsAsked,
  isIn: (monitor: string) => boolean,
) {
  return events
    .listWithin(sql, asked)
    .filter(({ monitors }) => monitors.length === 0 || monitors.some(isIn))
    .map(({ id, uid, title, monitors, at }) => ({
      ...(isTrusted ? { id } : {}),
      uid,
      title,
      monitors: monitors.filter(isIn),
      at: rfc3339(at),
    }));
}

/** The newest of those that concern a monitor that the reader may see, or everything; the oldest first. */
export function readLatestEvents(
  { store: { sql } }: RecordSources,
  asked: Parameters<typeof events.listLatest>[1],
) {
  return events.listLatest(sql, asked).map(({ title, at }) => ({ title, at: rfc3339(at) }));
}

/** The post-mortem of an incident; null: there is none. */
export function readPostmortem({ store: { sql } }: RecordSources, uid: string): PostmortemRow | null {
  return postmortems.find(sql, uid);
}

function isAbout(row: RecordedIncidentRow, isIn: (monitor: string) => boolean): boolean {
  if (row.monitor !== null) return isIn(row.monitor);
  return row.monitors.length === 0 || row.monitors.some(isIn);
}

const weekMs = 7 * 86_400_000;

interface FeedAsked extends RecordAsked, WithMaintenance {
  readonly notices: readonly ConfiguredNotice[];
}

/** The newest incidents, announcements and windows of maintenance, with the instant at which each last changed. */
export function readFeed(sources: RecordSources, asked: FeedAsked) {
  const { store, reader } = sources;
  const { limit, isNarrow = false } = asked;
  const once = withoutRepeats(inRecord(asked), reader.nowAt);
  const shown = once.filter(({ startAt }) => startAt <= reader.nowAt + weekMs);
  const maintenance = shown.slice(-limit).map((window) => ({
    ...windowView(window),
    uid: window.uid,
    updatedAt: rfc3339(changedAt(window, reader.nowAt)),
  }));
  const announced = announcementViews(announcements.active(store.sql, reader.nowAt), asked.notices, reader);
  const incidents = feedIncidents(sources, asked).filter(({ incident }) => isNews(incident, asked));
  return { incidents, maintenance, announcements: isNarrow ? [] : announced };
}

export type FeedPage = ReturnType<typeof readFeed>;

/** When an entry about a window last said something else: that it is planned, under way, over. */
function changedAt({ startAt, endAt, createdAt }: PlannedMaintenance, nowAt: number): number {
  if (endAt <= nowAt) return endAt;
  return startAt <= nowAt ? startAt : Math.min(Math.max(createdAt ?? 0, startAt - weekMs), nowAt);
}

/** Those that cover any of the monitors asked for, or everything. */
function inRecord({ planned, monitors }: Pick<FeedAsked, 'planned' | 'monitors'>) {
  if (monitors === null) return planned;
  const asked = new Set(monitors);
  return planned.filter((one) => one.monitors.length === 0 || one.monitors.some((id) => asked.has(id)));
}

function windowView({ title, startAt, endAt, monitors }: PlannedMaintenance): PageMaintenance {
  return { title, start: rfc3339(startAt), end: rfc3339(endAt), monitors };
}

function feedIncidents(sources: RecordSources, asked: RecordAsked) {
  const { sql } = sources.store;
  const rows = recorded.list(sql, asked).incidents;
  const views = viewsOf(rows, sources);
  return rows.flatMap((row, index) => {
    const incident = views[index];
    if (incident === undefined) return [];
    const changes = [
      ...(row.monitor === null ? [row.startedAt] : [row.confirmedAt]),
      row.endedAt ?? 0,
      row.notedAt ?? 0,
      ...incident.updates.map(({ at }) => Date.parse(at)),
    ];
    return [{ incident, updatedAt: rfc3339(Math.max(...changes)) }];
  });
}

/** How many alerts fill a page. */
const fullAt = 200;
const unbounded = 2 ** 31 - 1;

/**
 * Every alert stands on exactly one page, and so does every incident and window of maintenance. A page that is full of
 * these ends early.
 */
export function readHistory(
  { store, reader }: RecordSources,
  asked: RecordAsked & WithMaintenance,
  nameOf: (id: string) => string,
): HistoryPage {
  const { sql } = store;
  const { before, monitors } = asked;
  const { incidents: rows, next } = recorded.list(sql, asked);
  const toAt = before === null ? reader.nowAt + 1 : startOf(before);
  const alertsFrom = (fromAt: number, limit: number) =>
    producerAlerts.listWithin(sql, { fromAt, toAt, limit }, monitors);
  const fromAt = next === null ? 0 : startOf(next);
  const listed = alertsFrom(fromAt, fullAt + 1);
  const begun = inRecord(asked).filter(({ startAt }) => startAt >= fromAt && startAt < toAt);
  const ats = [...listed.map(({ at }) => at), ...begun.map(({ startAt }) => startAt)];
  const isCut = ats.length > fullAt;
  const cutAt = isCut ? (ats.toSorted((a, b) => b - a)[fullAt - 1] ?? 0) : -Infinity;
  // Alerts of one instant stay together: a cursor could not come between them.
  const alerts = isCut ? alertsFrom(cutAt, unbounded) : listed;
  return {
    incidents: newsAmong(
      viewsOf(
        rows.filter(({ startedAt }) => startedAt >= cutAt),
        { store, reader },
      ),
      asked,
    ),
    next: isCut ? cursorBefore(cutAt) : next,
    alerts: alerts.map((row) => lineOf(row, reader, nameOf)),
    maintenance: begun.filter(({ startAt }) => startAt >= cutAt).map(windowView),
  };
}

/** What a producer writes is for the operator (host names, tags, a stack trace): the public gets severity and time. */
function lineOf(row: AlertRow, { hasDetail }: Reader, nameOf: (id: string) => string): AlertLine {
  const { monitor, severity, title, message, tags, suppressed } = row;
  const line = { at: rfc3339(row.at), monitor, name: nameOf(monitor), severity };
  return hasDetail(monitor)
    ? { ...line, title, message: withTags(message, tags), suppressed }
    : { ...line, title: null, message: null, suppressed: 0 };
}

function viewsOf(
  rows: readonly RecordedIncidentRow[],
  { store: { sql }, reader }: RecordSources,
): readonly IncidentView[] {
  const said = incidentUpdates.of(
    sql,
    rows.map(({ uid }) => uid),
  );
  return rows.map((row) => {
    const isDetailPublic = row.monitor !== null && reader.hasDetail(row.monitor);
    return incidentView(row, { ...reader, isDetailPublic }, said.get(row.uid));
  });
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
