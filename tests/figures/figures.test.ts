/**
 * Every figure that is shown anywhere, against an oracle that shares no code with the sources: a made-up world is written into
 * a database as the daemon does, and at each instant every surface is read. `STATUSD_SEED` makes up another world.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openWorld, type World } from '../serve/world.ts';
import { expectedFigures } from './expected.ts';
import { Oracle } from './oracle.ts';
import { Recording } from './record.ts';
import { differences, type Sheet } from './sheet.ts';
import { readSurfaces } from './surfaces.ts';
import { denseEndsAt, endsAt, makeWorld, utc } from './world.ts';

const why = {
  rolling: 'the span is not the last N times 24 hours to the minute',
  begun: 'an outage counts in every month that it touches',
  recovery: 'the mean is that of whole outages, and of none that lasts',
  budget: 'the budget is not that of the measured span',
  rows: 'a closed month has no row of a monitor without data, and its coverage leaves such a monitor out',
  maintained: 'days do not keep what maintenance took of them',
  top: 'the days of a monitor in top count what lies under maintenance',
} as const;

/** The figures that the sources do not have right yet, each with what is wrong. Empty: they have all. */
const notYet: Readonly<Record<string, string>> = {
  'report as JSON: monitors': why.rows,
  'report as JSON: coverage_percent of several': why.rows,
  'report as JSON: incidents of several': why.begun,
  'report as JSON: mttr_secs of several': why.recovery,
  'report as JSON: incidents': why.begun,
  'report as JSON: mttr_secs': why.recovery,
  'report as JSON: budget_minutes': why.budget,
  'report as JSON: used_percent': why.budget,
  'report computed anew: uptime_percent': why.maintained,
  'report computed anew: coverage_percent': why.maintained,
  'report computed anew: incidents': why.begun,
  'report computed anew: mttr_secs': why.recovery,
  'report computed anew: budget_minutes': why.budget,
  'report computed anew: spent_minutes': why.maintained,
  'report computed anew: used_percent': why.budget,
  'report as text: monitors': why.rows,
  'report as text: incidents': why.begun,
  'report as text: recovery': why.recovery,
  'report as text: budget': why.budget,
  'report as text: total coverage': why.rows,
  'report as text: total incidents': why.begun,
  'report as text for strangers: monitors': why.rows,
  'report as text for strangers: incidents': why.begun,
  'report as text for strangers: recovery': why.recovery,
  'report as text for strangers: budget': why.budget,
  'report as text for strangers: total coverage': why.rows,
  'report as text for strangers: total incidents': why.begun,
  'report as a page: monitors': why.rows,
  'report as a page: incidents': why.begun,
  'report as a page: recovery': why.recovery,
  'report as a page: budget used': why.budget,
  'report as a page: total coverage': why.rows,
  'report as a page: total incidents': why.begun,
  'digest: uptime': why.rolling,
  'digest: seen': why.rolling,
  'digest: budget': why.budget,
  'digest: budget left': why.budget,
  'summary: uptime of 24 h': why.rolling,
  'summary: coverage of 24 h': why.rolling,
  'summary: budget': why.budget,
  'summary: budget left': why.budget,
  'summary: uptimes of days': why.maintained,
  'top: uptime of 24 h': why.rolling,
  'top: coverage of 24 h': why.rolling,
  'top: budget': why.budget,
  'top: budget left': why.budget,
  'top: uptimes of days': why.maintained,
  'top: days of a monitor': why.top,
  'metrics: uptime': why.rolling,
  'badge: 24h': why.rolling,
  'badge: 7d': why.rolling,
  'badge: 30d': why.rolling,
  'badge: 90d': why.rolling,
  'page as text: 24 h': why.rolling,
  'page as text: 7 d': why.rolling,
  'page as text: 30 d': why.rolling,
  'page as text: 90 d': why.rolling,
  'page of a monitor: 24 hours': why.rolling,
  'page of a monitor: 7 days': why.rolling,
  'page of a monitor: 30 days': why.rolling,
  'page of a monitor: 90 days': why.rolling,
  'page: uptime of the bars': why.maintained,
  'page of a monitor: uptime of the bars': why.maintained,
};

const instants: readonly (readonly [title: string, at: number])[] = [
  ['just after the end of a month, in an outage', utc('2026-10-01T00:05:00')],
  ['two days after the end of a month', utc('2026-10-03T00:30:00')],
  ['in an outage over midnight', utc('2026-10-04T00:10:00')],
  ['in a window of maintenance', utc('2026-10-06T10:40:00')],
  ['just after midnight', utc('2026-10-10T00:03:00')],
  ['in the middle of a month', utc('2026-10-16T14:37:00')],
  ['on the day on which clocks go back', utc('2026-10-25T02:15:00')],
  ['just after the end of a month, in an outage under maintenance', utc('2026-11-01T00:02:00')],
  ['two days after the end of that month', utc('2026-11-03T00:05:00')],
  ['at the end of seventy days', denseEndsAt],
  ['a hundred days later', endsAt],
];

const totalsOfText = [
  'uptime',
  'coverage',
  'incidents',
  'downtime',
  'mean downtime',
  'maintenance',
  'slos',
].map((figure) => `total ${figure}`);
const rowsOfText = ['monitors', 'uptime', 'coverage', 'incidents', 'downtime', 'recovery', 'slo', 'budget'];
const rowsOfJson = [
  ...['uptime_percent', 'coverage_percent', 'incidents', 'downtime_secs', 'mttr_secs', 'maintenance_secs'],
  ...['target', 'met', 'budget_minutes', 'spent_minutes', 'used_percent'],
];
const figuresOfSeveral = [
  'uptime_percent',
  'coverage_percent',
  'incidents',
  'downtime_secs',
  'mttr_secs',
].concat(...['maintenance_secs', 'mean_downtime_secs', 'slos_met', 'slos_missed']);
const barsOfPage = ['bars', 'sentence of the bars', 'uptime of the bars'];
const summary = [
  'uptime of 24 h',
  'coverage of 24 h',
  'budget',
  'budget left',
  'states of days',
  'uptimes of days',
];

/** What every surface shows. */
const surfaces: Readonly<Record<string, readonly string[]>> = {
  'report as JSON': ['monitors', ...rowsOfJson, ...figuresOfSeveral.map((figure) => `${figure} of several`)],
  'report computed anew': rowsOfJson,
  'report as text': [...rowsOfText, ...totalsOfText],
  'report as text for strangers': [...rowsOfText, ...totalsOfText],
  'report as a page': [
    ...['monitors', 'uptime', 'coverage', 'incidents', 'downtime', 'recovery', 'slo', 'budget used'],
    ...['total uptime', 'total coverage', 'total incidents', 'total downtime', 'total mean per service'],
    ...['total maintenance, not counted', 'total slo'],
  ],
  digest: ['uptime', 'incidents', 'seen', 'budget', 'budget left'],
  summary,
  top: [...summary, 'days of a monitor'],
  badge: ['24h', '7d', '30d', '90d'],
  page: barsOfPage,
  'page of a monitor': ['24 hours', '7 days', '30 days', '90 days', ...barsOfPage],
  'page as text': ['24 h', '7 d', '30 d', '90 d', 'days'],
  metrics: ['uptime', 'incidents'],
  postmortem: ['span', 'length', 'detection'],
};

interface Moment {
  readonly title: string;
  readonly expected: Sheet;
  readonly shown: Sheet;
}

/** Those that have begun. */
function monthsUntil(nowAt: number): readonly string[] {
  const months: string[] = [];
  for (let at = Date.UTC(2026, 8, 1); at < nowAt; at = Date.UTC(2026, 8 + months.length, 1))
    months.push(new Date(at).toISOString().slice(0, 7));
  return months;
}

const moments: Moment[] = [];
let world: World;
before(async () => {
  const made = makeWorld(Number(process.env['STATUSD_SEED'] ?? 50));
  world = await openWorld(made.toml);
  const recording = new Recording(world, made);
  const oracle = new Oracle(made);
  for (const [title, nowAt] of instants) {
    await recording.goOn(nowAt);
    oracle.goOn(nowAt);
    const months = monthsUntil(nowAt);
    const shown = await readSurfaces(world, months);
    moments.push({ title, expected: expectedFigures({ oracle, made, nowAt, months }), shown });
  }
});
after(() => world.close());

for (const [surface, figures] of Object.entries(surfaces)) {
  describe(`${surface}: a figure is what its definition says`, () => {
    for (const figure of figures) {
      const key = `${surface}: ${figure}`;
      it(figure, { skip: notYet[key] ?? false }, () => {
        const found = moments.flatMap(({ title, expected, shown }) =>
          differences(expected, shown, key).map((text) => `${title}, ${text}`),
        );
        assert.deepEqual(found, []);
        assert.ok(moments.some(({ shown }) => (shown.figures.get(key)?.size ?? 0) > 0));
      });
    }
    it('shows no other figure', () => {
      const keys = moments.flatMap(({ expected, shown }) => [
        ...expected.figures.keys(),
        ...shown.figures.keys(),
      ]);
      const own = new Set(
        keys.filter((key) => key.startsWith(`${surface}: `)).map((key) => key.slice(surface.length + 2)),
      );
      assert.deepEqual([...own].toSorted(), [...figures].toSorted());
    });
  });
}
