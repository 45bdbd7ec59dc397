/** Rebuilds the database from its files: the snapshot, then every log after it. */
import { StatusdError } from '../../engine/core/errors.ts';
import { WalReplay, type WalReplayOptions, type CurrentLog } from '../wal/replay.ts';
import { openFault } from './files/faults.ts';
import { openReplica, type Replica } from './replica.ts';
import { chooseBase, type Base, type FileFinding } from './snapshot/base.ts';
import { readSnapshot, readTrailer } from './snapshot/read.ts';
import { isSuperseded } from './snapshot/superseded.ts';

export interface LoadedDatabase {
  readonly replica: Replica;
  /** The log to go on with, read to its end; null when it has yet to be made. */
  readonly current: CurrentLog | null;
  readonly isSnapshotGood: boolean;
  /** How many records the snapshot held. */
  readonly savedSequence: number;
  readonly findings: readonly FileFinding[];
}

/** A checkpoint may take files away while they are read; each attempt begins with the newer ones. */
const attempts = 20;

/** Null when there is no database at all. Throws `store_unusable` when there is one that cannot be used. */
export async function load(options: WalReplayOptions): Promise<LoadedDatabase | null> {
  const { files, names, schema } = options;
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const before = await snapshotsNow(options);
      const base = await chooseBase({ files, names, schema: schema.version });
      if (base === null) return null;
      const loaded = await replay(options, base);
      if (loaded === 'superseded') continue;
      // What looks wrong may only have been taken away by a checkpoint while it was read.
      if (loaded.findings.length === 0) return loaded;
      const after = await orDiscard(loaded, snapshotsNow(options));
      if (before === after) return loaded;
      await discard(loaded);
    }
  } catch (error) {
    throw openFault(error, names.snapshot);
  }
  throw new StatusdError(
    'store_unusable',
    `cannot use the database ${names.snapshot}: its files keep changing`,
    {
      hint: 'Try again. If it stays so, copy its files elsewhere and look which program changes them.',
    },
  );
}

/** Which checkpoints are there: every one changes this. */
async function snapshotsNow({ files, names }: WalReplayOptions): Promise<string> {
  const trailers = [await readTrailer(files, names.snapshot), await readTrailer(files, names.previous)];
  return JSON.stringify(trailers);
}

/** Gives up what was opened: SQLite keeps a database in memory for ever that nobody closes. */
export async function discard({
  current,
  replica,
}: Pick<LoadedDatabase, 'current' | 'replica'>): Promise<void> {
  replica.sql.close();
  await current?.reader.file.close();
}

/** What `work` answers; when it fails, `loaded` is given up. */
export async function orDiscard<T>(
  loaded: Pick<LoadedDatabase, 'current' | 'replica'>,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await discard(loaded).catch(() => undefined);
    throw error;
  }
}

/**
 * The database as it is where log `until` begins, made from the snapshot alone and the logs before; or, in words,
 * why those cannot make it.
 */
export async function replaySealed(
  place: Pick<WalReplayOptions, 'files' | 'names' | 'schema'>,
  { databaseId, until }: { readonly databaseId: string; readonly until: number },
): Promise<Replica | string> {
  const { files, names, schema } = place;
  const found = await readSnapshot(files, names.snapshot);
  if (found.is !== 'good' && found.is !== 'missing') return `${names.snapshot} is damaged`;
  if (found.is === 'good' && found.trailer.databaseId !== databaseId)
    return `${names.snapshot} is another database`;
  const replica = await openReplica(found.is === 'good' ? found.pages : null, schema, databaseId);
  const replay = new WalReplay({ ...place, mode: 'read', pause: () => Promise.resolve() }, replica);
  const following = replica.log <= until ? replay.followTo(until) : Promise.resolve(false);
  const isThere = await orDiscard({ current: null, replica }, following);
  if (isThere) return replica;
  replica.sql.close();
  return `the logs before ${names.log(until)} do not follow ${names.snapshot} without a break`;
}

async function replay(options: WalReplayOptions, base: Base): Promise<LoadedDatabase | 'superseded'> {
  const { databaseId, isSnapshotGood } = base;
  const replica = await openReplica(base.pages, options.schema, databaseId);
  const savedSequence = replica.sequence;
  const replay = new WalReplay(options, replica);
  const current = await orDiscard({ current: null, replica }, replay.follow());
  const findings = [...base.findings, ...replay.findings];
  const loaded = { replica, current, isSnapshotGood, savedSequence, findings };
  if (!(await orDiscard(loaded, isSuperseded(options, { databaseId, log: replica.log })))) return loaded;
  await discard(loaded);
  return 'superseded';
}
