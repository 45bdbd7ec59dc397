/** Writes maintenance as a calendar (iCalendar, RFC 5545). */
import type { MaintenanceWindow } from '../../engine/core/mute.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { Speech } from '../pages/words/speech.ts';

/** A window as a calendar shows it. */
interface CalendarWindow extends MaintenanceWindow {
  readonly uid: string;
  /** When it was planned, epoch ms; null: not known. */
  readonly createdAt: number | null;
}

export interface CalendarFacts {
  readonly title: string;
  /** What the ids of events end with. */
  readonly databaseUid: string;
  /** Where the site is, without a slash at its end. */
  readonly origin: string;
  readonly windows: readonly CalendarWindow[];
  readonly nameOf: (id: string) => string;
  readonly speech: Speech;
}

/**
 * Each window is an event of its own: programs differ in what they make of rules that repeat. It says nothing of the
 * instant at which it was made, so it stays the same until a window changes. A calendar needs a part: without a window
 * it is a time zone.
 */
export function renderCalendar(facts: CalendarFacts): string {
  const { title, windows, speech } = facts;
  const name = escaped(`${title}: ${speech.words.maintenance}`);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//statusd//maintenance//EN',
    'CALSCALE:GREGORIAN',
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...(windows.length === 0 ? utc : distinct(windows).flatMap((window) => eventOf(window, facts))),
    'END:VCALENDAR',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
}

const utc = [
  'BEGIN:VTIMEZONE',
  'TZID:Etc/UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
];

function eventOf(
  window: CalendarWindow,
  { databaseUid, origin, nameOf, speech }: CalendarFacts,
): readonly string[] {
  const { uid, title, monitors, startAt, endAt, createdAt } = window;
  const { words } = speech;
  const names = monitors.length === 0 ? words.allServices : monitors.map(nameOf).join(', ');
  return [
    'BEGIN:VEVENT',
    `UID:${uid}@${databaseUid}`,
    `DTSTAMP:${dateTime(createdAt ?? startAt)}`,
    `DTSTART:${dateTime(startAt)}`,
    `DTEND:${dateTime(endAt)}`,
    `SUMMARY:${escaped(speech.maintenanceTitle(title))}`,
    `DESCRIPTION:${escaped(`${words.affected}: ${names}`)}`,
    `URL:${origin}/`,
    'CATEGORIES:Maintenance',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** Two windows of one title and time have one uid: the second is distinguished by its place. */
function distinct(windows: readonly CalendarWindow[]): readonly CalendarWindow[] {
  const seen = new Map<string, number>();
  return windows.map((window) => {
    const count = (seen.get(window.uid) ?? 0) + 1;
    seen.set(window.uid, count);
    return count === 1 ? window : { ...window, uid: `${window.uid}-${count}` };
  });
}

/** `20260607T120000Z`. */
function dateTime(at: number): string {
  return rfc3339(Math.floor(at / 1000) * 1000).replace(/[-:]/g, '');
}

/** No control character may stand in a text; a line break is written. */
function escaped(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(/\p{Cc}/gu, '');
}

const maxOctets = 75;

/** A line of more than 75 octets goes on in the next one, behind a blank; no character is cut. */
function folded(line: string): string {
  const parts: string[] = [];
  let part = '';
  let octets = 0;
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (octets + length > maxOctets) {
      parts.push(part);
      part = ' ';
      octets = 1;
    }
    part += character;
    octets += length;
  }
  return [...parts, part].join('\r\n');
}
