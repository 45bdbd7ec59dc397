/**
 * Every figure that is shown anywhere, against an oracle that shares no code with the sources: a made-up world is written into
 * a database as the daemon does, and at each instant every surface is read. `STATUSD_SEED` makes up another world.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openWorld, type World } from '../serve/world.ts';
import { type Moment, momentOf } from './moment.ts';
import { Oracle } from './oracle.ts';
import { Recording } from './record.ts';
import { differences } from './sheet.ts';
import { denseEndsAt, endsAt, makeWorld, utc } from './world.ts';

/** The figures that the sources do not have right yet, each with what is wrong. Empty: they have all. */
const notYet: Readonly<Record<string, string>> = {};

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

/** Figures that every surface shows. */
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

const moments: Moment[] = [];
let world: World;
before(async () => {
  const made = makeWorld(Number(process.env['STATUSD_SEED'] ?? 50));
  world = await openWorld(made.toml);
  const recording = new Recording(world, made);
  const oracle = new Oracle(made);
  for (const [title, nowAt] of instants) {
    await recording.goOn(nowAt);
    moments.push(await momentOf({ world, made, oracle }, { title, nowAt }));
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
