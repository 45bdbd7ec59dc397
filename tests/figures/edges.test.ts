/** Figures at the edges of what is measured: a monitor that is removed, days of a time zone, a day of nothing but maintenance. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { monthReport } from '../../src/commands/report/figures.ts';
import { reportJson } from '../../src/commands/report/perform.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { samples } from '../../src/db/tables/samples.ts';
import type { Status } from '../../src/engine/core/status.ts';
import { keepMaintenance } from '../../src/engine/operations/planned-maintenance.ts';
import { openWorld, type World } from '../serve/world.ts';

/** Tests that the sources fail so far, each with its reason; empty: they fail none. */
const notYet: Readonly<Record<string, string>> = {};

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const utc = (text: string) => Date.parse(`${text}:00Z`);
const head = 'auth_token = "of-the-operator"\n';
const web = '[[monitors]]\nid = "web"\ntarget = "https://example.com/web"\n';

let world: World | null = null;
const opened = async (toml: string): Promise<World> => (world = await openWorld(toml));
afterEach(async () => {
  await world?.close();
  world = null;
});

interface Checks {
  readonly monitor?: string;
  readonly ats: readonly number[];
  readonly holdSecs: number;
  readonly statusAt?: (at: number) => Status;
}

const checks = ({ monitor = 'web', ats, holdSecs, statusAt = () => 'up' }: Checks) =>
  ats.map((at) => {
    const unmeasured = { latencyMs: null, isHeartbeat: false, category: null, message: null };
    return samples.add({ monitor, at, status: statusAt(at), holdSecs, ...unmeasured });
  });

const every = (stepMs: number, fromAt: number, toAt: number) =>
  Array.from({ length: Math.ceil((toAt - fromAt) / stepMs) }, (_, index) => fromAt + index * stepMs);

function rowOf({ store, loaded, clock }: World, month: string, id: string) {
  const { config } = loaded();
  const found = monthReport({ month, group: null }, { config, store, nowAt: clock.now() });
  const rows = reportJson(found).groups.flatMap(({ monitors }) => monitors);
  return rows.find((row) => row.id === id);
}

async function outageOf({ store }: World, fromAt: number, toAt: number): Promise<void> {
  const uid = `web.${fromAt}`;
  await store.write([
    incidents.open({
      uid,
      monitor: 'web',
      name: 'web',
      startedAt: fromAt,
      confirmedAt: fromAt + minute,
      category: 'timeout',
      reason: null,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    incidents.close({ uid, endedAt: toAt }),
  ]);
}

describe('figures at the edges of what is measured', () => {
  const removal = 'counts nothing of a monitor after it was removed, however long its last sample holds';
  it(removal, { skip: notYet[removal] ?? false }, async () => {
    const job = '[[monitors]]\nid = "job"\nkind = "push"\npush_token = "push-token-of-job"\n';
    const made = await opened(`${head}${web}${job}interval_secs = 86400\ngrace_secs = 3600\n`);
    const [firstAt, lastAt] = [utc('2026-06-08T03:10'), utc('2026-06-20T03:10')];
    made.clock.advance(lastAt + hour - made.clock.now());
    const statusAt = (at: number) => (at === lastAt ? 'down' : 'up');
    await made.store.write(
      checks({ monitor: 'job', ats: every(day, firstAt, lastAt + 1), holdSecs: 90_000, statusAt }),
    );
    await made.reload(`${head}${web}`);
    made.clock.advance(5 * day);
    const row = rowOf(made, '2026-06', 'job');
    // Twelve days up and an hour down, of the nineteen days and 4:10 hours until it was removed.
    assert.deepEqual([row?.uptime_percent, row?.coverage_percent], [99.65, 62.8]);
  });

  const zone = 'shows on the page the days of its time zone';
  it(zone, { skip: notYet[zone] ?? false }, async () => {
    const made = await opened(`${head}[page]\ntimezone = "Asia/Tokyo"\n${web}`);
    const fromAt = utc('2026-06-08T00:00');
    const toAt = utc('2026-06-14T12:00');
    made.clock.advance(toAt - made.clock.now());
    const [downAt, upAt] = [utc('2026-06-10T20:00'), utc('2026-06-10T20:45')];
    const statusAt = (at: number) => (at >= downAt && at < upAt ? 'down' : 'up');
    await made.store.write(checks({ ats: every(5 * minute, fromAt, toAt), holdSecs: 330, statusAt }));
    await outageOf(made, downAt, upAt);
    const html = (await made.ask('/', { headers: { accept: 'text/html' } })).text;
    const down = [...html.matchAll(/title="([^":]*): (down[^"]*)"/g)].map(([, date, words]) => [date, words]);
    assert.deepEqual(down, [['Thu 11 Jun 2026', 'down 45 min, 1 incident']]);
  });

  const months = 'counts in a report the outages of the months of the time zone of the page';
  it(months, { skip: notYet[months] ?? false }, async () => {
    const made = await opened(`${head}[page]\ntimezone = "Asia/Tokyo"\n${web}`);
    made.clock.advance(utc('2026-07-02T12:00') - made.clock.now());
    const [fromAt, toAt] = [utc('2026-06-30T00:00'), utc('2026-07-02T00:00')];
    await made.store.write(checks({ ats: every(5 * minute, fromAt, toAt), holdSecs: 330 }));
    await outageOf(made, utc('2026-06-30T16:00'), utc('2026-06-30T16:30'));
    assert.deepEqual(
      ['2026-06', '2026-07'].map((month) => rowOf(made, month, 'web')?.incidents),
      [0, 1],
    );
  });

  const maintained = 'covers nothing of a day of nothing but maintenance, in the summary as in a report';
  it(maintained, { skip: notYet[maintained] ?? false }, async () => {
    const window =
      '[[maintenance]]\ntitle = "Move"\nstart = "2026-06-08T00:00:00Z"\nend = "2026-06-12T00:00:00Z"\n';
    const made = await opened(`${head}${web}${window}`);
    made.clock.advance(utc('2026-06-10T12:00') - made.clock.now());
    const { store, loaded, clock } = made;
    await store.write([
      ...keepMaintenance(store.sql, loaded().config, clock.now()),
      ...checks({ ats: every(5 * minute, utc('2026-06-08T00:00'), clock.now()), holdSecs: 330 }),
    ]);
    const { monitors } = (await made.ask('/api/summary')).json() as {
      readonly monitors: readonly {
        readonly uptime_24h_permille: number | null;
        readonly coverage_24h_permille: number;
      }[];
    };
    assert.deepEqual(
      monitors.map(({ uptime_24h_permille: uptime, coverage_24h_permille: coverage }) => [uptime, coverage]),
      [[null, 0]],
    );
  });
});
