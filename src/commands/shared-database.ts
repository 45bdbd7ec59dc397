/** Connects commands to the database of `[storage]`. */
import { openSharedClient } from '../db/shared/client.ts';
import { type FilledWorld, fillWorld } from '../db/shared/fill.ts';
import { HistoryTable } from '../db/shared/history-table.ts';
import {
  type LoadedSharedDatabase,
  loadSharedDatabase,
  sharedDatabaseAt,
  type SharedDatabaseOptions,
  type SharedDatabase,
} from '../db/shared/database.ts';
import { type Survey, survey } from '../db/shared/survey.ts';
import type { Store } from '../db/store/store.ts';
import { restoreHours } from '../db/tables/retention/restore.ts';
import { schema } from '../db/tables/schema/schema.ts';
import type { StorageSettings } from '../engine/config/config.ts';
import type { Clock } from '../engine/core/clock.ts';

/** Somebody waits at a terminal. */
const deadlineMs = 10_000;

function sharedPlace(
  storage: Pick<StorageSettings, 'url' | 'schema'>,
  clock: Clock,
): Omit<SharedDatabaseOptions, 'deadlineMs'> {
  return { url: storage.url.reveal(), space: storage.schema, schema, clock };
}

/** Throws `store_unusable`. */
export function openShared(
  storage: StorageSettings,
  role: 'reader' | 'writer',
  clock: Clock,
): Promise<Store> {
  return openSharedClient({ ...sharedPlace(storage, clock), role });
}

/** What is in it now, in memory, whose `sql` is to be closed. Throws `store_unusable`. */
export function loadShared(storage: StorageSettings, clock: Clock): Promise<LoadedSharedDatabase> {
  return loading(storage, clock, (_, world) => Promise.resolve(world));
}

/** The same with the samples that are in the table of history, and as a file would have them. */
export function loadWholeShared(storage: StorageSettings, clock: Clock): Promise<LoadedSharedDatabase> {
  return loading(storage, clock, async ({ link, statements }, world) => {
    const table = new HistoryTable({ link, statements, epoch: () => null });
    await restoreHours(world.replica.sql, (span) => table.read(span));
    return world;
  });
}

async function loading(
  storage: StorageSettings,
  clock: Clock,
  then: (place: SharedDatabase, world: LoadedSharedDatabase) => Promise<LoadedSharedDatabase>,
): Promise<LoadedSharedDatabase> {
  const options = { ...sharedPlace(storage, clock), deadlineMs };
  const place = sharedDatabaseAt(options);
  try {
    return await then(place, await loadSharedDatabase(place, options));
  } finally {
    await place.link.close();
  }
}

/**
 * Answers how long the snapshot is. Throws `store_unusable` when something is in it, `store_in_use` when a node leads, the
 * reason of the interrupt.
 */
export function fillShared(
  storage: StorageSettings,
  filledWorld: FilledWorld,
  clock: Clock,
): Promise<number> {
  return fillWorld(sharedPlace(storage, clock), filledWorld);
}

/** Throws `store_unusable`. */
export function surveyShared(storage: StorageSettings, clock: Clock): Promise<Survey> {
  return survey(sharedPlace(storage, clock));
}
