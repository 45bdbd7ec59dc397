import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/topics/incidents.ts';
import { monitors } from '../../../src/db/topics/monitors.ts';
import { samples } from '../../../src/db/topics/samples.ts';
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

  it('tells a month that has not begun from one that nothing is known of, and from none (5, 5, 2)', async () => {
    await world.write(monitors.see({ id: 'api', name: 'The API', at: lastMonthAt }));
    const future = await world.run('report', '2999-01');
    assert.deepEqual([future.code, future.stderr], [5, 'statusd: January 2999 has not begun\n']);
    const past = await world.run('report', '1999-01');
    assert.equal(past.code, 5);
    assert.match(past.stderr, /^statusd: nothing is known of January 1999\n {2}Nothing is on record yet/);
    for (const word of ['2026-13', '2026', 'last'])
      assert.equal((await world.run('report', word)).code, 2, word);
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

  it('says where the record begins', async () => {
    const { stderr } = await world.run('report', '1999-01');
    assert.ok(stderr.endsWith(`: \`statusd report ${monthOf(lastMonthAt)}\`.\n`), stderr);
  });

  it('ends with 5 for an unknown group', async () => {
    assert.equal((await world.run('report', '--group', 'nobody')).code, 5);
  });
});
