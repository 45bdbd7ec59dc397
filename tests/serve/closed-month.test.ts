/** The report of a month that is over: the same at any time, whatever is deleted afterwards. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { monthReport } from '../../src/commands/report/figures.ts';
import { reportJson } from '../../src/commands/report/perform.ts';
import { closedMonths } from '../../src/db/tables/closed-months.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { planUpkeep } from '../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../src/db/tables/retention/retention.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { MonthCloser } from '../../src/engine/monitoring/month-closer.ts';
import { keepMaintenance } from '../../src/engine/operations/planned-maintenance.ts';
import { openWorld, type World } from './world.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const june = Date.UTC(2026, 5, 1);
const at = (dayOfJune: number, time: string) =>
  Date.parse(`2026-06-${String(dayOfJune).padStart(2, '0')}T${time}:00Z`);

const monitor = (id: string, more = '') =>
  `[[monitors]]\nid = "${id}"\ntarget = "https://example.com/${id}"\ngroup = "Production"\n${more}\n`;
const window = `[[maintenance]]\ntitle = "Move"\nstart = "2026-06-10T10:20:00Z"\nend = "2026-06-10T11:45:00Z"\nmonitors = ["web"]\n`;
const web = monitor('web', 'slo_uptime = 99.9');
const shop = monitor('shop', 'slo_uptime = 99.5');
const cellar = monitor('cellar', 'public = false');
const operator = 'auth_token = "of-the-operator"\n[page]\ntitle = "Acme"\n';

/** Failed checks and outages: under maintenance in part, without an outage, over the end of the month. */
const downs: readonly (readonly [id: string, from: number, to: number, isOutage: boolean])[] = [
  ['web', at(10, '10:10'), at(10, '11:10'), true],
  ['web', at(10, '11:20'), at(10, '11:30'), false],
  ['web', at(20, '02:00'), at(20, '02:50'), true],
  ['shop', at(5, '00:00'), at(6, '12:00'), true],
  ['shop', at(30, '23:30'), june + 30 * day + 60 * minute, true],
  ['cellar', at(7, '00:00'), at(9, '00:00'), true],
];

async function record(world: World): Promise<void> {
  const { store } = world;
  for (let from = june - day; from < june + 37 * day; from += 4 * day) {
    await store.write(
      ['web', 'shop', 'cellar'].flatMap((id) =>
        Array.from({ length: 4 * 144 }, (_, index) => from + index * 10 * minute).map((when) =>
          samples.add({
            monitor: id,
            at: when,
            status: downs.some(([of, since, to]) => of === id && when >= since && when < to) ? 'down' : 'up',
            latencyMs: 20,
            holdSecs: 900,
            isHeartbeat: false,
            category: null,
            message: null,
          }),
        ),
      ),
    );
  }
  for (const [monitorId, startedAt, endedAt, isOutage] of downs) {
    if (!isOutage) continue;
    const uid = `${monitorId}.${startedAt}`;
    await store.write([
      incidents.open({
        uid,
        monitor: monitorId,
        name: monitorId,
        startedAt,
        confirmedAt: startedAt + minute,
        category: 'timeout',
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      incidents.close({ uid, endedAt }),
    ]);
  }
}

/** Everything that is deleted by the present of the clock, is. */
async function tidy({ store, clock }: World): Promise<void> {
  for (let round = 0; round < 2000; round += 1) {
    const steps = planUpkeep(store.sql, clock.now(), { retention: retentionOf(30, new Map()), limit: 40 });
    if (steps.length === 0) return;
    await store.write(steps);
  }
  assert.fail('there is always more to delete');
}

async function keep({ store, loaded, clock }: World): Promise<void> {
  const operations = keepMaintenance(store.sql, loaded().config, clock.now());
  if (operations.length > 0) await store.write(operations);
}

const closerOf = ({ store, loaded }: World) =>
  new MonthCloser({
    store,
    clock: { sleep: () => Promise.resolve() },
    config: () => loaded().config,
    signal: new AbortController().signal,
  });

const reportOf = (world: World, month: string, isCompared = false) => {
  const { config } = world.loaded();
  const { store, clock } = world;
  const found = monthReport({ month, group: null, isCompared }, { config, store, nowAt: clock.now() });
  return reportJson(found, isCompared);
};

const tablesOf = ({ total, groups }: ReturnType<typeof reportOf>) => ({ total, groups });

describe('the report of a month that is over', () => {
  let world: World;
  let live: ReturnType<typeof reportOf>;
  const page = async (month: string, headers: Readonly<Record<string, string>> = {}) =>
    (await world.ask(`/report/${month}`, { headers: { accept: 'text/plain', ...headers } })).text;
  before(async () => {
    world = await openWorld(`${operator}${web}${shop}${cellar}${window}`);
    // The window was seen before it was over.
    world.clock.advance(at(9, '00:00') - world.clock.now());
    await keep(world);
    world.clock.advance(june + 30 * day + 12 * 60 * minute - world.clock.now());
    await keep(world);
    await record(world);
    live = reportOf(world, '2026-06');
  });
  after(() => world.close());

  it('is closed two days after the end, once, with the figures it had', async () => {
    const closer = closerOf(world);
    const due = async () => {
      while (await closer.close(world.clock.now()));
      return closedMonths.list(world.store.sql).map(({ month }) => month);
    };
    assert.deepEqual(await due(), ['2026-05']);
    world.clock.advance(2 * day);
    assert.deepEqual(await due(), ['2026-05', '2026-06']);
    const stored = reportOf(world, '2026-06');
    assert.equal(stored.closed_at, new Date(world.clock.now()).toISOString().replace('.000', ''));
    assert.deepEqual(tablesOf(stored), tablesOf(live));
    const [group] = stored.groups;
    assert.deepEqual(
      group?.monitors.map(({ id, slo }) => [id, slo?.met]),
      [
        ['web', false],
        ['shop', false],
        ['cellar', undefined],
      ],
    );
  });

  it('says so on every surface, and shows strangers no private monitor', async () => {
    const html = (await world.ask('/report/2026-06')).text;
    assert.match(html, /Closed <time[^>]*>[^<]*<\/time>: the figures were stored then/);
    assert.match(await page('2026-06'), /Closed on 2026-07-03: the figures were stored then/);
    assert.doesNotMatch(await page('2026-06'), /cellar/);
    assert.match(await page('2026-06', { authorization: 'Bearer of-the-operator' }), /cellar/);
  });

  it('keeps a monitor that was removed in the months it was watched in', async () => {
    world.clock.advance(2 * day);
    await world.reload(`${operator}${web}`);
    await keep(world);
    const removed = reportOf(world, '2026-07').groups.flatMap(({ monitors }) =>
      monitors.map(({ id, removed_at: removedAt, coverage_percent: coverage }) => [id, removedAt, coverage]),
    );
    assert.deepEqual(removed, [
      ['web', null, 100],
      ['shop', '2026-07-05T12:00:00Z', 100],
      ['cellar', '2026-07-05T12:00:00Z', 100],
    ]);
    assert.match(await page('2026-07'), /Removed +shop is no longer monitored since 2026-07-05\./);
    assert.doesNotMatch(await page('2026-07'), /cellar/);
    assert.match(await page('2026-07', { authorization: 'Bearer of-the-operator' }), /cellar/);
    assert.match(await page('2026-06'), /shop/);
    assert.doesNotMatch(await page('2026-06'), /cellar/);
    assert.deepEqual(tablesOf(reportOf(world, '2026-06')), tablesOf(live));
  });

  it('is the same a hundred days later, when what it was made of is deleted', async () => {
    world.clock.advance(29 * day);
    const july = reportOf(world, '2026-07');
    while (await closerOf(world).close(world.clock.now()));
    assert.deepEqual(tablesOf(reportOf(world, '2026-07')), tablesOf(july));
    world.clock.advance(100 * day);
    await tidy(world);
    assert.deepEqual(tablesOf(reportOf(world, '2026-06')), tablesOf(live));
    assert.deepEqual(tablesOf(reportOf(world, '2026-07')), tablesOf(july));
    const { recomputed } = reportOf(world, '2026-06', true);
    assert.ok(recomputed !== null && recomputed !== undefined);
    assert.deepEqual(
      recomputed.groups.flatMap(({ monitors }) => monitors.map(({ id }) => id)),
      ['web'],
    );
  });

  it('is kept for three years', async () => {
    world.clock.advance(1000 * day);
    await world.store.write([
      samples.add({
        monitor: 'web',
        at: world.clock.now(),
        status: 'up',
        latencyMs: 20,
        holdSecs: 900,
        isHeartbeat: false,
        category: null,
        message: null,
      }),
    ]);
    while (await closerOf(world).close(world.clock.now()));
    const kept = closedMonths.list(world.store.sql).map(({ month }) => month);
    assert.equal(kept.at(-1), '2029-07');
    assert.ok((kept[0] ?? '') >= '2026-07');
  });
});
