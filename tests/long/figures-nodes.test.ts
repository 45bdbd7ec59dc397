/** The figures of nodes that share a database: old hours are in its table, and rollups are packed by the week. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { schema } from '../../src/db/tables/schema/schema.ts';
import { allDifferences, momentOf } from '../figures/moment.ts';
import { Oracle } from '../figures/oracle.ts';
import { Recording } from '../figures/record.ts';
import { denseEndsAt, endsAt, makeWorld, type MadeWorld, utc } from '../figures/world.ts';
import { openWorld, type World } from '../serve/world.ts';
import { openTestNode } from '../support/nodes.ts';
import { type Postgres, query, skipWithoutPostgres, startPostgres } from '../support/postgres.ts';

const hour = 3_600_000;

const instants: readonly (readonly [title: string, at: number])[] = [
  ['in a window of maintenance', utc('2026-10-06T10:40:00')],
  ['just after the end of a month, in an outage under maintenance', utc('2026-11-01T00:02:00')],
  ['two days after the end of that month', utc('2026-11-03T00:05:00')],
  // Rolling spans begin with an hour: of an hour that was moved, nobody knows when the checks failed that made no outage.
  ['at the end of seventy days', Math.floor(denseEndsAt / hour) * hour],
  ['a hundred days later', Math.floor(endsAt / hour) * hour],
];

/** Hours are moved as soon as a configuration may say so. */
const storage = '[storage]\nurl = "postgres://db/s"\nhistory_hours = 26\n';

function sharing(made: MadeWorld): MadeWorld {
  return { ...made, toml: made.toml + storage, tidyToml: made.tidyToml + storage };
}

describe('figures of nodes that share a database', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let world: World;
  let url = '';
  const made = sharing(makeWorld(Number(process.env['STATUSD_SEED'] ?? 50)));
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    const openStore = async () => {
      const store = await openTestNode('a', { url, schema, leaseMs: 60_000 });
      await store.leads;
      return store;
    };
    world = await openWorld(made.toml, { openStore });
  });
  after(async () => {
    await world.close();
    await postgres.stop();
  });

  it('are what their definitions say, after hours were moved and weeks packed', async () => {
    const recording = new Recording(world, made);
    const oracle = new Oracle(made);
    for (const [title, nowAt] of instants) {
      await recording.goOn(nowAt);
      assert.deepEqual(allDifferences(await momentOf({ world, made, oracle }, { title, nowAt })), []);
      const [moved] = await query(url, 'SELECT count(*)::int AS n FROM statusd.history');
      assert.ok(Number(moved?.['n']) > 0, `${title}: no hour was moved`);
    }
    const countOf = (table: string) =>
      world.store.sql.get(`SELECT count(*) AS n FROM ${table}`, [], (row) => row.number('n')) ?? 0;
    for (const table of ['hourly_weeks', 'daily_weeks', 'latency_weeks', 'maintained_days'])
      assert.ok(countOf(table) > 0, `${table} has no row`);
  });
});
