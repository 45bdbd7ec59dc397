/** Fills a new, empty shared database. */
import { callAfter, type Clock } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Replica } from '../store/replica.ts';
import { type MovePlanOptions, planMoves } from '../tables/retention/move.ts';
import { planWeeks } from '../tables/retention/weeks.ts';
import { HistoryTable } from './history-table.ts';
import { shrink } from './snapshots.ts';
import {
  createSharedDatabase,
  openFault,
  sharedDatabaseAt,
  type SharedDatabaseOptions,
  readStanding,
} from './database.ts';

export interface FilledWorld {
  /** The database in memory, out of which what belongs into the table of history is moved. */
  readonly replica: Replica;
  /** The first hour (since the epoch) whose samples stay in memory, and the hours that figures need beyond it. */
  readonly before: number;
  readonly keptHoursOf: MovePlanOptions['keptHoursOf'];
  /** Ends the work between two statements; the lease is given back. */
  readonly interrupt: AbortSignal;
  /** Hears of each step: how many monitors have their history in the table, how much of the snapshot is sent. */
  readonly onProgress: (progress: FillProgress) => void;
}

export interface FillProgress {
  readonly of: 'monitors' | 'MiB';
  readonly done: number;
  readonly total: number;
}

/** How much is moved with one statement, in turns of a few milliseconds. */
const step = { hours: 500, monitors: 200 } as const;

const deadlineMs = 30_000;

/** The name under which it holds the lease. */
const holder = 'migrate';

/**
 * A large database on a slow line takes minutes, and nobody else is to begin meanwhile. One that was killed holds up the
 * next for so long; a single step on a slow line may take as long as its deadline.
 */
const leaseMs = 120_000;

const renewEveryMs = 15_000;

const mebibyte = 1_048_576;

/**
 * Answers how long the snapshot is. Throws `store_unusable` when something is in it, `store_in_use` when a node leads, the
 * reason of the interrupt.
 */
export async function fillWorld(
  options: Omit<SharedDatabaseOptions, 'deadlineMs'>,
  world: FilledWorld,
): Promise<number> {
  const place = sharedDatabaseAt({ ...options, deadlineMs });
  const { link, statements } = place;
  try {
    await createSharedDatabase(place, deadlineMs, world.replica.databaseId);
    const { seq, leader, renewed } = await readStanding(place, { ...options, deadlineMs });
    if (leader === holder)
      throw new StatusdError(
        'store_in_use',
        'another statusd migrate is at work on the database of [storage]',
        {
          hint: 'Wait for it. If it was killed, try again in 2 minutes.',
        },
      );
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
    const [taken] = await link.run(statements.take(holder, leaseMs, renewed), deadlineMs);
    if (taken === undefined) throw new StatusdError('store_in_use', 'a node began to lead meanwhile');
    return await whileHeld(place, { epoch: Number(taken['epoch']), clock: options.clock }, (epoch) =>
      fill(place, epoch, world),
    );
  } catch (error) {
    throw openFault(error);
  } finally {
    await link.close();
  }
}

type FillTarget = ReturnType<typeof sharedDatabaseAt>;

/** Writes all of it; answers how long the snapshot is. */
async function fill(
  { link, statements, snapshots }: FillTarget,
  epoch: number,
  { replica, before, keptHoursOf, interrupt, onProgress }: FilledWorld,
): Promise<number> {
  const { keeper } = new HistoryTable({ link, statements, epoch: () => epoch });
  const moved = new Set<number>();
  const total =
    replica.sql.get('SELECT count(*) AS count FROM monitors', [], (row) => row.number('count')) ?? 0;
  for (;;) {
    interrupt.throwIfAborted();
    const moves = planMoves(replica.sql, { before, keptHoursOf, ...step });
    if (moves.length === 0) break;
    await keeper.put(moves);
    const outcome = replica.apply(
      'transaction',
      moves.map(({ operation }) => operation),
    );
    if ('error' in outcome) throw outcome.error;
    for (const { key } of moves) moved.add(key);
    onProgress({ of: 'monitors', done: moved.size, total });
  }
  for (const operation of planWeeks(replica.sql, before)) {
    interrupt.throwIfAborted();
    replica.apply('transaction', [operation]);
  }
  shrink(replica.sql);
  const bytes = Buffer.from(replica.exportPages(null));
  const onChunks = (sent: number) => {
    interrupt.throwIfAborted();
    onProgress({ of: 'MiB', done: Math.round(sent / mebibyte), total: Math.round(bytes.length / mebibyte) });
  };
  if ((await snapshots.save({ seq: 0, bytes }, epoch, onChunks)) === null)
    throw new StatusdError('store_in_use', 'a node began to lead meanwhile');
  return bytes.length;
}

/** Renews the lease while `work` lasts, and gives it back however that ends. What it writes carries the epoch. */
async function whileHeld<Result>(
  { link, statements }: FillTarget,
  { epoch, clock }: { readonly epoch: number; readonly clock: Clock },
  work: (epoch: number) => Promise<Result>,
): Promise<Result> {
  let callOff: () => void = () => undefined;
  let isDone = false;
  const renewLater = () => {
    if (isDone) return;
    callOff = callAfter(clock, renewEveryMs, () => {
      // In vain: the next write finds out who leads.
      void link
        .run(statements.renew(epoch, leaseMs), deadlineMs)
        .catch(() => undefined)
        .then(renewLater);
    });
  };
  renewLater();
  try {
    return await work(epoch);
  } finally {
    isDone = true;
    callOff();
    // In vain: the lease runs out.
    await link.run(statements.release(epoch), deadlineMs).catch(() => undefined);
  }
}
