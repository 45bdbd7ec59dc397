/** Two nodes whose database is slow, or one of whose clocks is wrong: no false take-over, and alerts in time. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Daemon } from '../support/daemon.ts';
import { nodeConfig } from '../support/node-config.ts';
import { NodeWorld } from '../support/node-world.ts';
import { query, skipWithoutPostgres } from '../support/postgres.ts';

const preload = new URL('../programs/set-clock.mjs', import.meta.url);
interface NodeOptions {
  readonly database: string;
  readonly leaseSecs: number;
  readonly windowSecs: number;
  /** How far its clock is ahead. */
  readonly aheadMs?: number;
}

describe('two nodes', { skip: skipWithoutPostgres }, () => {
  const world = NodeWorld.ofSuite();
  const start = (id: string, { aheadMs = 0, ...options }: NodeOptions): Promise<Daemon> => {
    const offset = world.folderOf(id).at('offset');
    writeFileSync(offset, String(aheadMs));
    return world.start(id, nodeConfig({ id, ...options, inbox: world.alerts.url }) + world.monitor('web'), {
      env: { NODE_OPTIONS: `--import ${preload.href}`, STATUSD_TEST_CLOCK: offset },
    });
  };
  const roleOf = async (daemon: Daemon) => (await world.health(daemon)).role;
  const epochOf = async () =>
    Number((await query(world.database, 'SELECT epoch FROM statusd.place'))[0]?.['epoch']);
  const endsWell = async () => {
    world.isUp = true;
    await world.hears('recovered', 1);
    assert.deepEqual([world.received('down'), world.received('recovered')], [1, 1]);
  };

  it('with a database that takes 1.4 s to answer keep their leader, and it notifies', async () => {
    const way = await world.way();
    const options = { leaseSecs: 15, windowSecs: 8 };
    const a = await start('a', { ...options, database: way.url });
    await world.leads(a);
    const b = await start('b', { ...options, database: way.url });
    await b.says('node.standby');
    const epoch = await epochOf();
    way.delay(700);
    await pause(17_000);
    world.isUp = false;
    await world.hears('down', 1);
    await endsWell();
    assert.deepEqual([await roleOf(a), await roleOf(b)], ['leader', 'standby']);
    assert.equal(await epochOf(), epoch);
  });

  for (const [who, aheadOfA, aheadOfB] of [
    ['leader', 60_000, 0],
    ['standby', 0, 60_000],
  ] as const)
    it(`of which the ${who} is a minute ahead hand over what waits in time, and neither leads too early`, async () => {
      // The other node leads well before the window is over.
      const options = { database: world.database, leaseSecs: 5, windowSecs: 14 };
      const a = await start('a', { ...options, aheadMs: aheadOfA });
      await world.leads(a);
      const b = await start('b', { ...options, aheadMs: aheadOfB });
      await b.says('node.standby');
      const epoch = await epochOf();
      await pause(7000);
      assert.equal(await epochOf(), epoch);
      world.isUp = false;
      await a.says('monitor.down');
      const dueMs = performance.now() + options.windowSecs * 1000;
      // It is in the database by then, and its window is open.
      await pause(1000);
      await world.stop('a', 'SIGKILL');
      await world.hears('down', 1);
      const lateMs = Math.round(performance.now() - dueMs);
      assert.ok(lateMs >= -500 && lateMs <= 1000, `${lateMs} ms after it was due`);
      await endsWell();
      const turns = [a, b].map(({ lines }) => lines.filter(({ event }) => event === 'node.leads').length);
      assert.deepEqual(turns, [1, 1]);
    });
});
