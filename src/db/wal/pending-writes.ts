/** The changes of this process that are not yet safe on the disk, in the order in which they were made. */
import { maxPayloadBytes } from './frame.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Json, Operation } from '../store/operation.ts';
import type { RecordOutcome } from '../store/replica.ts';

export interface Settle {
  readonly resolve: (results: readonly Json[]) => void;
  readonly reject: (error: unknown) => void;
}

/** One record of this process on its way to the disk. */
export interface PendingEntry {
  readonly kind: 'transaction' | 'samples';
  readonly counter: number;
  /** As they read back from JSON, which is how every other process will see them. */
  readonly operations: Operation[];
  /** Their JSON texts, and how long those are. */
  readonly texts: string[];
  characters: number;
  /** Rejects rather than waits for a failing disk. */
  readonly mustBeDurable: boolean;
  settle: Settle | null;
  /** Samples that a caller waits for: what `settle` settles, for all who do. */
  readonly settled: Promise<readonly Json[]> | null;
  /** Samples: how many operations are in memory, or will be before anything is read. What a caller waits for has its outcome. */
  appliedCount: number;
  outcome: RecordOutcome | null;
  /** `logged`: seen in the log. Once durable it leaves the queue. */
  state: 'waiting' | 'logged' | 'durable';
  /** A write has it on its way to the disk, and brings it into the log if it returns. */
  isBeingWritten: boolean;
  /** No further samples may join it: its bytes have been written. */
  isClosed: boolean;
}

/** A record as it is written; `payload` is the JSON of its operations. */
export interface EncodedRecord {
  readonly kind: PendingEntry['kind'];
  readonly writer: string;
  readonly counter: number;
  readonly payload: string;
}

/** Samples beyond this begin a record of their own. */
const fullRecord = 64 * 1024;

/** How many that a caller waits for are written together at most: they are applied in one turn, and answered in one. */
const mostWaited = 256;

/** Beyond this the oldest samples are let go: they stay in memory, and a later checkpoint writes them. */
const maxWaiting = { entries: 100_000, characters: 16 * 1024 * 1024 };

export class PendingWrites {
  readonly writer: string;
  /** The disk holds less than memory, or not surely. */
  isMemoryAhead = false;
  private entries: PendingEntry[] = [];
  private byCounter = new Map<number, PendingEntry>();
  private lastCounter = 0;
  private characters = 0;
  private urgent = 0;

  /** `writer`: 16 hexadecimal digits nobody else has. */
  constructor(writer: string) {
    this.writer = writer;
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** Characters of JSON that wait. */
  get size(): number {
    return this.characters;
  }

  /** Whether anything waits that is not to wait for more. */
  get hasUrgent(): boolean {
    return this.urgent > 0;
  }

  all(): readonly PendingEntry[] {
    return this.entries;
  }

  find(counter: number): PendingEntry | null {
    return this.byCounter.get(counter) ?? null;
  }

  addTransaction(operations: readonly Operation[], mustBeDurable: boolean, settle: Settle): PendingEntry {
    return this.push({ ...this.blank('transaction', operations), mustBeDurable, settle });
  }

  /** Samples join the entry before them while its bytes are not written. Answers them as they will be read. */
  addSamples(operations: readonly Operation[]): readonly Operation[] {
    const open = this.openSamples(false);
    return open === null
      ? this.push(this.blank('samples', operations)).operations.slice()
      : this.join(open, operations);
  }

  /** The same for samples that a caller waits for: resolves once they are durable, and in memory for whoever reads. */
  addWaitedSamples(operations: readonly Operation[]): Promise<readonly Json[]> {
    const open = this.openSamples(true);
    if (open !== null && open.settled !== null) {
      this.join(open, operations);
      return open.settled;
    }
    let settle: Settle | null = null;
    const settled = new Promise<readonly Json[]>((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.push({ ...this.blank('samples', operations), mustBeDurable: true, settle, settled });
    return settled;
  }

  /** Up to `maxCharacters` of the oldest entries, which from now on do not change. At least one. */
  take(maxCharacters: number): readonly PendingEntry[] {
    const batch: PendingEntry[] = [];
    let characters = 0;
    let waited = 0;
    for (const entry of this.entries) {
      characters += entry.characters;
      if (entry.settled !== null) waited += entry.operations.length;
      if (batch.length > 0 && (characters > maxCharacters || waited > mostWaited)) break;
      entry.isClosed = true;
      batch.push(entry);
    }
    return batch;
  }

  encode(entries: readonly PendingEntry[]): readonly EncodedRecord[] {
    return entries.map(({ kind, counter, texts }) => ({
      kind,
      writer: this.writer,
      counter,
      payload: `[${texts.join(',')}]`,
    }));
  }

  remove(gone: readonly PendingEntry[]): void {
    const leaving = new Set(gone);
    this.entries = this.entries.filter((entry) => !leaving.has(entry));
    for (const { kind, mustBeDurable, counter, characters } of gone) {
      // A disk that hangs may bring back what was given up long ago.
      if (!this.byCounter.delete(counter)) continue;
      if (kind === 'transaction' || mustBeDurable) this.urgent -= 1;
      this.characters -= characters;
    }
  }

  /** What was in the log may be lost: all of it is to be written again. */
  distrustLog(): void {
    for (const entry of this.entries) entry.state = 'waiting';
    this.isMemoryAhead = true;
  }

  /** Lets the oldest samples go, then the oldest of all, while there are too many. */
  shed(): void {
    const isOver = () => this.entries.length > maxWaiting.entries || this.characters > maxWaiting.characters;
    for (const kind of ['samples', 'transaction'] as const) {
      for (const entry of this.entries.filter(
        (waiting) => waiting.kind === kind && waiting.settle === null && !waiting.isBeingWritten,
      )) {
        if (!isOver()) return;
        this.remove([entry]);
        this.isMemoryAhead = true;
      }
    }
  }

  /**
   * The last record of this process that is in memory, the ones not in the log included. For an export: nothing
   * joins those records any more.
   */
  closeApplied(): { readonly writer: string; readonly counter: number } {
    for (const entry of this.entries) entry.isClosed = true;
    const unapplied = this.entries.find((entry) => !isApplied(entry));
    return {
      writer: this.writer,
      counter: unapplied === undefined ? this.lastCounter : unapplied.counter - 1,
    };
  }

  private openSamples(mustBeDurable: boolean): PendingEntry | null {
    const last = this.entries.at(-1);
    if (last?.kind !== 'samples' || last.mustBeDurable !== mustBeDurable) return null;
    if (mustBeDurable && last.operations.length >= mostWaited) return null;
    return last.isClosed || last.characters > fullRecord ? null : last;
  }

  private join(entry: PendingEntry, operations: readonly Operation[]): readonly Operation[] {
    const texts = operations.map((operation) => JSON.stringify(operation));
    const samples = asRead(operations, texts);
    entry.texts.push(...texts);
    entry.operations.push(...samples);
    const characters = lengthOf(texts);
    entry.characters += characters;
    this.characters += characters;
    return samples;
  }

  private push(entry: PendingEntry): PendingEntry {
    this.entries.push(entry);
    if (entry.kind === 'transaction' || entry.mustBeDurable) this.urgent += 1;
    this.byCounter.set(entry.counter, entry);
    this.characters += entry.characters;
    return entry;
  }

  private blank(kind: PendingEntry['kind'], operations: readonly Operation[]): PendingEntry {
    const texts = operations.map((operation) => JSON.stringify(operation));
    const characters = lengthOf(texts);
    // A character is at most three bytes of UTF-8.
    if (characters > maxPayloadBytes / 4) {
      throw new StatusdError('store_failing', 'a change is too large for the database');
    }
    this.lastCounter += 1;
    return {
      kind,
      counter: this.lastCounter,
      operations: asRead(operations, texts).slice(),
      texts,
      characters,
      mustBeDurable: false,
      settle: null,
      settled: null,
      appliedCount: 0,
      outcome: null,
      state: 'waiting',
      isBeingWritten: false,
      isClosed: false,
    };
  }
}

export function isApplied(entry: PendingEntry): boolean {
  return (
    entry.outcome !== null || (entry.kind === 'samples' && entry.appliedCount === entry.operations.length)
  );
}

/** Operations as they read back from their texts. Texts, whole numbers and flags come back as they are: samples are no more. */
function asRead(operations: readonly Operation[], texts: readonly string[]): readonly Operation[] {
  return operations.every((operation) => operation.every(isReadAsItIs))
    ? operations
    : texts.map((text) => JSON.parse(text) as Operation);
}

function isReadAsItIs(value: Json): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Object.is(value, -0);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 1, 0);
}
