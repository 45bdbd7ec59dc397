/** Writes the incident history as an Atom feed (RFC 4287). */
import { durationText } from '../../engine/core/duration.ts';
import { createHash } from 'node:crypto';
import { circumstancesOf, type IncidentView, stateInWords } from '../../engine/views/incident.ts';
import { urlPart } from '../pages/html.ts';
import { xml, type Xml } from '../svg/xml.ts';

/** An incident with the instant it last changed: confirmed, annotated or over, whichever is latest. RFC 3339. */
interface FeedIncident {
  readonly incident: IncidentView;
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
  /** The newest first. */
  readonly incidents: readonly FeedIncident[];
  readonly nameOf: (id: string) => string;
}

/**
 * The ids are UUIDs made of the uids of the database and the incident, so they outlive every change of the entry, and
 * are the same by whatever name the site is reached. Without an incident `updated` is the beginning of the day, for a
 * feed that names the instant it was read at is another one at every reading. No link holds a token: people pass feeds on.
 */
export function renderFeed(facts: FeedFacts): string {
  const { title, databaseUid, origin, incidents, now } = facts;
  const updated = incidents.reduce(
    (latest, { updatedAt }) => (Date.parse(updatedAt) > Date.parse(latest) ? updatedAt : latest),
    incidents[0]?.updatedAt ?? `${now.slice(0, 10)}T00:00:00Z`,
  );
  return xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><id>${idOf(databaseUid, 'history')}</id><title>${title}: incidents</title><updated>${updated}</updated><author><name>${title}</name></author><link rel="self" type="application/atom+xml" href="${origin}/history.atom"/><link rel="alternate" type="text/html" href="${origin}/history"/><generator>statusd</generator>
${incidents.map((entry) => renderEntry(entry, facts))}</feed>
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
