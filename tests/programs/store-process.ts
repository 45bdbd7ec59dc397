/**
 * A process with a store, for tests that kill it: `store-process <role> <file> <tag> [count] [thread|here|early]`.
 * The last word says where checkpoints are built; `early` is the opposite of a promise: it says so 50 notes ahead.
 * Writes notes "<tag> <n>" and says "ack <id> <tag> <n>" on stdout once each is durable.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { StatusdError } from '../../src/engine/core/errors.ts';
import { buildSnapshot, type BuildSnapshot } from '../../src/db/wal/checkpoint/build.ts';
import { inThread } from '../../src/db/wal/checkpoint/thread.ts';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import { systemProcesses } from '../../src/db/store/lock/processes.ts';
import { type Store } from '../../src/db/store/store.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import { realClock } from '../support/real-clock.ts';
import { tinySchema } from '../support/tiny-schema.ts';

const [role = '', file = '', tag = '', count = '0', where = 'thread'] = process.argv.slice(2);

const schema = tinySchema();
const common = { file, schema, files: nodeFiles, clock: realClock };
const worker = new URL(
  import.meta.url.endsWith('.ts') ? './tiny-checkpoint.ts' : './tiny-checkpoint.mjs',
  import.meta.url,
);

/** A pipe to a parent is written before the call returns, so nothing is said that was not durable, nor the reverse. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function writeNotes(store: Store, isEndless: boolean): Promise<void> {
  for (let number = 0; isEndless || number < Number(count); number += 1) {
    const content = `${tag} ${number}`;
    if (where === 'early' && number % 50 === 0) {
      for (let ahead = 0; ahead < 50; ahead += 1) say(`ack 0 ${tag} ${number + ahead}`);
    }
    const [id] = await store.write(
      [
        ['note', content],
        ['count', 'notes', 1],
      ],
      { mustBeDurable: true },
    );
    if (where !== 'early') say(`ack ${Number(id)} ${content}`);
    if (number % 7 === 0 && role === 'daemon') store.record([['sample', number, 1]]);
  }
}

async function checkpoints(store: Store): Promise<void> {
  for (;;) {
    await sleep(20);
    await store.checkpoint();
    say('checkpoint');
  }
}

try {
  if (role === 'daemon') {
    const build: BuildSnapshot =
      where === 'thread' ? inThread(worker) : (job) => buildSnapshot(job, nodeFiles, schema);
    const store = await openStore({ ...common, role, processes: systemProcesses, build });
    say(`serving ${process.pid}`);
    process.once('SIGTERM', () => {
      void store.close().then(() => process.exit(0));
    });
    if (tag === 'idle') await sleep(60_000);
    await Promise.all([writeNotes(store, true), checkpoints(store)]);
  } else {
    const store = await openStore({ ...common, role: 'writer' });
    say('open');
    // All commands of a test begin together, when their input ends.
    await once(process.stdin.resume(), 'end');
    await writeNotes(store, false);
    await store.close();
    say('done');
  }
} catch (error) {
  process.stderr.write(`${error instanceof StatusdError ? error.code : ''} ${String(error)}\n`);
  process.exit(error instanceof StatusdError ? 4 : 1);
}
