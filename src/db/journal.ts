/** Brings changes to the disk: several share one write and one sync, and a failing disk stops nothing but promises. */
import type { Clock } from '../engine/core/clock.ts';
import { StatusdError } from '../engine/core/errors.ts';
import { writeFault } from './files/faults.ts';
import type { Ledger } from './ledger.ts';
import { encodeFrame } from './log/frame.ts';
import type { Tail } from './log/tail.ts';
import type { Json, Operation } from './operation.ts';
import type { Entry, Queue } from './queue.ts';

/** Why nothing can be made durable at the moment. */
export interface Trouble {
  readonly error: StatusdError;
  /** Epoch ms. */
  readonly since: number;
}

export interface JournalOptions {
  readonly tail: Tail;
  readonly queue: Queue;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Keeps what the disk refuses, and tries again by itself. */
  readonly isPersistent: boolean;
  /** Makes log `number`, empty, durably. */
  readonly makeLog: (number: number) => Promise<void>;
  /** Everything anew from the files; answers the new tail. */
  readonly reload: () => Promise<Tail>;
  readonly onTrouble: (trouble: Trouble | null) => void;
}

const samplesDelayMs = 500;
/** Samples that fill this much do not wait for more. */
const samplesCharacters = 64 * 1024;
const batchCharacters = 1024 * 1024;
/** Writes that are cut short, or that come after a seal, before the disk is called failing. */
const appendAttempts = 4;
const backoffMs = { first: 250, most: 5000 };

export class Journal {
  tail: Tail;
  trouble: Trouble | null = null;
  /** The disk holds less than memory, or not surely: the next checkpoint is to be made of memory. */
  isMemoryAhead = false;
  private readonly options: JournalOptions;
  private readonly stopping = new AbortController();
  private turn: Promise<unknown> = Promise.resolve();
  private isCommitting = false;
  private isTimerSet = false;
  /** Since a sync failed, the current log may not hold what was written to it. */
  private isSuspect = false;

  constructor(options: JournalOptions) {
    this.options = options;
    this.tail = options.tail;
  }

  /** One transaction; resolves with what its operations answered once it is durable. */
  write(operations: readonly Operation[], mustBeDurable: boolean): Promise<readonly Json[]> {
    const { queue } = this.options;
    return new Promise((resolve, reject) => {
      const refusal = this.refusal(mustBeDurable);
      if (refusal !== null) {
        reject(refusal);
        return;
      }
      const entry = queue.addTransaction(operations, mustBeDurable, { resolve, reject });
      if (this.trouble === null || !this.options.isPersistent) this.commitSoon();
      else this.keepInMemory([entry]);
    });
  }

  /** Samples: in memory at once, on the disk a little later, together. */
  record(operations: readonly Operation[]): void {
    const { queue, ledger } = this.options;
    const refusal = this.refusal(false);
    if (refusal !== null) throw refusal;
    queue.addSamples(operations);
    ledger.applyReady(this.trouble !== null);
    if (this.trouble !== null) this.shed();
    else if (this.isUrgent) this.commitSoon();
    else void this.commitLater();
  }

  /** Reads what other processes wrote. */
  async catchUp(): Promise<void> {
    await this.exclusive(async () => {
      try {
        await this.advance();
        if (!this.options.isPersistent) this.heal();
      } catch (error) {
        this.fail(error);
      }
    });
  }

  /** Runs `work` while nothing else touches the log. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  /**
   * Ends the current log and goes on to the next one, inside `exclusive`. The next one is there before the seal is,
   * so a crash in between leaves nothing to repair.
   */
  async rotate(): Promise<void> {
    const { number } = this.tail;
    // An earlier attempt may have come as far as the seal.
    await this.advance();
    if (this.tail.number > number) return;
    await this.options.makeLog(number + 1);
    for (let attempt = 1; attempt <= appendAttempts; attempt += 1) {
      const seal = { kind: 'seal', writer: this.options.queue.writer, counter: 0, payload: '' } as const;
      await this.tail.append(encodeFrame(seal, this.tail.seed));
      await this.advance();
      if (this.tail.number > number) return;
      // Of a log that was cut off behind our back nothing can be read at the place where it ended.
      if (!this.isSuspect) continue;
      this.tail.endHere();
      await this.advance();
      return;
    }
    throw cutShort();
  }

  /** The current log has lost bytes or its name, or cannot be trusted to keep what it was given. */
  suspect(error: unknown): void {
    this.isSuspect = true;
    this.fail(error);
  }

  /** Writes what waits, as far as the disk lets it. */
  async flush(): Promise<void> {
    if (this.trouble === null) await this.commit();
    else await this.recover();
  }

  /** Ends for good, for a reason that whoever asks is told. */
  async abandon(error: StatusdError): Promise<void> {
    this.fail(error);
    await this.close();
  }

  async close(): Promise<void> {
    this.stopping.abort(new Error('the store is closed'));
    await this.exclusive(() => this.tail.close());
  }

  private refusal(mustBeDurable: boolean): StatusdError | null {
    if (this.stopping.signal.aborted) return this.trouble?.error ?? closed();
    return mustBeDurable && this.options.isPersistent ? (this.trouble?.error ?? null) : null;
  }

  /** Whether nothing is tried before the disk recovers. */
  private get isWaiting(): boolean {
    return this.trouble !== null && this.options.isPersistent;
  }

  /** Samples alone wait for their timer. */
  private get isUrgent(): boolean {
    const { queue } = this.options;
    return queue.hasTransaction || queue.size > samplesCharacters;
  }

  /** Everything asked for before the current turn of the event loop ends shares one write. */
  private commitSoon(): void {
    if (!this.isCommitting) void this.commit();
  }

  private async commitLater(): Promise<void> {
    if (this.isTimerSet) return;
    this.isTimerSet = true;
    await this.options.clock.sleep(samplesDelayMs, this.stopping.signal).catch(() => undefined);
    this.isTimerSet = false;
    if (!this.stopping.signal.aborted && this.trouble === null) this.commitSoon();
  }

  private async commit(): Promise<void> {
    const { queue } = this.options;
    this.isCommitting = true;
    try {
      do {
        await this.exclusive(async () => {
          const batch = queue.take(batchCharacters);
          if (batch.length === 0 || this.isWaiting) return;
          try {
            await this.persist(batch);
            this.settle(batch);
          } catch (error) {
            this.fail(error);
          }
        });
      } while (this.isUrgent && !this.isWaiting);
    } finally {
      this.isCommitting = false;
    }
  }

  /** Durable, all of `batch`, when it resolves. */
  private async persist(batch: readonly Entry[]): Promise<void> {
    const { queue } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      const waiting = batch.filter(({ state }) => state === 'waiting');
      if (attempt > appendAttempts) throw cutShort();
      const bytes = queue.encode(waiting, this.tail.seed);
      if (bytes.length > 0) await this.tail.append(bytes);
      // What the disk is doing and what the processor is doing need not wait for each other.
      const syncing = this.sync();
      const advancing = this.advance();
      await Promise.allSettled([syncing, advancing]);
      await syncing;
      await advancing;
      for (const entry of batch) if (entry.state === 'logged') entry.state = 'durable';
      if (batch.every(({ state }) => state === 'durable')) return;
    }
  }

  private async sync(): Promise<void> {
    try {
      await this.tail.sync();
    } catch (error) {
      // The kernel may have dropped the pages it could not write, and tells of it only once.
      this.isSuspect = true;
      throw error;
    }
  }

  private async advance(): Promise<void> {
    const { ledger } = this.options;
    if ((await this.tail.advance(ledger, this.isSuspect)) === 'superseded')
      this.tail = await this.options.reload();
    ledger.applyReady(false);
  }

  private settle(entries: readonly Entry[]): void {
    this.options.queue.remove(entries);
    for (const entry of entries) answer(entry);
  }

  /** From now on promises are refused, and what needs none goes on in memory. */
  private fail(error: unknown): void {
    const { queue, clock, isPersistent } = this.options;
    const fault = writeFault(error, this.tail.path);
    this.settle(queue.all().filter(({ state }) => state === 'durable'));
    for (const entry of queue.all()) {
      if (isPersistent && !entry.mustBeDurable) continue;
      entry.settle?.reject(fault);
      entry.settle = null;
    }
    const isNew = this.trouble === null;
    this.trouble = { error: fault, since: this.trouble?.since ?? clock.now() };
    if (!isPersistent) {
      queue.remove(queue.all());
      this.isSuspect = false;
      this.options.onTrouble(this.trouble);
      return;
    }
    // What others can see in the log already is to be made durable with the rest, although nobody waits for it.
    queue.remove(queue.all().filter((entry) => entry.mustBeDurable && entry.outcome === null));
    this.keepInMemory(queue.all());
    this.options.onTrouble(this.trouble);
    if (isNew) void this.keepTrying();
  }

  private heal(): void {
    if (this.trouble === null) return;
    this.trouble = null;
    this.options.onTrouble(null);
  }

  private keepInMemory(entries: readonly Entry[]): void {
    this.options.ledger.applyReady(true);
    for (const entry of entries) answer(entry);
    this.shed();
  }

  private shed(): void {
    if (this.options.queue.shed()) this.isMemoryAhead = true;
  }

  private async keepTrying(): Promise<void> {
    const { clock } = this.options;
    let waitMs = backoffMs.first;
    while (this.trouble !== null) {
      await clock.sleep(waitMs, this.stopping.signal).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      await this.recover().catch((error: unknown) => {
        if (this.trouble !== null)
          this.trouble = { ...this.trouble, error: writeFault(error, this.tail.path) };
      });
      waitMs = Math.min(waitMs * 2, backoffMs.most);
    }
  }

  /** Writes everything that waits; a record without operations proves that the disk takes something. */
  private async recover(): Promise<void> {
    const { queue } = this.options;
    await this.exclusive(async () => {
      if (this.trouble === null) return;
      const { since } = this.trouble;
      if (queue.isEmpty) queue.addSamples([]);
      try {
        if (this.isSuspect) await this.leaveSuspect();
        await this.advance();
        while (!queue.isEmpty) {
          const batch = queue.take(batchCharacters);
          await this.persist(batch);
          this.settle(batch);
        }
        this.trouble = null;
      } catch (error) {
        this.trouble = { since, error: writeFault(error, this.tail.path) };
      }
      this.options.onTrouble(this.trouble);
    });
  }

  /** Writes again, into a new log, everything that is not known to be safe in the old one. */
  private async leaveSuspect(): Promise<void> {
    await this.rotate();
    for (const entry of this.options.queue.all()) entry.state = 'waiting';
    this.isMemoryAhead = true;
    this.isSuspect = false;
  }
}

function closed(): StatusdError {
  return new StatusdError('store_failing', 'the database is closed');
}

function cutShort(): Error {
  return Object.assign(new Error('writes are cut short'), { code: 'EIO' });
}

/** Tells whoever waits for `entry` what it did. */
function answer(entry: Entry): void {
  const { outcome, settle } = entry;
  entry.settle = null;
  if (settle === null || outcome === null) return;
  if ('error' in outcome) settle.reject(outcome.error);
  else settle.resolve(outcome.results);
}
