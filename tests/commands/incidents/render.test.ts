import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import stringWidth from 'string-width';
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import { incidentsText } from '../../../src/commands/incidents/perform.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';

const nowAt = Date.UTC(2026, 10, 21, 12, 0, 0);
const hour = 3_600_000;
const row = (id: number, changes: Partial<IncidentRow>): IncidentRow => ({
  id,
  uid: `u-${id}`,
  monitor: 'api',
  name: 'The API',
  startedAt: nowAt - id * hour,
  confirmedAt: nowAt - id * hour + 120_000,
  endedAt: nowAt - id * hour + 250_000,
  category: 'connection',
  reason: 'connection refused by 192.0.2.7:443',
  cause: null,
  impacted: [],
  note: null,
  notedAt: null,
  snapshot: null,
  vantage: null,
  ownFault: null,
  acknowledged: null,
  latest: null,
  carriedFrom: null,
  ...changes,
});
const answered = (statusLine: string) => ({ statusLine, headers: [], body: '' });

const rows: readonly IncidentRow[] = [
  row(1, {
    id: 1204,
    endedAt: null,
    category: 'status',
    reason: 'answered 503, expected 200-299',
    snapshot: answered('HTTP/1.1 503 Service Unavailable'),
  }),
  row(5, { monitor: 'a-monitor-with-a-very-long-identifier-of-64-characters-0123456789' }),
  row(30, { endedAt: nowAt - 2 * hour, note: 'The provider lost a rack; moved to another zone.' }),
  row(900, {
    monitor: '監視',
    category: 'content',
    reason: `keyword "ok" is missing from the body, ${'which is long '.repeat(12)}`,
    snapshot: answered(`HTTP/1.1 200 ${'OK '.repeat(40)}`),
    note: '障害 '.repeat(40),
  }),
  row(901, { reason: null, category: 'timeout' }),
  row(902, { monitor: '\u001b[31mred', reason: 'a\u0007\u202eb\nc', note: '\u009b2J' }),
];

describe('the incident record', () => {
  it('puts a chain of causes below its end, and loses nobody where they cause each other', () => {
    const listing = { nowAt, isQuiet: true, isOpen: false, monitor: null };
    const named = (causes: Readonly<Record<string, string | null>>) =>
      incidentsText(
        Object.entries(causes).map(([monitor, cause]) => row(5, { monitor, cause })),
        listing,
        outputOf({ columns: null, isColoured: false }),
      )
        .trimEnd()
        .split('\n')
        .map((line) => /5 {2}((?:└ )?\S+)/.exec(line)?.[1]);
    assert.deepEqual(named({ shop: 'api', api: 'db', db: null, mail: null }), [
      'db',
      '└ shop',
      '└ api',
      'mail',
    ]);
    assert.deepEqual(named({ a: 'b', b: 'a', c: 'a' }), ['a', 'b', 'c']);
  });

  it('says that an incident lasted from the second it started in to the one it ended in', () => {
    const listing = { nowAt, isQuiet: false, isOpen: false, monitor: null };
    const late = row(5, { startedAt: nowAt - 5 * hour + 900, endedAt: nowAt - 5 * hour + 250_100 });
    assert.match(
      incidentsText([late], listing, outputOf({ columns: null, isColoured: false })),
      /07:00:00 .*07:04:10 +4m 10s/,
    );
  });

  for (const columns of [80, 200, null]) {
    for (const isColoured of [false, true]) {
      const name = `${columns ?? 'piped'}${isColoured ? '.colour' : ''}`;
      it(`${name} is as the golden file has it, and fits`, () => {
        const listing = { nowAt, isQuiet: false, isOpen: false, monitor: null };
        const text = incidentsText(rows, listing, outputOf({ columns, isColoured }));
        assertGolden(new URL(`golden/incidents.${name}.txt`, import.meta.url), text);
        for (const line of text.split('\n')) assert.ok(stringWidth(line) <= (columns ?? Infinity), line);
      });
    }
  }

  it('says who has acknowledged, beside the note or in a line below', () => {
    const acknowledged = { at: nowAt, by: 'ann\u001b[2J', reason: 'on it' };
    const some = [
      row(1, { acknowledged, endedAt: null }),
      row(2, { acknowledged, note: 'A disk.' }),
      row(3, { acknowledged: { ...acknowledged, by: null } }),
    ];
    const listing = { nowAt, isQuiet: true, isOpen: false, monitor: null };
    const narrow = incidentsText(some, listing, outputOf({ columns: 80, isColoured: false })).split('\n');
    assert.deepEqual(
      [1, 3, 5].map((index) => narrow[index]?.trim()),
      ['acknowledged by ann', 'acknowledged by ann; note: A disk.', 'acknowledged'],
    );
    const wide = incidentsText(some, listing, outputOf({ columns: null, isColoured: false })).split('\n');
    assert.match(wide[0] ?? '', /acknowledged by ann$/);
    assert.match(wide[1] ?? '', /acknowledged by ann; A disk\.$/);
  });

  it('has what an outage took along under it, wherever the list has them', () => {
    const cascade = [
      row(1, { id: 8, monitor: 'shop', cause: 'db', endedAt: null }),
      row(1, { id: 7, monitor: 'blog', endedAt: null }),
      row(1, { id: 6, monitor: 'api', cause: 'db', endedAt: null }),
      row(1, { id: 5, monitor: 'db', impacted: ['api', 'shop'], endedAt: null }),
      // Another outage of the same root, long over.
      row(40, { id: 4, monitor: 'db' }),
      // Its cause is not in the list.
      row(60, { id: 3, monitor: 'api', cause: 'net' }),
    ];
    const listing = { nowAt, isQuiet: true, isOpen: false, monitor: null };
    const text = incidentsText(cascade, listing, outputOf({ columns: 100, isColoured: false }));
    const drawn = text.split('\n').map((line) => line.split(/ {2,}/).slice(1, 3).join(' '));
    assert.deepEqual(drawn.slice(0, -1), ['5 db', '8 └ shop', '6 └ api', '7 blog', '4 db', '3 api']);
  });

  it('leaves columns out of a narrow terminal rather than cut the monitor to nothing', () => {
    const listing = { nowAt, isQuiet: false, isOpen: false, monitor: null };
    const some = [row(1, { id: 7, monitor: 'database' })];
    const [heading, line] = incidentsText(some, listing, outputOf({ columns: 40, isColoured: false })).split(
      '\n',
    );
    assert.match(heading ?? '', /MONITOR +STARTED/);
    assert.match(line ?? '', / database /);
  });

  it('fits terminals that are narrower than anyone has', () => {
    for (const columns of [60, 74, 100, 119, 120, 141]) {
      const listing = { nowAt, isQuiet: true, isOpen: false, monitor: null };
      const text = incidentsText(rows, listing, outputOf({ columns, isColoured: false }));
      for (const line of text.split('\n'))
        assert.ok(stringWidth(line) <= Math.max(columns, 74), `${columns}: ${line}`);
    }
  });
});
