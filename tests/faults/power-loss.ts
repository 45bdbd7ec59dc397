/** S2: whatever a loss of power leaves of unsynced writes, the database opens and holds everything acknowledged. */
import { buildSnapshot } from '../../src/db/wal/checkpoint/build.ts';
import type { Clock } from '../../src/engine/core/clock.ts';
import type { Files } from '../../src/db/store/files/files.ts';
import type { Processes } from '../../src/db/store/lock/processes.ts';
import { type Role, type Store } from '../../src/db/store/store.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import { ModelDisk } from '../support/model-disk.ts';
import { randomOf, type Random } from '../support/random.ts';
import { counter, notes, tinySchema } from '../support/tiny-schema.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const file = '/disk/statusd.db';
const schema = tinySchema();

/** Something that somebody was told: after `events` operations of the disk, note `id` had this content. */
interface Promise_ {
  readonly events: number;
  readonly id: number;
  readonly content: string;
}

export interface Recording {
  readonly disk: ModelDisk;
  readonly promises: readonly Promise_[];
  readonly labels: ReadonlySet<string>;
  /** Where a crash is of interest when a sync is left out; anywhere soon after one when absent. */
  readonly window?: { readonly from: number; readonly length: number };
  /** States that were found well: many crashes leave the same. */
  readonly well: Set<string>;
}

const deadProcesses: Processes = {
  self: () => Promise.resolve({ pid: 1, boot: 'b', namespace: 'n', started: '1' }),
  liveness: () => Promise.resolve('dead'),
};

interface Opening {
  readonly role: Role;
  readonly clock: Clock;
  /** Waited for before a snapshot is built. */
  readonly build?: () => Promise<void>;
}

function open(files: Files, { role, clock, build = () => Promise.resolve() }: Opening): Promise<Store> {
  const common = { file, schema, files, clock };
  return role === 'daemon'
    ? openStore({
        ...common,
        role,
        processes: deadProcesses,
        build: async (job) => {
          await build();
          return buildSnapshot(job, files, schema);
        },
      })
    : openStore({ ...common, role });
}

/** A daemon and two commands write at once, checkpoints come in between, the daemon is killed and another starts. */
export async function recordLife(seed: number): Promise<Recording> {
  const random = randomOf(seed);
  const disk = new ModelDisk();
  disk.isLocal = seed % 2 === 0;
  const clock = new VirtualClock();
  const promises: Promise_[] = [];
  disk.before = async () => {
    // Now and then a process is stopped for long.
    const longest = random.below(20) === 0 ? 300 : 6;
    for (let turns = random.below(longest); turns > 0; turns -= 1) await Promise.resolve();
    // Writes begin with a turn of the event loop: others come between the operations of one, too.
    for (let turns = random.below(4); turns > 0; turns -= 1) await nextTurn();
  };
  let written = 0;
  const write = async (store: Store) => {
    written += 1;
    const content = `note ${written}`;
    const [id] = await store.write(
      [
        ['note', content],
        ['count', 'notes', 1],
      ],
      { mustBeDurable: true },
    );
    promises.push({ events: disk.events.length, id: Number(id), content });
  };
  const several = async (store: Store, count: number) => {
    for (let index = 0; index < count; index += 1) {
      await write(store);
      if (random.below(3) === 0) clock.advance(300);
    }
  };
  const command = async (count: number) => {
    const writer = await open(disk.files(), { role: 'writer', clock });
    await several(writer, count);
    await writer.close();
  };

  const life = async (daemon: Store, isOver: () => boolean) => {
    const checkpoints = async () => {
      for (let index = 0; index < 2 && !isOver(); index += 1) {
        for (let turns = random.below(200); turns > 0; turns -= 1) await Promise.resolve();
        await daemon.checkpoint();
      }
    };
    daemon.record([['sample', clock.now(), 1]]);
    await Promise.all([several(daemon, 5), command(4), command(3), checkpoints()]);
  };

  let isKilled = false;
  let isKilledByWrite = false;
  const mortal = withKill(disk.files(), (method) => {
    if (isKilledByWrite && method === 'write') isKilled = true;
    return isKilled;
  });
  // A process that is gone does not wake up either.
  const mortalClock: Clock = {
    now: clock.now,
    monotonic: clock.monotonic,
    sleep: async (ms, signal) => {
      await clock.sleep(ms, signal);
      if (isKilled) await never;
    },
  };
  const first = await clock.during(open(mortal, { role: 'daemon', clock: mortalClock }));
  await clock.during(life(first, () => isKilled));
  isKilledByWrite = random.below(2) === 0;
  void write(first);
  const kills = () => isKilled;
  for (let turns = isKilledByWrite ? 1000 : random.below(20); turns > 0 && !kills(); turns -= 1)
    await nextTurn();
  isKilled = true;

  const second = await clock.during(open(disk.files(), { role: 'daemon', clock }));
  // What a daemon has read, it acts on: people may be told of it from now on.
  for (const { id, content } of notes(second.sql)) promises.push({ events: disk.events.length, id, content });
  await clock.during(life(second, () => false));
  await clock.during(second.close());
  const labels = disk.events.flatMap((event) => ('label' in event ? [event.label] : []));
  return { disk, promises, labels: new Set(labels), well: new Set() };
}

/**
 * A command is stopped right after it wrote behind the seal of a log, and the daemon goes on in the next one: should
 * the seal be lost, that write would come to life again in front of what the daemon wrote later.
 */
export async function recordSeal(seed: number): Promise<Recording> {
  const disk = new ModelDisk();
  disk.isLocal = seed % 2 === 0;
  const clock = new VirtualClock(seed);
  const promises: Promise_[] = [];
  let isNotified = false;
  const daemon = await clock.during(
    open(disk.files(), { role: 'daemon', clock, build: () => until(() => isNotified) }),
  );
  let isStopped = false;
  const files = gated(disk.files(), async (method) => {
    if (method === 'write') await until(() => disk.isSealed(`${file}-log.2`));
    if (method === 'sync') await until(() => !isStopped);
  });
  const command = await clock.during(open(files, { role: 'writer', clock }));
  isStopped = true;
  const stopped = command.write([
    ['note', 'void at first'],
    ['count', 'notes', 1],
  ]);
  const checkpoint = daemon.checkpoint();
  await until(() => disk.isSealed(`${file}-log.2`));
  const content = 'after the seal';
  const notified = daemon
    .write([
      ['note', content],
      ['count', 'notes', 1],
    ])
    .then(([id]) => {
      promises.push({ events: disk.events.length, id: Number(id), content });
    });
  await clock.during(notified);
  isNotified = true;
  await clock.during(checkpoint);
  isStopped = false;
  await clock.during(stopped);
  await clock.during(command.close());
  await clock.during(daemon.close());
  const window = { from: promises[0]?.events ?? 0, length: 6 };
  return { disk, promises, labels: new Set(), window, well: new Set() };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function until(isTime: () => boolean): Promise<void> {
  while (!isTime()) await nextTurn();
}

/** Every operation waits for `gate` first. */
function gated(files: Files, gate: (method: string) => Promise<void>): Files {
  return {
    ...files,
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      return {
        ...file,
        write: async (bytes) => {
          await gate('write');
          return file.write(bytes);
        },
        sync: async () => {
          await gate('sync');
          await file.sync();
        },
      };
    },
  };
}

/** After the kill no operation of the process returns, and none begins. Asked after each operation. */
function withKill(files: Files, isKilled: (method: string | null) => boolean): Files {
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, key) => {
        const method: unknown = Reflect.get(object, key);
        // What is known without waiting is no operation.
        if (typeof method !== 'function' || key === 'sizeNow') return method;
        return async (...args: unknown[]) => {
          if (isKilled(null)) await never;
          const result: unknown = await Reflect.apply(method, object, args);
          if (isKilled(String(key))) await never;
          return typeof result === 'object' && result !== null && 'write' in result ? mortal(result) : result;
        };
      },
    });
  return mortal(files);
}

const never = new Promise<never>(() => undefined);

export interface CrashCase {
  readonly random: Random;
  /** Syncs of this kind never happened, and the crash comes soon after one of them. */
  readonly without?: string;
}

/** One crash of a recorded life: null when all is well, else what is wrong. */
export async function tryCrash(recording: Recording, { random, without }: CrashCase): Promise<string | null> {
  const { disk, promises } = recording;
  const count =
    without === undefined ? random.below(disk.events.length + 1) : soonAfter(recording, without, random);
  const left = disk.crash(count, random, (label) => label === without);
  const due = promises.filter(({ events }) => events <= count);
  // A part of the crashes damages the snapshot too: the one before it must still give everything.
  const canLoseSnapshot = left.contents().has(`${file}-prev`) || left.contents().has(`${file}-log.1`);
  const isSnapshotLost = random.below(4) === 0 && canLoseSnapshot && left.contents().has(file);
  if (isSnapshotLost) left.put(file, Buffer.from('garbage'.repeat(1000)));
  const role = random.below(8) === 0 || due.length === 0 ? 'daemon' : 'reader';
  const what = `after ${count} operations (${role}${isSnapshotLost ? ', snapshot lost' : ''})`;
  const state = `${role} ${due.length} ${left.fingerprint()}`;
  if (recording.well.has(state)) return null;
  const clock = new VirtualClock();
  let store: Store;
  try {
    store = await clock.during(open(left.files(), { role, clock }));
  } catch (error) {
    return `${what}: does not open: ${String(error)}`;
  }
  try {
    const wrong = judge(store, due);
    if (wrong === null) recording.well.add(state);
    return wrong === null ? null : `${what}: ${wrong}; ${JSON.stringify(store.warnings())}`;
  } finally {
    await clock.during(store.close());
  }
}

/** A sync whose absence matters, matters from the moment it would have ended. */
function soonAfter({ disk, window }: Recording, label: string, random: Random): number {
  if (window !== undefined) return window.from + random.below(window.length);
  const ends = disk.events.flatMap((event, index) =>
    'label' in event && event.label === label ? [index + 1] : [],
  );
  if (ends.length === 0) return random.below(disk.events.length + 1);
  return Math.min(disk.events.length, random.pick(ends) + random.below(12));
}

function judge(store: Store, due: readonly Promise_[]): string | null {
  const found = notes(store.sql);
  const byId = new Map(found.map(({ id, content }) => [id, content]));
  for (const { id, content } of due) {
    if (byId.get(id) !== content) return `note ${id} is "${byId.get(id) ?? 'lost'}", not "${content}"`;
  }
  if (new Set(found.map(({ content }) => content)).size !== found.length) return 'a note is there twice';
  if (counter(store.sql, 'notes') !== found.length) return 'a transaction was applied in part';
  return null;
}
