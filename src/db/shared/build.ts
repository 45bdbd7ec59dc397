/** Builds the next snapshot out of the last one and the log after it, away from the database that is in use. */
import type { Clock } from '../../engine/core/clock.ts';
import type { StoreSchema } from '../store/operation.ts';
import type { BuildResult } from '../wal/checkpoint/build.ts';
import { loadSharedDatabase, sharedDatabaseAt, type SharedDatabase } from './database.ts';
import { type SharedSnapshot, shrink } from './snapshots.ts';

/** All a build needs to know, as plain values: it runs in another process. */
export interface SharedBuildJob {
  /** Of the database. A secret. */
  readonly url: string;
  readonly space: string;
  /** Of the leader: nobody else keeps a snapshot. */
  readonly epoch: number;
}

export type BuildShared = (job: SharedBuildJob) => Promise<BuildResult>;

const deadlineMs = 30_000;

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
};

/** Reads the database, writes a snapshot of it, and deletes what that makes obsolete. */
export async function buildShared(
  { url, space, epoch }: SharedBuildJob,
  schema: StoreSchema,
): Promise<BuildResult> {
  const place = sharedDatabaseAt({ url, space, schema, clock, deadlineMs });
  try {
    const kept = await place.snapshots.save(await readSnapshot(place, schema), epoch);
    return kept === null ? { is: 'different', why: 'another node leads' } : { is: 'built' };
  } finally {
    await place.link.close();
  }
}

/** The database that it is read from is let go of before anything is sent: two of a large one are too much. */
async function readSnapshot(place: SharedDatabase, schema: StoreSchema): Promise<SharedSnapshot> {
  const { replica, end } = await loadSharedDatabase(place, { schema, deadlineMs });
  try {
    // Here writers that are long gone are forgotten.
    replica.nextLog();
    shrink(replica.sql);
    const { buffer, byteOffset, length } = replica.exportPages(null);
    return { seq: end.seq, bytes: Buffer.from(buffer, byteOffset, length) };
  } finally {
    replica.sql.close();
  }
}
