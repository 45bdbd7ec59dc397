import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CalendarFacts, renderCalendar } from '../../../src/serve/feed/calendar.ts';
import { english } from '../../../src/serve/pages/words/speech.ts';

const facts: CalendarFacts = {
  title: 'Our status',
  databaseUid: 'd4t4',
  origin: 'https://status.example.org',
  windows: [],
  nameOf: (id) => (id === 'db' ? 'Datenbank, groß; "alt" \\ neu' : id),
  speech: english,
};

const window = (change: Partial<CalendarFacts['windows'][number]> = {}) => ({
  uid: 'abc',
  title: 'Upgrade',
  startAt: Date.UTC(2026, 5, 8, 3),
  endAt: Date.UTC(2026, 5, 8, 4, 30),
  monitors: ['db'],
  createdAt: Date.UTC(2026, 5, 1, 12, 0, 0, 750),
  ...change,
});

interface Component {
  readonly name: string;
  readonly lines: { readonly name: string; readonly value: string }[];
  readonly parts: Component[];
}

/** Reads a calendar as strictly as RFC 5545 writes it: CRLF alone, at most 75 octets a line, every part closed. */
function parse(text: string): Component {
  assert.ok(text.endsWith('\r\n'));
  const physical = text.slice(0, -2).split('\r\n');
  for (const line of physical) {
    assert.doesNotMatch(line, /[\r\n]/);
    assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.equal(Buffer.from(line).toString('utf8'), line);
  }
  const unfolded = physical.join('\r\n').replaceAll('\r\n ', '').split('\r\n');
  const root: Component = { name: '', lines: [], parts: [] };
  const open = [root];
  for (const line of unfolded) {
    const match = /^([A-Z-]+)((?:;[A-Z-]+=[^;:,"]+)*):(.*)$/s.exec(line);
    assert.ok(match !== null, line);
    const [, name = '', , value = ''] = match;
    assert.doesNotMatch(value, /[^\P{Cc}\t]/u);
    const top = open.at(-1);
    assert.ok(top !== undefined);
    if (name === 'BEGIN') {
      const part: Component = { name: value, lines: [], parts: [] };
      top.parts.push(part);
      open.push(part);
    } else if (name === 'END') {
      assert.equal(value, top.name);
      open.pop();
    } else {
      top.lines.push({ name, value });
    }
  }
  assert.equal(open.length, 1);
  const [calendar] = root.parts;
  assert.ok(calendar !== undefined && root.parts.length === 1);
  assert.equal(calendar.name, 'VCALENDAR');
  assert.ok(calendar.parts.length > 0, 'a calendar has at least one part');
  for (const name of ['VERSION', 'PRODID'])
    assert.equal(calendar.lines.filter((line) => line.name === name).length, 1, name);
  for (const event of calendar.parts.filter((part) => part.name === 'VEVENT')) {
    for (const name of ['UID', 'DTSTAMP', 'DTSTART', 'DTEND'])
      assert.equal(event.lines.filter((line) => line.name === name).length, 1, name);
    for (const { value } of event.lines.filter(({ name }) => name.startsWith('DT')))
      assert.match(value, /^\d{8}T\d{6}Z$/);
  }
  return calendar;
}

/** The text of a value, with its escapes undone; an escape that there is none of is an error. */
function textOf(part: Component | undefined, name: string): string {
  const value = part?.lines.find((line) => line.name === name)?.value ?? '';
  return value.replace(/\\(.)|([;,])/g, (all, escaped: string | undefined) => {
    if (escaped === 'n') return '\n';
    assert.ok(escaped !== undefined && '\\;,'.includes(escaped), all);
    return escaped;
  });
}

describe('the calendar of maintenance', () => {
  it('has an event for each window, in UTC', () => {
    const [event] = parse(renderCalendar({ ...facts, windows: [window()] })).parts;
    assert.deepEqual(
      ['UID', 'DTSTAMP', 'DTSTART', 'DTEND', 'SUMMARY'].map((name) => textOf(event, name)),
      ['abc@d4t4', '20260601T120000Z', '20260608T030000Z', '20260608T043000Z', 'Upgrade'],
    );
    assert.equal(textOf(event, 'DESCRIPTION'), 'Affected services: Datenbank, groß; "alt" \\ neu');
  });

  it('is whole whatever a title holds, and cuts no character where it folds a line', () => {
    const titles = [
      'line\nbreak, comma; semicolon \\ back\\nslash',
      'BEGIN:VEVENT\r\nUID:forged',
      '\u0000\u0007control',
      '😀'.repeat(50),
      'ä'.repeat(75),
      `${'x'.repeat(66)}é and more`,
    ];
    for (const title of titles) {
      const { parts } = parse(renderCalendar({ ...facts, windows: [window({ title })] }));
      assert.equal(parts.length, 1);
      const shown = title.replaceAll('\r\n', '\n').replace(/(?!\n)\p{Cc}/gu, '');
      assert.equal(textOf(parts[0], 'SUMMARY'), shown);
    }
  });

  it('gives no two events one id', () => {
    const { parts } = parse(renderCalendar({ ...facts, windows: [window(), window()] }));
    assert.deepEqual(
      parts.map((part) => textOf(part, 'UID')),
      ['abc@d4t4', 'abc-2@d4t4'],
    );
  });

  it('is a calendar without a window, too', () => {
    assert.deepEqual(
      parse(renderCalendar(facts)).parts.map(({ name }) => name),
      ['VTIMEZONE'],
    );
  });
});
