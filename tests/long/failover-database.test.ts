import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runCli } from '../support/cli.ts';
import { type Daemon, until } from '../support/daemon.ts';
import { nodeConfig } from '../support/node-config.ts';
import { NodeWorld } from '../support/node-world.ts';
import { query, skipWithoutPostgres } from '../support/postgres.ts';

const leaseSecs = 5;

describe('nodes with a faulty database', { skip: skipWithoutPostgres }, () => {
  const world = NodeWorld.ofSuite();
  const config = (id: string, database: string) =>
    nodeConfig({ id, database, leaseSecs, inbox: world.alerts.url }) + world.monitor('web');
  const start = (id: string, database = world.database): Promise<Daemon> =>
    world.start(id, config(id, database));
  const isHeldBy = (id: string) =>
    until(
      async () => (await query(world.database, 'SELECT holder FROM statusd.place'))[0]?.['holder'] === id,
      () => `${id} does not hold the lease`,
    );

  /** Gives the server a clock that can be set, for connections that are made from now on. */
  const makeClock = async () => {
    const name = String((await query(world.database, 'SELECT current_database() AS name'))[0]?.['name']);
    await query(
      world.database,
      `CREATE SCHEMA timepiece; CREATE TABLE timepiece.shift (by interval); INSERT INTO timepiece.shift VALUES ('0');
       CREATE FUNCTION timepiece.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
         AS 'SELECT pg_catalog.clock_timestamp() + by FROM timepiece.shift';
       ALTER DATABASE ${name} SET search_path = timepiece, public, pg_catalog`,
    );
    return (by: string) => query(world.database, `UPDATE timepiece.shift SET by = '${by}'`);
  };

  it('one that loses the lease before it could lead with it stands by, and leads later', async () => {
    const a = await start('a');
    await world.leads(a);
    await query(
      world.database,
      "UPDATE statusd.place SET epoch = epoch + 1, holder = 'z', until = now() + interval '1 h'",
    );
    await a.says('node.standby');
    const locking = new pg.Client({ connectionString: world.database });
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE statusd.log IN ACCESS EXCLUSIVE MODE');
    await query(world.database, "UPDATE statusd.place SET holder = NULL, until = now() - interval '1 s'");
    await isHeldBy('a');
    // Longer than one of its statements may take.
    await pause(leaseSecs * 400);
    await query(
      world.database,
      "UPDATE statusd.place SET epoch = epoch + 1, holder = NULL, until = now() - interval '1 s'",
    );
    await pause(leaseSecs * 400);
    await locking.end();
    await a.says('node.leads', 2);
    world.isUp = false;
    await world.hears('down', 1);
    assert.equal(world.received('down'), 1);
  });

  it('one leads after another was killed, although the clock of the server went back by an hour', async () => {
    const setClock = await makeClock();
    const a = await start('a');
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    await world.stop('a', 'SIGKILL');
    await setClock('-1 h');
    world.isUp = false;
    // Twice the length of the lease, and a look.
    await world.leads(b);
    await world.hears('down', 1);
    assert.equal(world.received('down'), 1);
  });

  it('the one that leads is left to lead when that clock goes forward by an hour', async () => {
    const setClock = await makeClock();
    const a = await start('a');
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    await pause((leaseSecs + 1) * 1000);
    // At any moment between two renewals.
    for (let hours = 1; hours <= 6; hours += 1) {
      await setClock(`${hours} h`);
      await pause(leaseSecs * 230);
    }
    world.isUp = false;
    await world.hears('down', 1);
    assert.deepEqual(await Promise.all([a, b].map((node) => world.health(node).then(({ role }) => role))), [
      'leader',
      'standby',
    ]);
    assert.equal(world.received('down'), 1);
  });

  it('an outage is notified, and its end, also when the database lost its last records in a failover', async () => {
    const a = await start('a');
    await world.leads(a);
    await until(
      async () => Number((await query(world.database, 'SELECT seq FROM statusd.place'))[0]?.['seq']) > 5,
      () => 'nothing is written',
    );
    await query(
      world.database,
      `WITH place AS (UPDATE statusd.place SET seq = seq - 3 RETURNING seq)
       DELETE FROM statusd.log USING place WHERE log.seq > place.seq`,
    );
    world.isUp = false;
    await world.hears('down', 1);
    world.isUp = true;
    await world.hears('recovered', 1);
    assert.equal(world.received('down'), 1);
    assert.equal(world.received('recovered'), 1);
    assert.match((await a.says('node.steps_down')).message, /went back to an earlier state/);
    assert.equal((await world.health(a)).role, 'leader');
    const doctor = await runCli(['doctor'], { cwd: world.folderOf('a').path });
    assert.match(doctor.stdout, /FAIL +database +found [^]*went back to an earlier/);
    assert.equal(doctor.code, 1);
  });

  it('one that the server turns away says so once, and stands by after a reload with another user', async () => {
    const { database } = world;
    const role = new URL(database.replace('@/', '@x/')).pathname.slice(1);
    await query(database, `CREATE ROLE ${role} SUPERUSER LOGIN`);
    const a = await start('a', database.replace('//statusd@', `//${role}@`));
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    // They meet once a lease.
    await pause((leaseSecs + 1) * 1000);
    await query(
      database,
      `ALTER ROLE ${role} NOLOGIN;
       SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
    );
    await world.leads(b);
    const { message } = await a.says('node.waits');
    assert.match(message, /is not permitted to log in\. Correct the user in storage\.url/);
    await pause(5000);
    assert.equal(a.lines.filter(({ event }) => event === 'node.waits').length, 1);
    writeFileSync(world.folderOf('a').at('statusd.toml'), config('a', database));
    a.child.kill('SIGHUP');
    await a.says('node.standby');
    assert.deepEqual(
      a.lines.filter(({ event }) => event === 'config.restart_needed'),
      [],
    );
  });

  it('the one that leads goes on when the server takes no writes, though the others can read', async () => {
    const a = await start('a');
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    // They meet once a lease.
    await pause((leaseSecs + 1) * 1000);
    const writes = async (isOn: boolean) => {
      const name = String((await query(world.database, 'SELECT current_database() AS name'))[0]?.['name']);
      await query(
        world.database,
        `BEGIN READ WRITE; ALTER DATABASE ${name} SET default_transaction_read_only = ${isOn ? 'off' : 'on'}; COMMIT`,
      );
      await query(
        world.database,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    };
    await writes(false);
    world.isUp = false;
    await world.hears('down', 1);
    assert.equal((await world.health(a)).role, 'leader');
    assert.deepEqual(await world.health(b).then(({ role, db_ok }) => ({ role, db_ok })), {
      role: 'standby',
      db_ok: false,
    });
    const doctor = await runCli(['doctor', '--json'], { cwd: world.folderOf('b').path });
    assert.match(doctor.stdout, /"the database of \[storage\] accepts no writes"/);
    await writes(true);
    world.isUp = true;
    await world.hears('recovered', 1);
    await until(
      async () => (await world.health(b)).db_ok,
      () => 'it stays ill',
    );
    assert.equal(world.received('down'), 1);
    assert.equal(world.received('recovered'), 1);
    assert.equal((await world.health(a)).role, 'leader');
  });
});
