/** The periodic work of a daemon's store: reading others' writes, renewing its lock, starting checkpoints. */
import { onAbort } from '../../engine/core/abort.ts';
import { type Clock, untilBeat } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Checkpointer } from '../wal/checkpoint/checkpointer.ts';
import { reasonOf } from './files/faults.ts';
import type { FolderNews } from './folder-news.ts';
import type { WalCommitter } from '../wal/committer.ts';
import type { WalWriter } from '../wal/writer.ts';
import type { DatabaseLock } from './lock/lock.ts';
import type { Replica } from './replica.ts';

export interface WatchOptions {
  readonly clock: Clock;
  readonly committer: WalCommitter;
  readonly log: WalWriter;
  readonly replica: Replica;
  readonly lock: DatabaseLock;
  readonly news: FolderNews;
  readonly checkpointer: Checkpointer;
  readonly signal: AbortSignal;
  readonly onWarning: (message: string) => void;
}

/** How often it looks while something happens: each look takes two threads. */
const lookMs = 500;

/** How often it looks even without news: a checkpoint may be due, or the folder may have been replaced. */
const listenMs = 5000;

/**
 * A checkpoint is due when the log has a 32nd of the database's bytes, within these bounds: it writes the whole database, and
 * the next process that opens the database applies the log, which takes a second for 130,000 samples, or 6 MiB.
 */
const checkpointBytes = { least: 2 * 1024 * 1024, most: 4 * 1024 * 1024, share: 1 / 32 } as const;
const checkpointEveryMs = 3_600_000;
const checkpointRetryMs = 60_000;

/** Watches until the signal is aborted (`stopped`) or another daemon has taken the lock (`lost`). */
export async function watch(options: WatchOptions): Promise<'stopped' | 'lost'> {
  const { news } = options;
  try {
    return await lookOn(options);
  } finally {
    news.stop();
  }
}

async function lookOn(options: WatchOptions): Promise<'stopped' | 'lost'> {
  const { clock, committer, log, lock, news, signal } = options;
  const isDue = checkpointSchedule(options);
  let isInOrder = false;
  let listenedMs = -Infinity;
  onAbort(signal, () => {
    news.stop();
  });
  // It may be aborted while it looks.
  while (!signal.aborted) {
    const isIdle = isInOrder && committer.trouble === null;
    if (!isIdle || (await news.comesWithin(clock, untilBeat(clock.monotonic(), listenMs)))) {
      try {
        await clock.sleep(untilBeat(clock.monotonic(), lookMs), signal);
      } catch {
        return 'stopped';
      }
    }
    // What happens after the look is to be heard.
    news.forget();
    if (clock.monotonic() - listenedMs >= listenMs - lookMs) {
      await news.listen();
      listenedMs = clock.monotonic();
    }
    const [isHeld, seen] = await Promise.all([
      // A disk that does not answer says nothing about the lock.
      lock.renew().catch(() => null),
      committer.exclusive(() => log.tail.look()).catch(() => 'more' as const),
    ]);
    if (isHeld === false) return 'lost';
    isInOrder = isHeld === true && seen === 'same';
    if (seen !== 'same') await followLog(options, seen);
    if (await isDue()) void checkpoint(options);
  }
  return 'stopped';
}

async function followLog({ committer, log }: WatchOptions, seen: 'more' | 'lost'): Promise<void> {
  if (seen === 'lost' && committer.trouble === null) {
    const hint = 'Nothing is lost as long as statusd runs; it makes new files.';
    const message = `${log.tail.path} was removed or cut off by another program`;
    committer.suspect(new StatusdError('store_failing', message, { hint }));
  }
  await committer.catchUp();
}

function checkpointSchedule({
  clock,
  committer,
  log,
  replica,
  checkpointer,
}: WatchOptions): () => Promise<boolean> {
  let dueAt = clock.monotonic() + checkpointEveryMs;
  return async () => {
    const now = clock.monotonic();
    if (committer.trouble !== null || checkpointer.isRunning || now < checkpointer.retryAt) return false;
    if (committer.isMemoryAhead) return true;
    const isOverdue = now >= dueAt && replica.sequence !== checkpointer.sequence;
    if (!isOverdue && !(await isLong(log.tail.offset, checkpointer))) return false;
    dueAt = now + checkpointEveryMs;
    return true;
  };
}

/** Whether a log of so many bytes is enough for a checkpoint. */
async function isLong(logBytes: number, checkpointer: Checkpointer): Promise<boolean> {
  const { least, most, share } = checkpointBytes;
  if (logBytes < least || logBytes >= most) return logBytes >= most;
  return logBytes >= share * (await checkpointer.snapshotBytes());
}

async function checkpoint({ clock, checkpointer, onWarning }: WatchOptions): Promise<void> {
  try {
    await checkpointer.run('files');
  } catch (error) {
    checkpointer.retryAt = clock.monotonic() + checkpointRetryMs;
    onWarning(`no checkpoint was made: ${reasonOf(error)}`);
  }
}
