/** S3: any one operation of the disk, or all of them for a while, fails: nothing crashes, nothing promised is lost. */
import { StatusdError } from '../../src/engine/core/errors.ts';
import { buildSnapshot } from '../../src/db/wal/checkpoint/build.ts';
import type { Processes } from '../../src/db/store/lock/processes.ts';
import { type Role, type Store } from '../../src/db/store/store.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import { fault, ModelDisk } from '../support/model-disk.ts';
import { watchDatabases } from '../support/open-databases.ts';
import { randomOf } from '../support/random.ts';
import { counter, notes, sampleCount, tinySchema } from '../support/tiny-schema.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const file = '/disk/statusd.db';
const schema = tinySchema();

const processes: Processes = {
  self: () => Promise.resolve({ pid: 1, boot: 'b', namespace: 'n', started: '1' }),
  liveness: () => Promise.resolve('dead'),
};

export interface DiskError {
  /** What the system answers; `short`: writes take half of what they are given. */
  readonly code: 'EIO' | 'EIO while reading' | 'ENOSPC' | 'EROFS' | 'EMFILE' | 'short';
  /** The first operation that fails, and how many do. */
  readonly at: number;
  readonly count: number;
}

const affected: Readonly<Record<DiskError['code'], RegExp>> = {
  EIO: /^(open|write|sync|rename|link|sync-directory|remove)/,
  'EIO while reading': /^(read|list|facts)/,
  ENOSPC: /^(open create|write|link|rename)/,
  EROFS: /^(open create|open append|write|link|rename|remove)/,
  EMFILE: /^(open|list|sync-directory)/,
  short: /^write/,
};

/** How many operations a life without faults has that `code` could hit. */
export async function countOperations(code: DiskError['code']): Promise<number> {
  const { hit } = await live({ code, at: Number.POSITIVE_INFINITY, count: 0 });
  return hit;
}

export interface LifeOptions {
  /** A positive control: takes the daemon's word for what it refused. */
  readonly isAckedAnyway?: boolean;
}

/** One life with a fault in it; `wrong` is null when every promise was kept. */
export async function live(
  error: DiskError,
  { isAckedAnyway = false }: LifeOptions = {},
): Promise<{ readonly wrong: string | null; readonly hit: number; readonly wasNotified: boolean }> {
  const leftOpen = await watchDatabases();
  const disk = new ModelDisk();
  disk.isLocal = error.at % 2 === 0;
  const clock = new VirtualClock();
  let isActive = true;
  let hit = 0;
  const isHit = (operation: string) => {
    if (!isActive || !affected[error.code].test(operation)) return false;
    hit += 1;
    return hit >= error.at && hit < error.at + error.count;
  };
  disk.before = (operation, path) => {
    if (error.code !== 'short' && isHit(operation))
      throw fault(error.code.slice(0, error.code.indexOf(' ') >>> 0), path);
  };
  disk.takes = (length) => (error.code === 'short' && isHit('write') ? Math.floor(length / 2) : length);
  const open = (role: Role): Promise<Store> => {
    const files = disk.files();
    const common = { file, schema, files, clock };
    return clock.during(
      role === 'daemon'
        ? openStore({ ...common, role, processes, build: (job) => buildSnapshot(job, files, schema) })
        : openStore({ ...common, role }),
    );
  };

  const promised: string[] = [];
  /** By a full disk, which says so before it takes anything: it must not happen later. */
  const refused: string[] = [];
  let own = 0;
  let samples = 0;
  const wrongs: string[] = [];
  /** Only named errors may come out of a store. */
  const attempt = async <T>(what: string, work: Promise<T>): Promise<T | null> => {
    try {
      return await clock.during(work);
    } catch (failure) {
      if (!(failure instanceof StatusdError)) wrongs.push(`${what} threw ${String(failure)}`);
      return null;
    }
  };
  const openDaemon = async (): Promise<Store> => {
    const daemon = await attempt('open', open('daemon'));
    if (daemon !== null) return daemon;
    isActive = false;
    return open('daemon');
  };

  const daemon = await openDaemon();
  let wasNotified = !daemon.health().isDurable;
  daemon.onHealth(({ isDurable }) => {
    if (!isDurable) wasNotified = true;
  });
  const note = async (store: Store, content: string) => {
    const results = await attempt(`write of ${content}`, store.write([['note', content]]));
    if (results === null && error.code === 'ENOSPC') refused.push(content);
    if (results !== null || isAckedAnyway) promised.push(content);
    if (results === null && store === daemon && !wasNotified) wrongs.push('it failed and nobody was told');
  };
  for (let round = 0; round < 3; round += 1) {
    await note(daemon, `daemon ${round}`);
    const results = await attempt(
      'an own write',
      daemon.write([['count', 'own', 1]], { mustBeDurable: false }),
    );
    if (results === null) wrongs.push('a write that needs no promise was refused');
    else own += 1;
    daemon.record([['sample', round, round]]);
    samples += 1;
    const command = await attempt('open of a command', open('writer'));
    if (command !== null) {
      await note(command, `command ${round}`);
      await attempt('close of a command', command.close());
    }
    if (round > 0) await attempt('checkpoint', daemon.checkpoint());
    if (counter(daemon.sql, 'own') !== own) wrongs.push('memory does not hold an own write');
    clock.advance(300);
  }

  isActive = false;
  await clock.during(settle(), 500);
  if (!daemon.health().isDurable) wrongs.push(`it does not recover: ${daemon.health().reason ?? ''}`);
  // A sync that failed for a command is told to the daemon with its own next one (Linux, errseq_t).
  await note(daemon, 'after');
  await clock.during(settle(), 500);
  if (!promised.includes('after')) await note(daemon, 'after');
  if (!promised.includes('after')) wrongs.push('it does not write after the recovery');

  const check = async (what: string, on: ModelDisk) => {
    const files = on.files();
    const store = await attempt(`open ${what}`, openStore({ file, schema, files, clock, role: 'reader' }));
    if (store === null) {
      wrongs.push(`it does not open ${what}`);
      return;
    }
    const contents = notes(store.sql).map(({ content }) => content);
    for (const content of promised) {
      const times = contents.filter((found) => found === content).length;
      // A refused write may have been made all the same: then it was asked for twice.
      if (times !== 1 && !(times === 2 && content === 'after'))
        wrongs.push(`note "${content}" is there ${times} times ${what}`);
    }
    for (const content of refused.filter((each) => contents.includes(each)))
      wrongs.push(`note "${content}" was refused and is there ${what}`);
    if (counter(store.sql, 'own') !== own)
      wrongs.push(`${counter(store.sql, 'own')} of ${own} own writes ${what}`);
    if (sampleCount(store.sql) !== samples)
      wrongs.push(`${sampleCount(store.sql)} of ${samples} samples ${what}`);
    await store.close();
  };
  for (const seed of [0, 1])
    await check('after a loss of power', disk.crash(disk.events.length, randomOf(seed)));
  await clock.during(daemon.close());
  await check('after the end', disk);
  if (disk.handles > 0) wrongs.push(`${disk.handles} files are left open`);
  if (leftOpen() > 0) wrongs.push(`${leftOpen()} databases are left open in memory`);
  return { wrong: wrongs[0] ?? null, hit, wasNotified };
}

/** Long enough for every retry and for a checkpoint. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}
