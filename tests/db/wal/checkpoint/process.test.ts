import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createLink } from '../../../../src/db/shared/link.ts';
import { createSharedDatabase, sharedDatabaseAt } from '../../../../src/db/shared/database.ts';
import { schema } from '../../../../src/db/tables/schema/schema.ts';
import { checkpointEntry, inProcess } from '../../../../src/db/wal/checkpoint/thread.ts';
import { bundledProgram, programArguments } from '../../../support/program.ts';
import { type Postgres, skipWithoutPostgres, startPostgres } from '../../../support/postgres.ts';
import { realClock } from '../../../support/real-clock.ts';

/** The same module in JavaScript: one in TypeScript takes three times as long to start. */
const ready = bundledProgram('src/db/wal/checkpoint/worker.ts');
const readyEntry = ready === null ? checkpointEntry : pathToFileURL(ready);

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

async function until(isSo: () => boolean, mostSecs = 30): Promise<void> {
  for (let waited = 0; !isSo(); waited += 1) {
    assert.ok(waited < 20 * mostSecs, 'it was waited for in vain');
    await pause(50);
  }
}

describe('a snapshot of a shared database, built in a process of its own', {
  skip: skipWithoutPostgres,
}, () => {
  let postgres: Postgres;
  let url = '';
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    const place = sharedDatabaseAt({ url, space: 'statusd', schema, clock: realClock, deadlineMs: 10_000 });
    await createSharedDatabase(place, 10_000);
    await place.link.run({ text: 'UPDATE statusd.place SET epoch = 3' }, 10_000);
    await place.link.close();
  });
  after(async () => {
    await postgres.stop();
  });

  it('is there when the leader asked for it, and says when another leads', async () => {
    const build = inProcess(checkpointEntry);
    assert.deepEqual(await build({ url, space: 'statusd', epoch: 3 }), { is: 'built' });
    assert.equal((await inProcess(readyEntry)({ url, space: 'statusd', epoch: 2 })).is, 'different');
    const link = createLink(url, realClock);
    assert.deepEqual(await link.run({ text: 'SELECT count(*)::int AS n FROM statusd.snapshot' }, 10_000), [
      { n: 1 },
    ]);
    await link.close();
    await until(() => childrenOf(process.pid).every((pid) => !commandOf(pid).includes('worker')));
  });

  it('says what was wrong', async () => {
    const build = inProcess(readyEntry);
    await assert.rejects(build({ url, space: 'elsewhere', epoch: 3 }), /has no tables in it/);
    const nothing = inProcess(new URL('./nothing.js', import.meta.url));
    await assert.rejects(nothing({ url, space: 'statusd', epoch: 3 }), /ended with code 1/);
  });

  it('does not outlive a leader that is killed, and outlives what ends both at a terminal', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const program = programArguments('tests/programs/checkpoint-leader.ts');
    const args = [readyEntry.href, `postgres://nobody@127.0.0.1:${port}/nothing`];
    const leader = spawn(process.execPath, [...program, ...args], { stdio: 'ignore' });
    try {
      const pid = leader.pid ?? assert.fail('it did not start');
      const builders = () => childrenOf(pid).filter((each) => commandOf(each).includes('worker.ts'));
      await until(() => builders().length === 1 && sockets.length === 1);
      const [builder = 0] = builders();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(builder, signal);
      await pause(200);
      assert.ok(existsSync(`/proc/${builder}`));
      leader.kill('SIGKILL');
      // By itself it would give up after 30 s.
      await until(() => !existsSync(`/proc/${builder}`) || commandOf(builder) === '', 15);
    } finally {
      leader.kill('SIGKILL');
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
