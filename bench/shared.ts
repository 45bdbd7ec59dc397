/**
 * Measures what a shared database costs: a durable write of the leader against a bare commit of as much on the same server,
 * in turns, and what a standby spends on each sample that it follows, in a process of its own. Starts a PostgreSQL of its
 * own, which syncs to the disk.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLink } from '../src/db/shared/link.ts';
import { meta } from '../src/db/tables/meta.ts';
import { monitors } from '../src/db/tables/monitors.ts';
import { samples } from '../src/db/tables/samples.ts';
import { schema } from '../src/db/tables/schema/schema.ts';
import { openTestNode } from '../tests/support/nodes.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { realClock } from '../tests/support/real-clock.ts';
import { judgeAll, medianOf } from './seeding/verdict.ts';

const leaseMs = 15_000;
const [role = 'bench', given = ''] = process.argv.slice(2);

if (role === 'standby') {
  const node = await openTestNode('standby', { url: given, schema, leaseMs });
  process.send?.('ready');
  let begun = process.cpuUsage();
  process.on('message', (message) => {
    if (message === 'begin') begun = process.cpuUsage();
    else {
      const { user, system } = process.cpuUsage(begun);
      const kept = node.sql.get('SELECT coalesce(sum(samples), 0) AS n FROM monitors', [], (row) =>
        row.number('n'),
      );
      process.send?.({ cpuUs: user + system, kept });
    }
  });
  process.once('disconnect', () => process.exit());
} else process.exitCode = (await bench()) ? 0 : 1;

/** Of one write, in milliseconds: the medians of `rounds` turns of `writes` each. */
async function appends(url: string) {
  const node = await openTestNode('leader', { url, schema, leaseMs });
  await node.leads;
  const link = createLink(url, realClock);
  await link.run({ text: 'CREATE TABLE bare (seq bigserial PRIMARY KEY, payload text)' }, 10_000);
  const own: number[] = [];
  const bare: number[] = [];
  const timed = async (times: number[], write: (index: number) => Promise<unknown>) => {
    for (let index = 0; index < 100; index += 1) {
      const startedMs = performance.now();
      await write(index);
      times.push(performance.now() - startedMs);
    }
  };
  for (let round = 0; round < 7; round += 1) {
    await timed(own, (index) => node.write([meta.set({ name: 'bench', value: { round, index } })]));
    const values = [JSON.stringify([['meta.set', 'bench', { round, index: 1 }]])];
    await timed(bare, () => link.run({ text: 'INSERT INTO bare (payload) VALUES ($1)', values }, 10_000));
  }
  await link.close();
  return { node, ownMs: medianOf(own), bareMs: medianOf(bare) };
}

/** Processor time of a standby for each sample of the leader, in µs, less that of as long without any. */
async function following(url: string, node: Awaited<ReturnType<typeof openTestNode>>) {
  const ids = Array.from({ length: 200 }, (_, index) => `m${index}`);
  const at = Date.now();
  await node.write(
    monitors.sync(
      node.sql,
      ids.map((id) => ({ id, name: id })),
      at,
    ),
  );
  const child = fork(fileURLToPath(import.meta.url), ['standby', url], { execArgv: process.execArgv });
  await once(child, 'message');
  const spent = async (work: () => Promise<void>) => {
    child.send('begin');
    await work();
    await pause(1500);
    child.send('end');
    return (await once(child, 'message'))[0] as { readonly cpuUs: number; readonly kept: number };
  };
  const seconds = 20;
  const idle = await spent(() => pause(seconds * 1000));
  let sent = 0;
  const busy = await spent(async () => {
    for (let tick = 0; tick < seconds * 10; tick += 1) {
      const now = at + 60_000 + tick * 100;
      node.record(
        ids.map((monitor) =>
          samples.add({
            monitor,
            at: now + tick * 1000,
            status: 'up',
            latencyMs: 80,
            holdSecs: 82,
            isHeartbeat: false,
            category: null,
            message: null,
          }),
        ),
      );
      sent += ids.length;
      await pause(100);
    }
  });
  child.kill();
  console.log(`(${sent} samples in ${seconds} s, ${busy.kept} of them in the memory of the standby)`);
  return (busy.cpuUs - idle.cpuUs) / sent;
}

async function bench(): Promise<boolean> {
  const postgres = await startPostgres({ isDurable: true });
  try {
    const url = await postgres.database();
    const { node, ownMs, bareMs } = await appends(url);
    console.log(`(a durable write ${ownMs.toFixed(2)} ms, a bare commit ${bareMs.toFixed(2)} ms)`);
    const followingUs = await following(url, node);
    await node.close();
    return judgeAll([
      { what: 'a durable write against a bare commit', measured: ownMs / bareMs, unit: 'x', atMost: 2 },
      { what: 'processor time of a standby for a sample', measured: followingUs, unit: 'µs', atMost: 20 },
    ]);
  } finally {
    await postgres.stop();
  }
}
