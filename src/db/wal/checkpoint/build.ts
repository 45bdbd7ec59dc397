/** Builds the next snapshot out of the last one and the logs after it, away from the database that is in use. */
import type { Files } from '../../store/files/files.ts';
import { namesOf } from '../../store/files/names.ts';
import { replaySealed } from '../../store/load.ts';
import type { StoreSchema } from '../../store/operation.ts';
import { writeSnapshot } from '../../store/snapshot/write.ts';

/** All a build needs to know, as plain values: it may run in another thread. */
export interface BuildJob {
  /** The database file, its links followed. */
  readonly file: string;
  /** Where the new snapshot is written; safe on the disk when the build is done. */
  readonly temporary: string;
  readonly databaseId: string;
  /** The first log that the new snapshot does not hold; all before it are sealed. */
  readonly log: number;
  /** How many records the database in use had seen where log `log` begins. */
  readonly sequence: number;
}

export type BuildResult =
  | { readonly is: 'built' }
  /** The files do not give what the database in use holds. */
  | { readonly is: 'different'; readonly why: string };

export type BuildSnapshot = (job: BuildJob) => Promise<BuildResult>;

export async function buildSnapshot(job: BuildJob, files: Files, schema: StoreSchema): Promise<BuildResult> {
  const { databaseId, log, sequence } = job;
  const options = { files, names: namesOf(job.file), schema };
  const replica = await replaySealed(options, { databaseId, until: log });
  if (typeof replica === 'string') return { is: 'different', why: replica };
  try {
    if (replica.sequence !== sequence) {
      const why = `the files hold ${replica.sequence} records, the database in use ${sequence}`;
      return { is: 'different', why };
    }
    await writeSnapshot(files, job.temporary, { pages: replica.exportPages(null), databaseId, log });
    return { is: 'built' };
  } finally {
    replica.sql.close();
  }
}
