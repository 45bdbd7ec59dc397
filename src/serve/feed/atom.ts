/** Writes the incident history as an Atom feed (RFC 4287). */
import { createHash } from 'node:crypto';
import type { IncidentView } from '../../engine/views/incident.ts';
import type { PageAnnouncement, PageMaintenance } from '../../engine/views/page.ts';
import { urlPart } from '../pages/html.ts';
import { reasonsOf, titleText } from '../pages/incident-words.ts';
import type { Speech } from '../pages/words/speech.ts';
import { xml, type Xml } from '../svg/xml.ts';

/** An incident with the instant it last changed: confirmed, annotated or over, whichever is latest. RFC 3339. */
interface FeedIncident {
  readonly incident: IncidentView;
  readonly updatedAt: string;
}

interface FeedMaintenance extends PageMaintenance {
  readonly uid: string;
  readonly updatedAt: string;
}

export interface FeedFacts {
  readonly title: string;
  /** Of the database: what the ids of the feed and its entries are made of. */
  readonly databaseUid: string;
  /** Where the site is, without a slash at its end: `https://status.example.org`. */
  readonly origin: string;
  /** RFC 3339. */
  readonly now: string;
  /** The name of the monitor or the group that the feed is restricted to; null: all. */
  readonly about?: string | null;
  /** How it is asked for: empty, or `?group=Backend`. */
  readonly query?: string;
  /** The newest first. */
  readonly incidents: readonly FeedIncident[];
  readonly maintenance?: readonly FeedMaintenance[];
  readonly announcements?: readonly PageAnnouncement[];
  readonly nameOf: (id: string) => string;
  readonly speech: Speech;
}

/**
 * The ids are UUIDs made of the uids of the database and the incident, so they outlive every change of the entry, and
 * are the same by whatever name the site is reached. Without an incident `updated` is the beginning of the day, for a
 * feed that names the instant it was read at is another one at every reading. No link holds a token: people pass feeds on.
 */
export function renderFeed(facts: FeedFacts): string {
  const {
    title,
    databaseUid,
    origin,
    incidents,
    now,
    about = null,
    query = '',
    maintenance = [],
    announcements = [],
    speech,
  } = facts;
  const { words, language } = speech;
  const entries = [
    ...incidents.map((entry) => ({ updatedAt: entry.updatedAt, xml: renderEntry(entry, facts) })),
    ...maintenance.map((entry) => ({ updatedAt: entry.updatedAt, xml: maintenanceEntry(entry, facts) })),
    ...announcements.flatMap((entry) =>
      entry.at === null ? [] : [{ updatedAt: entry.at, xml: announcementEntry(entry, entry.at, facts) }],
    ),
  ];
  const updated = entries.reduce(
    (latest, { updatedAt }) => (Date.parse(updatedAt) > Date.parse(latest) ? updatedAt : latest),
    entries[0]?.updatedAt ?? `${now.slice(0, 10)}T00:00:00Z`,
  );
  const subject = `${title}: ${about === null ? words.history : speech.fill('historyOf', about)}`;
  return xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}"><id>${idOf(databaseUid, `history${query}`)}</id><title>${subject}</title><updated>${updated}</updated><author><name>${title}</name></author><link rel="self" type="application/atom+xml" href="${origin}/history.atom${query}"/><link rel="alternate" type="text/html" href="${origin}/history${query}"/><link rel="related" type="text/calendar" href="${origin}/maintenance.ics"/><generator>statusd</generator>
${entries.map((entry) => entry.xml)}</feed>
`.text;
}

function renderEntry({ incident, updatedAt }: FeedIncident, facts: FeedFacts): Xml {
  const { databaseUid, origin, speech } = facts;
  const { uid, kind, state, started_at, ended_at } = incident;
  const title = titleText(incident, speech);
  const more =
    kind === 'operator'
      ? `: ${speech.words[state]}`
      : ended_at === null
        ? ''
        : `, ${speech.fill('lasted', speech.spanBetween(started_at, ended_at))}`;
  const link = `${origin}/incidents/${urlPart(uid)}`;
  return xml`<entry><id>${idOf(databaseUid, `incident/${uid}`)}</id><title>${title}${more}</title><published>${started_at}</published><updated>${updatedAt}</updated><link rel="alternate" type="text/html" href="${link}"/><category term="${ended_at === null ? 'open' : 'resolved'}"/><content type="text">${contentOf(incident, facts)}</content></entry>
`;
}

function maintenanceEntry(
  { uid, title, start, end, monitors, updatedAt }: FeedMaintenance,
  { databaseUid, origin, nameOf, now, speech }: FeedFacts,
): Xml {
  const { words } = speech;
  const isOver = Date.parse(end) <= Date.parse(now);
  const state = isOver
    ? words.maintenanceOver
    : Date.parse(start) <= Date.parse(now)
      ? words.maintenanceNow
      : words.maintenanceSoon;
  const names = monitors.length === 0 ? words.allServices : monitors.map(nameOf).join(', ');
  const content = `${speech.fill('fromTo', speech.time(start), speech.time(end))}\n${words.affected}: ${names}`;
  return xml`<entry><id>${idOf(databaseUid, `maintenance/${uid}`)}</id><title>${state}: ${speech.maintenanceTitle(title)}</title><updated>${updatedAt}</updated><link rel="alternate" type="text/html" href="${origin}/history"/><category term="maintenance"/><content type="text">${content}</content></entry>
`;
}

function announcementEntry(
  { title, body, severity, until }: PageAnnouncement,
  at: string,
  { databaseUid, origin, speech }: FeedFacts,
): Xml {
  const last = until === null ? [] : [speech.fill('until', speech.time(until))];
  const content = [...(body === null ? [] : [body]), ...last].join('\n');
  return xml`<entry><id>${idOf(databaseUid, `announcement/${at} ${title}`)}</id><title>${title}</title><published>${at}</published><updated>${at}</updated><link rel="alternate" type="text/html" href="${origin}/"/><category term="${severity}"/><content type="text">${content}</content></entry>
`;
}

/**
 * Plain text: a reader need not trust us with markup. Updates come first, the newest at the top. An open incident names
 * no length, which would change all the time.
 */
function contentOf(incident: IncidentView, { nameOf, speech }: FeedFacts): string {
  const { note, started_at, ended_at, updates, monitor, monitors, impacted } = incident;
  const { words } = speech;
  const affected = (monitor === null ? monitors : impacted).map(nameOf);
  return [
    ...updates.flatMap(({ at, state, message }) =>
      message === null ? [] : [`${speech.time(at)}, ${words[state]}: ${message}`],
    ),
    `${words.started}: ${speech.time(started_at)}`,
    ...(ended_at === null ? [] : [`${words.ended}: ${speech.time(ended_at)}`]),
    ...reasonsOf(incident, { speech, nameOf }),
    ...(affected.length === 0 ? [] : [`${words.affected}: ${affected.join(', ')}`]),
    ...(note === null ? [] : [`${words.note}: ${note}`]),
  ].join('\n');
}

/** A UUID made of a name (RFC 9562, version 8). */
function idOf(databaseUid: string, name: string): string {
  const bytes = createHash('sha256').update(`${databaseUid} ${name}`).digest().subarray(0, 16);
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x80, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${parts.join('-')}`;
}
