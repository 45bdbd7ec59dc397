/** Keeps the shared log short: has a snapshot made when the log has grown enough. */
import type { Clock } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Parts } from '../store/session.ts';
import type { BuildShared } from './build.ts';
import { sharedDatabaseAt, type SharedDatabaseOptions } from './database.ts';
import { urlNow } from './link.ts';
import { memorySaved, type SharedWriter } from './writer.ts';

export interface SnapshotKeeperOptions extends Omit<SharedDatabaseOptions, 'deadlineMs'> {
  readonly clock: Clock;
  readonly parts: Parts<SharedWriter>;
  /** Makes a snapshot, away from this thread. */
  readonly build: BuildShared;
  readonly onWarning: (message: string) => void;
}

/** A node that starts reads so much of the log at most: a hundred thousand samples, which take it a second. */
const afterCharacters = 4 * 1024 * 1024;
const hourMs = 3_600_000;
/** How long after an hour its samples are packed; as rows they are ten times the pages, and every one is new. */
const packedAfterMs = 20 * 60_000;
const retryAfterMs = 60_000;
const deadlineMs = 30_000;

export class SnapshotKeeper {
  private readonly options: SnapshotKeeperOptions;
  /** How many characters had been appended when the last snapshot was begun. */
  private kept = 0;
  private dueMs: number;
  /** Not before, since the last one failed. */
  private retryMs = -Infinity;
  private running: Promise<void> | null = null;

  constructor(options: SnapshotKeeperOptions) {
    this.options = options;
    this.dueMs = this.nextDueMs();
  }

  get isDue(): boolean {
    const { clock, parts } = this.options;
    const nowMs = clock.monotonic();
    if (this.running !== null || nowMs < this.retryMs) return false;
    const characters = parts.log.appended - this.kept;
    return (
      parts.committer.isMemoryAhead ||
      characters >= afterCharacters ||
      (characters > 0 && nowMs >= this.dueMs)
    );
  }

  /** When an hour's samples are packed the next time, a quarter of an hour from now at least, on the monotonic clock. */
  private nextDueMs(): number {
    const { clock } = this.options;
    const packedMs = (clock.now() + hourMs - packedAfterMs) % hourMs;
    const untilMs = hourMs - packedMs;
    return clock.monotonic() + (untilMs < hourMs / 4 ? untilMs + hourMs : untilMs);
  }

  /** One at a time. What goes wrong is a warning, too, and it is tried again. */
  keep(epoch: number): Promise<void> {
    this.running ??= this.make(epoch).finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async make(epoch: number): Promise<void> {
    const { build, url, space, onWarning, parts } = this.options;
    const { appended } = parts.log;
    try {
      if (parts.committer.isMemoryAhead) await this.saveMemory(epoch);
      else {
        const result = await build({ url: urlNow(url), space, epoch });
        if (result.is !== 'built') throw new Error(result.why);
      }
      this.kept = appended;
      this.dueMs = this.nextDueMs();
    } catch (error) {
      this.retryMs = this.options.clock.monotonic() + retryAfterMs;
      onWarning(`no snapshot was made: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  }

  /** After an outage of the server memory holds what was too much to write down one by one: others get it from here. */
  private async saveMemory(epoch: number): Promise<void> {
    const { committer, replica, applier, queue, log } = this.options.parts;
    // On a connection of its own: the log does not wait for it.
    const { link, snapshots } = sharedDatabaseAt({ ...this.options, deadlineMs });
    try {
      const cut = await committer.exclusive(() => {
        committer.isMemoryAhead = false;
        applier.applyLate();
        const pages = replica.exportPages(queue.closeApplied());
        return Promise.resolve({ bytes: Buffer.from(pages), seq: log.end.seq });
      });
      if ((await snapshots.save(cut, epoch)) === null)
        throw new StatusdError('store_in_use', 'another node leads');
      await committer.write(memorySaved, { mustBeDurable: true });
    } catch (error) {
      committer.isMemoryAhead = true;
      throw error;
    } finally {
      await link.close();
    }
  }
}
