import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Daemon, until } from '../support/daemon.ts';
import { nodeConfig } from '../support/node-config.ts';
import { NodeWorld } from '../support/node-world.ts';
import { query, runPostgres, skipWithoutPostgres } from '../support/postgres.ts';

const leaseSecs = 5;

describe('nodes whose database can be read', { skip: skipWithoutPostgres }, () => {
  const world = NodeWorld.ofSuite();
  const start = (id: string): Promise<Daemon> => {
    const { database, alerts } = world;
    return world.start(id, nodeConfig({ id, database, leaseSecs, inbox: alerts.url }) + world.monitor('web'));
  };
  const startBoth = async () => {
    const a = await start('a');
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    // They meet once a lease.
    await pause((leaseSecs + 1) * 1000);
    return { a, b };
  };
  const hold = async (statement: string) => {
    const holding = new pg.Client({ connectionString: world.database });
    await holding.connect();
    await holding.query(`BEGIN; ${statement}`);
    return () => holding.end();
  };
  const areWell = (...nodes: readonly Daemon[]) =>
    until(
      async () => (await Promise.all(nodes.map((node) => world.health(node)))).every(({ db_ok }) => db_ok),
      () => 'they stay ill',
    );
  const notifiesOnce = async () => {
    world.isUp = true;
    await world.hears('recovered', 1);
    assert.deepEqual([world.received('down'), world.received('recovered')], [1, 1]);
  };

  it('but whose writes hang have the one that leads go on, and say that the others cannot', async () => {
    const { a, b } = await startBoth();
    // As a session that was forgotten does, or a synchronous replica that is gone.
    const release = await hold('SELECT FROM statusd.place FOR UPDATE');
    world.isUp = false;
    await world.hears('down', 1);
    await until(
      async () => !(await world.health(b)).db_ok,
      () => 'b says that it could lead',
    );
    for (let secs = 0; secs < leaseSecs; secs += 1) {
      await pause(1000);
      assert.equal((await world.health(b)).db_ok, false);
    }
    assert.equal((await world.health(a)).role, 'leader');
    await release();
    await areWell(a, b);
    await notifiesOnce();
    assert.equal((await world.health(a)).role, 'leader');
  });

  it('which is restored while they run go on watching, and then from what the backup has', async () => {
    const { a, b } = await startBoth();
    const dump = (section: string) =>
      runPostgres('pg_dump', [
        '--clean',
        '--if-exists',
        `--section=${section}`,
        '--schema=statusd',
        world.database,
      ]);
    const [tables, rows, keys] = [await dump('pre-data'), await dump('data'), await dump('post-data')];
    const file = world.folderOf('a').at('backup.sql');
    const restore = (text: string) => {
      writeFileSync(file, text);
      return runPostgres('psql', ['-qv', 'ON_ERROR_STOP=1', '-f', file, world.database]);
    };
    const placeOf = () => query(world.database, 'SELECT database_id, seq FROM statusd.place');
    const [before] = await placeOf();
    // Until there are records that the backup has not.
    await pause(leaseSecs * 1000);
    await restore(tables);
    world.isUp = false;
    await world.hears('down', 1);
    await restore(rows);
    await restore(keys);
    await areWell(a, b);
    const [after, ...others] = await placeOf();
    assert.equal(after?.['database_id'], before?.['database_id']);
    assert.deepEqual(others, []);
    await world.hears('down', 2);
    world.isUp = true;
    await world.hears('recovered', 1);
  });
});
