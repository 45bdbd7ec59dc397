/** Reads the records of one log in order, skipping torn and damaged ones. */
import type { OpenFile } from '../store/files/files.ts';
import type { Operation } from '../store/operation.ts';
import { findFrame, looksCutOff, type WalFrame } from './frame.ts';

export interface WalRecord {
  /** `transaction`: all operations or none. `samples`: each operation on its own. */
  readonly kind: 'transaction' | 'samples';
  readonly writer: string;
  readonly counter: number;
  readonly operations: readonly Operation[];
}

/** Bytes of the log that are no record. */
export interface WalGap {
  readonly from: number;
  readonly to: number;
  /** True when it looks like a write that was cut off, which was never acknowledged. */
  readonly isCutOff: boolean;
}

export interface Chunk {
  readonly records: readonly WalRecord[];
  /** The log ends here: what follows the seal is void. */
  readonly isSealed: boolean;
  /** Nothing more to read for now. */
  readonly isEnd: boolean;
}

const usualBytes = 32 * 1024;

export class WalReader {
  readonly file: OpenFile;
  /** Where the first record begins: what comes before it was on the disk before the log had its name. */
  readonly begin: number;
  /** Where the next record begins. */
  offset: number;
  /** What is behind `offset` and not (yet) a record, as of the last read. */
  leftOver: WalGap | null = null;
  readonly gaps: WalGap[] = [];
  private readonly seed: number;
  private buffer = Buffer.allocUnsafe(usualBytes);
  private brokenAt: number | null = null;

  constructor(file: OpenFile, seed: number, offset: number) {
    this.file = file;
    this.seed = seed;
    this.begin = offset;
    this.offset = offset;
  }

  /** The records from `offset` on that one buffer holds. */
  async read(): Promise<Chunk> {
    const length = await this.file.read(this.buffer, this.offset);
    const bytes = this.buffer.subarray(0, length);
    const isFull = length === this.buffer.length;
    const records: WalRecord[] = [];
    let at = 0;
    const chunk = (isSealed: boolean, isEnd: boolean): Chunk => {
      this.offset += at;
      this.leftOver = isSealed || at === length ? null : this.gap(bytes.subarray(at), this.offset);
      return { records, isSealed, isEnd: isEnd || isSealed };
    };
    for (;;) {
      if (at === length) return chunk(false, !isFull);
      const found = findFrame(bytes, at, this.seed);
      switch (found.is) {
        case 'frame':
          at = found.end;
          if (found.frame.kind === 'seal') return chunk(true, true);
          if (found.frame.kind !== 'header') records.push(recordOf(found.frame, found.frame.kind));
          break;
        case 'gap':
          // A reader may have met a write half way, and the next one whole: look again before giving it up.
          if (this.brokenAt !== this.offset + at) {
            this.brokenAt = this.offset + at;
            return chunk(false, false);
          }
          this.gaps.push(this.gap(bytes.subarray(at, found.end), this.offset + at));
          at = found.end;
          break;
        case 'incomplete':
          if (isFull && at === 0) this.buffer = Buffer.allocUnsafe(this.buffer.length * 2);
          return chunk(false, !isFull);
      }
    }
  }

  /** Goes on behind `bytes` that need not be read. */
  passOver(bytes: number): void {
    this.offset += bytes;
  }

  private gap(bytes: Buffer, from: number): WalGap {
    return { from, to: from + bytes.length, isCutOff: looksCutOff(bytes, this.seed) };
  }
}

/** The process that wrote it knows its operations, and needs to read only whose it is. */
function recordOf({ writer, counter, payload }: WalFrame, kind: WalRecord['kind']): WalRecord {
  let operations: readonly Operation[] | null = null;
  return {
    kind,
    writer,
    counter,
    get operations() {
      return (operations ??= JSON.parse(payload) as readonly Operation[]);
    },
  };
}
