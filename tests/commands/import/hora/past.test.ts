import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withHoraDatabase } from '../../../../src/commands/import/hora/database.ts';
import { horaDays, horaOutages } from '../../../../src/commands/import/hora/past.ts';
import { maxOutages } from '../../../../src/commands/import/history/outages.ts';
import { inFile } from '../../../support/in-file.ts';
import { horaDatabase, type HoraRow, type HoraVersion } from '../../../support/hora-database.ts';

const today = Math.floor(Date.UTC(2026, 5, 1) / 86_400_000);
const nowAt = today * 86_400_000 + 5 * 3_600_000;
const day = (ago: number) => (today - ago) * 86_400;
const startSecs = day(3);

type Rows = Readonly<Record<string, readonly HoraRow[]>>;

const inside = async <T>(
  rows: Rows,
  work: (sql: Parameters<Parameters<typeof withHoraDatabase>[1]>[0]) => T,
  version: HoraVersion = '0.9',
): Promise<T> => inFile(await horaDatabase(version, rows), (file) => withHoraDatabase(file, work));

const daysIn = (rows: Rows, version?: HoraVersion, intervalSecs = 60) =>
  inside(
    rows,
    (sql) =>
      horaDays(sql, { monitor: 'web', intervalSecs, nowAt }).map(([number, upSecs, downSecs, up, down]) => [
        today - number,
        upSecs,
        downSecs,
        up,
        down,
      ]),
    version,
  );

/** A check a minute from `time` on: up, down, degraded. */
const checks = (letters: string, time = startSecs, monitor = 'web'): HoraRow[] =>
  Array.from(letters).flatMap((letter, index) =>
    letter === '.'
      ? []
      : [{ monitor_id: monitor, time: time + index * 60, status: 'dus'.indexOf(letter), error: null }],
  );

const hour = (
  time: number,
  ...[up, down = 0, degraded = 0]: readonly [number, number?, number?]
): HoraRow => ({
  monitor_id: 'web',
  hour: time,
  up_count: up,
  down_count: down,
  degraded_count: degraded,
});

describe('horaDays', () => {
  it('counts checks, of which a slow one is up and a failed one is down', async () => {
    assert.deepEqual(await daysIn({ checks: checks('uudsu') }, '0.2'), [[3, 240, 60, 4, 1]]);
  });

  it('adds the hours that are rolled up to the checks of those that are not', async () => {
    const rows = {
      checks_hourly: [hour(startSecs, 50, 10), hour(startSecs + 3600, 55, 0, 5)],
      checks: checks('uud', startSecs + 7200),
    };
    assert.deepEqual(await daysIn(rows), [[3, 112 * 60, 11 * 60, 112, 11]]);
  });

  it('counts no hour twice, and takes the fuller account of each', async () => {
    const rows = {
      checks_hourly: [hour(startSecs, 50, 10), hour(startSecs + 3600, 1)],
      checks: [...checks('u'.repeat(20), startSecs + 2400), ...checks('u'.repeat(60), startSecs + 3600)],
    };
    assert.deepEqual(await daysIn(rows), [[3, 110 * 60, 10 * 60, 110, 10]]);
  });

  it('reads the days of the year before, and of a day half of whose hours are gone the whole one', async () => {
    const rows = {
      checks_daily: [200, 90].map((ago) => ({
        monitor_id: 'web',
        day: day(ago),
        up_count: 1430,
        down_count: 10,
        degraded_count: 0,
      })),
      checks_hourly: [hour(day(90) + 80_000, 10), hour(day(89), 60)],
    };
    assert.deepEqual(await daysIn(rows), [
      [200, 85_800, 600, 1430, 10],
      [90, 85_800, 600, 1430, 10],
      [89, 3600, 0, 60, 0],
    ]);
  });

  it('leaves out today, what is older than a year, the future and other monitors', async () => {
    const rows = {
      checks: [
        ...checks('u', day(0)),
        ...checks('u', day(-3)),
        ...checks('u', day(1)),
        ...checks('uuu', day(1) + 60, 'api'),
      ],
      checks_daily: [{ monitor_id: 'web', day: day(370), up_count: 3 }],
    };
    assert.deepEqual(await daysIn(rows), [[1, 60, 0, 1, 0]]);
  });

  it('keeps a failed check of a day that is otherwise full, and no more seconds than a day has', async () => {
    const rows = { checks_daily: [{ monitor_id: 'web', day: day(100), up_count: 1439, down_count: 1 }] };
    assert.deepEqual(await daysIn(rows, '0.11', 600), [[100, 86_340, 60, 1439, 1]]);
    const odd = { checks_daily: [{ monitor_id: 'web', day: day(100), up_count: -5, down_count: 2 ** 40 }] };
    assert.deepEqual(await daysIn(odd), [[100, 0, 86_400, 0, 86_400]]);
  });
});

const incident = (started: number, ended: number | null, over: HoraRow = {}): HoraRow => ({
  monitor_id: 'web',
  started_at: startSecs + started * 60,
  ended_at: ended === null ? null : startSecs + ended * 60,
  created_at: startSecs,
  ...over,
});

const named = [
  { id: 'web', name: 'Website' },
  { id: 'db', name: 'Database' },
  { id: 'a', name: 'Twin' },
  { id: 'b', name: 'Twin' },
];

const outagesIn = (
  rows: Rows,
  { sinceAt = 0, version = '0.9' }: { sinceAt?: number; version?: HoraVersion } = {},
) =>
  inside(
    rows,
    (sql) => horaOutages(sql, { monitor: 'web', sinceAt, lookbackSecs: 600, monitors: named }),
    version,
  );

/** `2-4>7`: first failed in minute 2, called down in 4, over in 7. */
const shortly = ({ outages }: Awaited<ReturnType<typeof outagesIn>>) =>
  outages.map(({ startedAt, confirmedAt, endedAt }) => {
    const [from, called, over] = [startedAt, confirmedAt, endedAt].map((at) =>
      String((at / 1000 - startSecs) / 60),
    );
    return `${from}-${called}>${over}`;
  });

describe('horaOutages', () => {
  it('begins with the first of the failed checks that it was called down for', async () => {
    const rows = { incidents: [incident(4, 7)], checks: checks('uudddddu') };
    assert.deepEqual(shortly(await outagesIn(rows)), ['2-4>7']);
  });

  it('begins when it was called down where no check is on record any more', async () => {
    assert.deepEqual(shortly(await outagesIn({ incidents: [incident(4, 7)] })), ['4-4>7']);
    const others = { incidents: [incident(4, 7)], checks: checks('dddddddd', startSecs, 'api') };
    assert.deepEqual(shortly(await outagesIn(others)), ['4-4>7']);
    const before = { incidents: [incident(4, 7)], checks: checks('uddu....') };
    assert.deepEqual(shortly(await outagesIn(before)), ['4-4>7']);
  });

  it('begins with a failure that the checks before it are gone of, and never before the last one ended', async () => {
    assert.deepEqual(shortly(await outagesIn({ incidents: [incident(4, 7)], checks: checks('..ddd') })), [
      '2-4>7',
    ]);
    const two = { incidents: [incident(2, 3), incident(6, 8)], checks: checks('ddddddddu') };
    assert.deepEqual(shortly(await outagesIn(two)), ['0-2>3', '3-6>8']);
  });

  it('does not begin with a failure from before Hora was off', async () => {
    const rows = {
      incidents: [incident(1440, 1450)],
      checks: [...checks('ud'), ...checks('d', startSecs + 86_340)],
    };
    assert.deepEqual(shortly(await outagesIn(rows)), ['1439-1440>1450']);
  });

  it('counts entries that are open, too old, too many, or of one monitor only', async () => {
    const rows = {
      incidents: [incident(1, 2), incident(5, 6), incident(9, null), incident(3, 4, { monitor_id: 'api' })],
    };
    const past = await outagesIn(rows, { sinceAt: (startSecs + 180) * 1000 });
    assert.deepEqual([shortly(past), past.tooOld, past.unfinished], [['5-5>6'], 1, 1]);
    const many = await outagesIn({
      incidents: Array.from({ length: maxOutages + 5 }, (_, index) => incident(index * 3, index * 3 + 1)),
    });
    assert.deepEqual([many.outages.length, many.tooMany, shortly(many)[0]], [maxOutages, 5, '15-15>16']);
  });

  it('has the reason, the note, and the monitors that Hora names, where one alone has the name', async () => {
    const facts = {
      error: 'HTTP 503',
      note: 'fiber cut',
      cause: 'Database',
      impacted: '["Database","Twin","Gone",3,null]',
    };
    const [first] = (await outagesIn({ incidents: [incident(1, 2, facts)] })).outages;
    assert.deepEqual(
      [first?.message, first?.note, first?.cause, first?.impacted],
      ['HTTP 503', 'fiber cut', 'db', ['db']],
    );
    const [bare] = (
      await outagesIn({ incidents: [incident(1, 2, { cause: 'Twin', impacted: '{' })] }, { version: '0.4' })
    ).outages;
    assert.deepEqual([bare?.message, bare?.note, bare?.cause, bare?.impacted], ['', '', null, []]);
  });

  it('passes over what makes no sense: an end before the start, texts for numbers, times beyond all days', async () => {
    const odd = [
      incident(5, 3),
      incident(1, 2, { started_at: 'yesterday' }),
      incident(1, 2, { ended_at: 'today' }),
      incident(1, 2, { started_at: -5 }),
      incident(1, 2, { ended_at: 9e15 }),
      incident(7, 8, { error: 5 }),
    ];
    const past = await outagesIn({ incidents: odd });
    assert.deepEqual([shortly(past), past.outages[0]?.message], [['7-7>8'], '5']);
  });

  it('is none in a database from before there were any', async () => {
    const past = await outagesIn({ checks: checks('uddddu') }, { version: '0.2' });
    assert.deepEqual(past, { outages: [], tooOld: 0, tooMany: 0, unfinished: 0 });
  });
});
