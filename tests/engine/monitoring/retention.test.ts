/** Upkeep as the engine does it by itself, in virtual time: nothing here calls what records or deletes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closedMonths } from '../../../src/db/tables/closed-months.ts';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { pruneSamples } from '../../../src/db/tables/retention/prune.ts';
import { keepMaintainedDay } from '../../../src/db/tables/maintained-days.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { countedSecs } from '../../../src/engine/monitoring/counted-time.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { failed, httpMonitors, loadWith, openWorld, up, type World } from './world.ts';

const day = 86_400_000;
const minute = 60_000;
const utc = (text: string) => Date.parse(`${text}:00Z`);

const web = httpMonitors(['web'], 'interval_secs = 300\nfail_threshold = 5');
const retention = '[alerts]\ndefault_retention_days = 1\n';
const deploy = `[[maintenance]]\ntitle = "Deploy"\nstart = 2026-01-30T10:20:00Z\nend = 2026-01-30T11:45:00Z\n`;
const move = `[[maintenance]]\ntitle = "Move"\nstart = 2026-01-31T08:00:00Z\nend = 2026-01-31T18:00:00Z\n`;
const failures: readonly (readonly [from: number, to: number])[] = [
  [utc('2026-01-30T11:00'), utc('2026-01-30T11:12')],
  [utc('2026-01-30T14:00'), utc('2026-01-30T14:12')],
  [utc('2026-01-31T11:50'), utc('2026-01-31T12:08')],
];

const runTo = ({ clock }: World, at: number) => clock.run(at - clock.now());

const downSecsOf = async ({ store, clock }: World, toml: string, date: string) => {
  const fromAt = utc(`${date}T00:00`);
  const { config } = await loadWith(toml);
  const span = { fromAt, toAt: fromAt + day, nowAt: clock.now() };
  return countedSecs(store.sql, config, { monitor: 'web', ...span }).down;
};

const closedIn = ({ store }: World) => closedMonths.list(store.sql).map(({ month }) => month);

describe('upkeep of the engine', () => {
  it('records windows and days with maintenance before samples are deleted, and closes the month', async () => {
    const clock = new VirtualClock(utc('2026-01-30T00:00'));
    const world = await openWorld(retention + web + deploy + move, { clock });
    world.targets.set('web', () =>
      failures.some(([from, to]) => clock.now() >= from && clock.now() < to) ? failed() : up(),
    );
    await runTo(world, utc('2026-01-31T12:00'));
    // The window that is over is deleted from the file, and so is the one that lasts.
    await world.reload(retention + web);
    await runTo(world, utc('2026-02-01T00:10'));
    const windows = maintenances.list(world.store.sql).map(({ title, endAt }) => [title, endAt]);
    assert.deepEqual(windows, [
      ['Deploy', utc('2026-01-30T11:45')],
      ['Move', utc('2026-01-31T12:00')],
    ]);
    const dates = ['2026-01-30', '2026-01-31'];
    const downSecs = () => Promise.all(dates.map((date) => downSecsOf(world, retention + web, date)));
    const before = await downSecs();
    // Checks come five minutes apart: one failure after the first window, one that the file no longer excuses.
    assert.deepEqual(
      before.map((secs) => Math.round(secs / 60)),
      [15, 11],
    );
    await runTo(world, utc('2026-02-02T23:50'));
    assert.deepEqual(closedIn(world), []);
    const span = { fromAt: utc('2026-01-30T00:00'), toAt: utc('2026-02-01T00:00') };
    assert.deepEqual(samples.list(world.store.sql, 'web', { ...span, older: [] }), []);
    assert.deepEqual(await downSecs(), before);
    const recorded = world.store.taken.findIndex(([name]) => name === keepMaintainedDay.row.name);
    const firstHour = span.fromAt / 3_600_000;
    const deleted = world.store.taken.findIndex(
      ([name, , end]) => name === pruneSamples.row.name && Number(end) > firstHour,
    );
    assert.ok(recorded >= 0 && recorded < deleted, `recorded at ${recorded}, deleted at ${deleted}`);
    await runTo(world, utc('2026-02-03T00:10'));
    assert.deepEqual(closedIn(world), ['2026-01']);
    const [facts] = closedMonths.monitors(world.store.sql, '2026-01');
    assert.equal(facts?.id, 'web');
    const maintainedMs = facts.maintained.reduce((sum, { fromAt, toAt }) => sum + toAt - fromAt, 0);
    assert.equal(maintainedMs, (85 + 240) * minute);
    await runTo(world, utc('2026-02-03T01:00'));
    assert.deepEqual(closedIn(world), ['2026-01'], 'a month is closed once');
    assert.deepEqual(
      world.log.filter(({ level }) => level !== 'info'),
      [],
    );
    await world.engine.stop();
  });
});
