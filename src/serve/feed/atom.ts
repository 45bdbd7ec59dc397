/** Writes the incident history as an Atom feed (RFC 4287). */
import { durationText } from '../../engine/core/duration.ts';
import { createHash } from 'node:crypto';
import { circumstancesOf, type IncidentView, stateInWords } from '../../engine/views/incident.ts';
import type { PageAnnouncement, PageMaintenance } from '../../engine/views/page.ts';
import { urlPart } from '../pages/html.ts';
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
  } = facts;
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
  const subject = about === null ? `${title}: incidents` : `${title}: incidents of ${about}`;
  return xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><id>${idOf(databaseUid, `history${query}`)}</id><title>${subject}</title><updated>${updated}</updated><author><name>${title}</name></author><link rel="self" type="application/atom+xml" href="${origin}/history.atom${query}"/><link rel="alternate" type="text/html" href="${origin}/history${query}"/><link rel="related" type="text/calendar" href="${origin}/maintenance.ics"/><generator>statusd</generator>
${entries.map((entry) => entry.xml)}</feed>
`.text;
}

function renderEntry({ incident, updatedAt }: FeedIncident, { databaseUid, origin, nameOf }: FeedFacts): Xml {
  const { uid, name, kind, started_at, ended_at, duration_secs } = incident;
  const isOpen = ended_at === null;
  const length = isOpen ? '' : ` for ${durationText(duration_secs * 1000)}`;
  const title =
    kind === 'operator' ? `${name}: ${incident.state}` : `${name} ${stateInWords(kind, isOpen)}${length}`;
  const link = `${origin}/incidents/${urlPart(uid)}`;
  return xml`<entry><id>${idOf(databaseUid, `incident/${uid}`)}</id><title>${title}</title><published>${started_at}</published><updated>${updatedAt}</updated><link rel="alternate" type="text/html" href="${link}"/><category term="${ended_at === null ? 'open' : 'resolved'}"/><content type="text">${contentOf(incident, nameOf)}</content></entry>
`;
}

function maintenanceEntry(
  { uid, title, start, end, monitors, updatedAt }: FeedMaintenance,
  { databaseUid, origin, nameOf, now }: FeedFacts,
): Xml {
  const isOver = Date.parse(end) <= Date.parse(now);
  const state = isOver ? 'over' : Date.parse(start) <= Date.parse(now) ? 'under way' : 'planned';
  const names = monitors.length === 0 ? 'everything' : monitors.map(nameOf).join(', ');
  const content = `Maintenance of ${names} from ${start} to ${end}.`;
  return xml`<entry><id>${idOf(databaseUid, `maintenance/${uid}`)}</id><title>Maintenance ${state}: ${title}</title><updated>${updatedAt}</updated><link rel="alternate" type="text/html" href="${origin}/history"/><category term="maintenance"/><content type="text">${content}</content></entry>
`;
}

function announcementEntry(
  { title, body, severity, until }: PageAnnouncement,
  at: string,
  { databaseUid, origin }: FeedFacts,
): Xml {
  const content = [...(body === null ? [] : [body]), ...(until === null ? [] : [`Until ${until}.`])].join(
    '\n',
  );
  return xml`<entry><id>${idOf(databaseUid, `announcement/${at} ${title}`)}</id><title>${title}</title><published>${at}</published><updated>${at}</updated><link rel="alternate" type="text/html" href="${origin}/"/><category term="${severity}"/><content type="text">${content}</content></entry>
`;
}

const heads = { down: 'Down', unknown: 'Not checked', operator: 'Open' } as const;

/**
 * Plain text: a reader need not trust us with markup. What was said comes first, the newest at the top. An open incident
 * names no length, which would change all the time.
 */
function contentOf(incident: IncidentView, nameOf: (id: string) => string): string {
  const { note, kind, started_at, ended_at, updates } = incident;
  const state = heads[kind];
  return [
    ...updates.flatMap(({ at, state: then, message }) =>
      message === null ? [] : [`${at}, ${then}: ${message}`],
    ),
    ended_at === null ? `${state} since ${started_at}.` : `${state} from ${started_at} to ${ended_at}.`,
    ...circumstancesOf(incident, nameOf),
    ...(note === null ? [] : [`Note: ${note}`]),
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
