/** S4: a damaged file is noticed: the answer is right, or it comes with a warning, or there is none. */
import { crc32 } from 'node:zlib';
import { StatusdError } from '../../src/engine/core/errors.ts';
import { buildSnapshot } from '../../src/db/wal/checkpoint/build.ts';
import type { Processes } from '../../src/db/store/lock/processes.ts';
import { type Role, type Store } from '../../src/db/store/store.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import { ModelDisk } from '../support/model-disk.ts';
import type { Random } from '../support/random.ts';
import { counter, notes, sampleCount, tinySchema } from '../support/tiny-schema.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const file = '/disk/statusd.db';
const schema = tinySchema();
const trailerBytes = 64;

const processes: Processes = {
  self: () => Promise.resolve({ pid: 1, boot: 'b', namespace: 'n', started: '1' }),
  liveness: () => Promise.resolve('dead'),
};

export interface World {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly truth: string;
}

/** The files of a database after some life; killed, or stopped in good order. */
export async function makeWorlds(): Promise<World[]> {
  const worlds: World[] = [];
  for (const checkpoints of [0, 1, 3]) {
    for (const isKilled of [true, false]) {
      const disk = new ModelDisk();
      const clock = new VirtualClock();
      const store = await open(disk, 'daemon', clock);
      for (let round = 0; round <= checkpoints; round += 1) {
        for (let index = 0; index < 6; index += 1) {
          store.record([['sample', index, index]]);
          await clock.during(
            store.write([
              ['note', `note ${round}.${index}`],
              ['count', 'notes', 1],
            ]),
          );
        }
        if (round < checkpoints) await clock.during(store.checkpoint());
      }
      const truth = stateOf(store);
      if (!isKilled) await clock.during(store.close());
      worlds.push({ files: disk.contents(), truth });
      if (isKilled) await clock.during(store.close());
    }
  }
  return worlds;
}

export type Outcome =
  | { readonly is: 'exact' | 'warned' | 'refused' }
  /** A log cut exactly between two records looks like one that ended there. */
  | { readonly is: 'cut between records' }
  | { readonly is: 'wrong'; readonly why: string };

export interface DamageCase {
  readonly random: Random;
  /** A positive control: the checksum of a damaged snapshot is made to fit. */
  readonly isForged?: boolean;
}

/** Damages one file of `world` and opens it. */
export async function tryDamage(world: World, { random, isForged = false }: DamageCase): Promise<Outcome> {
  const disk = new ModelDisk(world.files);
  const names = [...world.files.keys()].filter((name) => !name.includes('-lock'));
  const name = isForged ? file : random.pick(names);
  const original = world.files.get(name) ?? Buffer.alloc(0);
  const other = random.pick(names);
  const { what, bytes } = damage(original, isForged ? 'bit flip' : random.pick(kinds), random);
  if (what === 'swap') {
    disk.put(name, world.files.get(other) ?? Buffer.alloc(0));
    disk.put(other, original);
  } else if (what === 'deletion') {
    disk.take(name);
  } else {
    disk.put(name, isForged ? forged(bytes) : bytes);
  }
  const role = random.below(2) === 0 ? 'reader' : 'daemon';
  const label = `${what} of ${name}${what === 'swap' ? ` and ${other}` : ''} (${role})`;
  const clock = new VirtualClock();
  let store: Store;
  try {
    store = await open(disk, role, clock);
  } catch (error) {
    if (!(error instanceof StatusdError)) return { is: 'wrong', why: `${label}: ${String(error)}` };
    const isKept =
      what === 'swap' || what === 'deletion' || disk.contents().get(name)?.equals(bytes) === true;
    if (disk.handles > 0) return { is: 'wrong', why: `${label}: ${disk.handles} files are left open` };
    return isKept ? { is: 'refused' } : { is: 'wrong', why: `${label}: refused, and the original is gone` };
  }
  let state = '';
  try {
    state = stateOf(store);
  } catch (error) {
    return { is: 'wrong', why: `${label}: reading throws ${String(error)}` };
  } finally {
    await clock.during(store.close());
  }
  const warnings = store.warnings();
  if (disk.handles > 0) return { is: 'wrong', why: `${label}: ${disk.handles} files are left open` };
  const isCalledCutOff = warnings.some(({ message }) => message.includes('unfinished write'));
  if (what === 'bit flip' && isCalledCutOff)
    return { is: 'wrong', why: `${label}: a damaged record is called an unfinished write` };
  if (new Set(warnings.map(({ message }) => message)).size < warnings.length)
    return { is: 'wrong', why: `${label}: the same is told twice` };
  if (role === 'daemon') {
    const why = await afterRepair(disk, {
      state,
      name,
      bytes,
      isNamed: what !== 'deletion' && warnings.some((one) => one.file === name),
      isCutOff: isCalledCutOff,
    });
    if (why !== null && what !== 'swap') return { is: 'wrong', why: `${label}: ${why}` };
  }
  if (state === world.truth) return { is: 'exact' };
  if (warnings.length > 0) return { is: 'warned' };
  if (what === 'truncation' && isBoundary(original, bytes.length)) return { is: 'cut between records' };
  return { is: 'wrong', why: `${label}: silently ${state} instead of ${world.truth}` };
}

/** What a daemon has repaired stays repaired, and what it did not like is still there. */
async function afterRepair(
  disk: ModelDisk,
  found: {
    readonly state: string;
    readonly name: string;
    readonly bytes: Buffer;
    readonly isNamed: boolean;
    readonly isCutOff: boolean;
  },
): Promise<string | null> {
  const again = await open(disk, 'reader', new VirtualClock());
  let state = '';
  try {
    state = stateOf(again);
  } catch (error) {
    state = String(error);
  }
  const count = again.warnings().length;
  await again.close();
  if (state !== found.state) return `another state at the next start: ${state}`;
  if (count > 0) return 'the next start warns again';
  const { length } = found.bytes;
  const isKept = [...disk.contents()].some(
    ([name, bytes]) =>
      (name === found.name || name.includes('.damaged-')) && bytes.subarray(0, length).equals(found.bytes),
  );
  // A write that was cut off is no damage: its log lives on. A damaged log is kept, and the seal goes behind it.
  const isCutOff = found.isCutOff && found.name.includes('-log.');
  return !found.isNamed || isKept || isCutOff ? null : 'the damaged file is gone';
}

const kinds = ['bit flip', 'truncation', 'zero page', '0 bytes', 'swap', 'deletion'] as const;

function damage(
  original: Buffer,
  what: (typeof kinds)[number],
  random: Random,
): { what: string; bytes: Buffer } {
  const bytes = Buffer.from(original);
  switch (what) {
    case 'bit flip': {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return { what, bytes };
    }
    case 'truncation':
      return { what, bytes: bytes.subarray(0, random.below(bytes.length)) };
    case 'zero page': {
      const size = random.pick([512, 4096]);
      const at = random.below(Math.ceil(bytes.length / size)) * size;
      bytes.fill(0, at, Math.min(at + size, bytes.length));
      return { what, bytes };
    }
    case '0 bytes':
      return { what, bytes: Buffer.alloc(0) };
    case 'swap':
    case 'deletion':
      return { what, bytes };
  }
}

function forged(bytes: Buffer): Buffer {
  const pages = bytes.subarray(0, bytes.length - trailerBytes);
  // The texts of the notes are what a reader would believe.
  const at = pages.indexOf('note 0.1');
  if (at !== -1) pages[at + 5] = 0x39;
  const trailer = bytes.subarray(bytes.length - trailerBytes);
  trailer.writeUInt32BE(crc32(pages), 16);
  trailer.writeUInt32BE(crc32(trailer.subarray(0, 60)), 60);
  return bytes;
}

/** Whether a record of the log ends at `length`. */
function isBoundary(log: Buffer, length: number): boolean {
  for (let at = 0; at + 32 <= log.length; at += 32 + log.readUInt32BE(at + 8)) if (at === length) return true;
  return false;
}

function stateOf({ sql }: Store): string {
  return JSON.stringify([notes(sql), counter(sql, 'notes'), sampleCount(sql)]);
}

function open(disk: ModelDisk, role: Role, clock: VirtualClock): Promise<Store> {
  const files = disk.files();
  const common = { file, schema, files, clock };
  return clock.during(
    role === 'daemon'
      ? openStore({ ...common, role, processes, build: (job) => buildSnapshot(job, files, schema) })
      : openStore({ ...common, role }),
  );
}
