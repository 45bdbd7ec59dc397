import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const now = new Date();
const thisMonthAt = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
const lastMonthAt = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1);
const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7);
const hour = 3_600_000;

interface Monitor {
  readonly id: string;
  readonly uptime_percent: number | null;
  readonly incidents: number;
  readonly downtime_secs: number;
}
interface Json {
  readonly month: string;
  readonly running: boolean;
  readonly groups: readonly { readonly name: string | null; readonly monitors: readonly Monitor[] }[];
}

/** Ten hours of a monitor, a sample a minute; the last hour of them down. */
const tenHours = (monitor: string, fromAt: number) =>
  samples.addHistory(
    monitor,
    Array.from({ length: 600 }, (_, minute) => ({
      at: fromAt + minute * 60_000,
      status: minute < 540 ? ('up' as const) : ('down' as const),
      latencyMs: 20,
      holdSecs: 60,
      isHeartbeat: false,
    })),
  );

describe('statusd report', () => {
  it('needs a database (exit 4)', async () => {
    assert.equal((await world.run('report')).code, 4);
  });

  it('distinguishes a month that has not begun from one before the record, and from none (5, 0, 2)', async () => {
    await world.write(monitors.see({ id: 'api', name: 'The API', at: lastMonthAt }));
    const future = await world.run('report', '2999-01');
    assert.deepEqual([future.code, future.stderr], [5, 'statusd: January 2999 has not begun\n']);
    const past = await world.run('report', '1999-01');
    assert.deepEqual([past.code, past.stderr], [0, '']);
    assert.match(
      past.stdout,
      /: report for January 1999\nNo data: nothing is on record yet\. `statusd serve`/,
    );
    for (const word of ['2026-13', '2026', 'last'])
      assert.equal((await world.run('report', word)).code, 2, word);
  });

  it('shows the running month while nothing older is on record', async () => {
    const young = makeOperatorWorld();
    try {
      await young.write(
        monitors.see({ id: 'api', name: 'The API', at: thisMonthAt }),
        ...tenHours('api', thisMonthAt),
      );
      const { month, running } = JSON.parse((await young.run('report', '--json')).stdout) as Json;
      assert.deepEqual([month, running], [monthOf(thisMonthAt), true]);
    } finally {
      young.remove();
    }
  });

  it('shows last month unless another one is named, private monitors included', async () => {
    await world.write(
      monitors.see({ id: 'intern', name: 'intern', at: lastMonthAt }),
      ...tenHours('api', lastMonthAt),
      ...tenHours('intern', lastMonthAt),
      incidents.open({
        uid: 'u1',
        monitor: 'api',
        name: 'The API',
        startedAt: lastMonthAt + 9 * hour,
        confirmedAt: lastMonthAt + 9 * hour,
        category: 'status',
        reason: 'x',
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      incidents.close({ uid: 'u1', endedAt: lastMonthAt + 10 * hour }),
    );
    const { month, running, groups } = (await world.json('report')) as Json;
    assert.deepEqual([month, running], [monthOf(lastMonthAt), false]);
    const found = groups.flatMap((group) => group.monitors);
    assert.deepEqual(
      found.map(({ id, uptime_percent: uptime, incidents: count, downtime_secs: secs }) => [
        id,
        uptime,
        count,
        secs,
      ]),
      [
        ['db', null, 0, 0],
        ['api', 90, 1, 3600],
        ['intern', 90, 0, 0],
      ],
    );
    const current = (await world.json('report', monthOf(thisMonthAt))) as Json;
    assert.deepEqual([current.month, current.running], [monthOf(thisMonthAt), true]);
  });

  it('is without data for a month before the record, and says when that begins', async () => {
    const { code, stdout } = await world.run('report', '1999-01');
    assert.equal(code, 0);
    assert.match(
      stdout,
      new RegExp(`No data: the record begins in .* \\(\`statusd report ${monthOf(lastMonthAt)}\`\\)`),
    );
    const json = (await world.json('report', '1999-01')) as Json & { readonly record_begins: string };
    assert.deepEqual(
      [json.month, json.running, json.record_begins],
      ['1999-01', false, monthOf(lastMonthAt)],
    );
    for (const { monitors: rows } of json.groups)
      for (const row of rows) assert.deepEqual([row.uptime_percent, row.incidents], [null, 0]);
  });

  it('ends with 5 for an unknown group', async () => {
    assert.equal((await world.run('report', '--group', 'nobody')).code, 5);
  });
});
