/** Fills a world that nothing was ever written to. */
import { StatusdError } from '../../engine/core/errors.ts';
import { makePlace, openFault, placeAt, type PlaceOptions, readStanding } from './place.ts';

export interface FilledWorld {
  /** A plain SQLite file. */
  readonly bytes: Buffer;
  readonly databaseId: string;
}

const deadlineMs = 30_000;

/** A large database on a slow line takes minutes; nobody else is to begin meanwhile. */
const leaseMs = 3_600_000;

/** Throws `store_unusable` when something is in it, `store_in_use` when a node leads. */
export async function fillWorld(
  options: Omit<PlaceOptions, 'deadlineMs'>,
  { bytes, databaseId }: FilledWorld,
): Promise<void> {
  const place = placeAt({ ...options, deadlineMs });
  const { link, statements, snapshots } = place;
  try {
    await makePlace(place, deadlineMs, databaseId);
    const { seq, leader } = await readStanding(place, { ...options, deadlineMs });
    if (leader !== null)
      throw new StatusdError('store_in_use', `${leader} leads the nodes that use the database of [storage]`, {
        hint: 'Stop all nodes first.',
      });
    if (seq > 0 || (await link.run(statements.snapshots, deadlineMs)).length > 0)
      throw new StatusdError(
        'store_unusable',
        `the schema ${options.space} of [storage] holds a history already`,
        { hint: 'Name another one in storage.schema, or drop it: DROP SCHEMA … CASCADE.' },
      );
    const [taken] = await link.run(statements.take('migrate', leaseMs), deadlineMs);
    const epoch = Number(taken?.['epoch']);
    const kept = taken === undefined ? null : await snapshots.save({ seq: 0, bytes }, epoch);
    if (kept === null) throw new StatusdError('store_in_use', 'a node began to lead meanwhile');
    await link.run(statements.release(epoch), deadlineMs);
  } catch (error) {
    throw openFault(error);
  } finally {
    await link.close();
  }
}
