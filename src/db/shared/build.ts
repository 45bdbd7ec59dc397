/** Builds the next snapshot out of the last one and the log after it, away from the database that is in use. */
import type { Clock } from '../../engine/core/clock.ts';
import type { StoreSchema } from '../store/operation.ts';
import type { BuildResult } from '../wal/checkpoint/build.ts';
import { loadWorld, placeAt } from './place.ts';
import { shrink } from './snapshots.ts';

/** All a build needs to know, as plain values: it runs in another thread. */
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

/** Reads the world, writes it down as a snapshot, and deletes what that makes needless. */
export async function buildShared(
  { url, space, epoch }: SharedBuildJob,
  schema: StoreSchema,
): Promise<BuildResult> {
  const place = placeAt({ url, space, schema, clock, deadlineMs });
  try {
    const { replica, end } = await loadWorld(place, { schema, deadlineMs });
    try {
      // Here writers that are long gone are forgotten.
      replica.nextLog();
      shrink(replica.sql);
      const kept = await place.snapshots.save(
        { seq: end.seq, bytes: Buffer.from(replica.exportPages(null)) },
        epoch,
      );
      return kept === null ? { is: 'different', why: 'another node leads' } : { is: 'built' };
    } finally {
      replica.sql.close();
    }
  } finally {
    await place.link.close();
  }
}
