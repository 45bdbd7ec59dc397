/**
 * Lives of a daemon and of commands beside it on a disk on which every now and then something goes wrong: a write hangs, is
 * cut short, or finds no space. Nothing acknowledged is lost or there twice, and memory has what the files have.
 */
import { buildSnapshot } from '../../src/db/wal/checkpoint/build.ts';
import type { Processes } from '../../src/db/store/lock/processes.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import type { Role, Store } from '../../src/db/store/store.ts';
import { fault, ModelDisk } from '../support/model-disk.ts';
import { randomOf } from '../support/random.ts';
import { counter, notes, sampleCount, tinySchema } from '../support/tiny-schema.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export type AnyFault = 'hang' | 'short' | 'full';

export interface AnyFaultsLife {
  readonly seed: number;
  readonly faults: readonly AnyFault[];
  /** A positive control: takes for acknowledged what was refused. */
  readonly isAckedAnyway?: boolean;
}

const file = '/disk/statusd.db';
const schema = tinySchema();
const inMemory = { mustBeDurable: false } as const;
const together = { mustBeDurable: true, sharesRecord: true } as const;
/** Longer than the store waits for a disk. */
const hangMs = 9000;

const processes: Processes = {
  self: () => Promise.resolve({ pid: 1, boot: 'b', namespace: 'n', started: '1' }),
  liveness: () => Promise.resolve('dead'),
};

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What is wrong in the end, in words; empty: nothing. */
export async function liveWithFaults({
  seed,
  faults,
  isAckedAnyway = false,
}: AnyFaultsLife): Promise<readonly string[]> {
  const random = randomOf(seed);
  const disk = new ModelDisk();
  disk.isLocal = seed % 3 !== 0;
  const clock = new VirtualClock();
  let isFailing = false;
  const strikes = (kind: AnyFault, oneIn: number) =>
    isFailing && faults.includes(kind) && random.below(oneIn) === 0;
  disk.before = async (operation, path) => {
    for (let turns = random.below(4); turns > 0; turns -= 1)
      await (random.below(2) === 0 ? nextTurn() : Promise.resolve());
    if (/^(write|open create|link)$/.test(operation) && strikes('full', 8)) throw fault('ENOSPC', path);
    if (!/^(sync|write)$/.test(operation) || !path.includes('-log.') || !strikes('hang', 25)) return;
    await clock.sleep(hangMs);
    if (random.below(3) === 0) throw fault('EIO', path);
  };
  disk.takes = (length) => (strikes('short', 6) ? random.below(length) : length);
  const open = (role: Role, on = disk): Promise<Store> => {
    const files = on.files();
    const common = { file, schema, files, clock };
    return role === 'daemon'
      ? openStore({ ...common, role, processes, build: (job) => buildSnapshot(job, files, schema) })
      : openStore({ ...common, role });
  };

  const wrong: string[] = [];
  const acknowledged: { readonly content: string; readonly id: number | null }[] = [];
  let written = 0;
  const note = async (store: Store, who: string) => {
    written += 1;
    const content = `${who} ${written}`;
    const operations = [['note', content] as const, ['count', 'notes', 1] as const];
    await store.write(operations).then(
      ([id]) => acknowledged.push({ content, id: Number(id) }),
      () => isAckedAnyway && acknowledged.push({ content, id: null }),
    );
  };
  let heartbeats = 0;
  const acknowledgedBeats: number[] = [];
  const heartbeat = async (daemon: Store) => {
    heartbeats += 1;
    const number = heartbeats;
    await daemon.write([['count', `beat ${number}`, 1]], together).then(
      () => acknowledgedBeats.push(number),
      () => undefined,
    );
  };
  const pace = async () => {
    for (let turns = random.below(12); turns > 0; turns -= 1) await nextTurn();
    if (random.below(5) === 0) await clock.sleep(random.below(600));
  };
  const rounds = 10;
  let own = 0;
  const daemonLife = async (daemon: Store) => {
    for (let round = 0; round < rounds; round += 1) {
      const kind = random.below(5);
      const work: Promise<unknown>[] = [];
      if (kind <= 1) work.push(note(daemon, 'daemon'));
      if (kind >= 1) for (let count = random.below(3); count >= 0; count -= 1) work.push(heartbeat(daemon));
      if (kind >= 3) {
        own += 1;
        work.push(daemon.write([['count', 'own', 1]], inMemory));
      }
      daemon.record([['sample', round, round]]);
      if (random.below(2) === 0) await Promise.all(work);
      else void Promise.allSettled(work);
      await pace();
    }
  };
  const command = async (who: string) => {
    for (let begun = 0; begun < 2; begun += 1) {
      const store = await open('writer').catch(() => null);
      for (let count = 0; store !== null && count < 4; count += 1) {
        await note(store, who);
        await pace();
      }
      await store?.close().catch(() => undefined);
    }
  };
  const checkpoints = async (daemon: Store) => {
    for (let count = 0; count < 2; count += 1) {
      await pace();
      await daemon.checkpoint().catch(() => undefined);
    }
  };

  const daemon = await clock.during(open('daemon'));
  isFailing = true;
  await clock.during(
    Promise.all([daemonLife(daemon), command('one command'), command('another'), checkpoints(daemon)]),
  );
  isFailing = false;
  // A write of a command that gave it up comes back, too.
  const recovery = async () => {
    for (let turns = 0; turns < 200; turns += 1) await nextTurn();
  };
  await clock.during(recovery(), 500);
  if (!daemon.health().isDurable) wrong.push(`it does not recover: ${daemon.health().reason ?? ''}`);
  // A sync that failed for a command is reported to the daemon with its own next one (Linux, errseq_t).
  for (let count = 0; count < 3; count += 1) await clock.during(note(daemon, 'last'));
  await clock.during(daemon.refresh());

  const inItsMemory = 'in memory';
  const judge = (store: Store, where: string) => {
    const found = notes(store.sql);
    for (const { content, id } of acknowledged) {
      const there = found.filter((each) => each.content === content);
      if (there.length !== 1) wrong.push(`"${content}" is there ${there.length} times ${where}`);
      else if (id !== null && there[0]?.id !== id && where === inItsMemory)
        wrong.push(`"${content}" was told to be ${id} and is ${there[0]?.id ?? ''} ${where}`);
    }
    if (new Set(found.map(({ content }) => content)).size !== found.length)
      wrong.push(`a note is there twice ${where}`);
    if (counter(store.sql, 'notes') !== found.length)
      wrong.push(`a transaction was applied in part ${where}`);
    for (let number = 1; number <= heartbeats; number += 1) {
      const times = counter(store.sql, `beat ${number}`);
      if (times > 1 || (times === 0 && acknowledgedBeats.includes(number)))
        wrong.push(`heartbeat ${number} is there ${times} times ${where}`);
    }
    if (counter(store.sql, 'own') !== own)
      wrong.push(`${counter(store.sql, 'own')} of ${own} own writes ${where}`);
    if (sampleCount(store.sql) !== rounds)
      wrong.push(`${sampleCount(store.sql)} of ${rounds} samples ${where}`);
    return JSON.stringify(found);
  };
  const inMemoryNow = judge(daemon, inItsMemory);
  const look = async (where: string, on: ModelDisk) => {
    const reader = await clock.during(open('reader', on));
    const found = judge(reader, where);
    await clock.during(reader.close());
    return found;
  };
  if ((await look('in the files', disk)) !== inMemoryNow) wrong.push('memory differs from the files');
  for (let power = 0; power < 3; power += 1)
    await look('after a loss of power', disk.crash(disk.events.length, randomOf(power)));
  await clock.during(daemon.close());
  if ((await look('after the end', disk)) !== inMemoryNow) wrong.push('memory differs from what it left');
  return wrong;
}
