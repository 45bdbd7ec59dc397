/** Samples that are not in memory any more: rows of the table `history`, an hour of a monitor each. */
import type { Category } from '../../engine/core/probe.ts';
import { aNumber, aText, orNull, parseJson, readList, tuple } from '../../engine/core/decode.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { SampleNote } from '../samples/sample.ts';
import type { HistoryKeeper, HourSpan, SampleArchive } from '../store/history.ts';
import type { MovedHour } from '../tables/retention/move.ts';
import { asciiJson } from './ascii-json.ts';
import { type DatabaseLink, LinkError, type Statement } from './link.ts';
import { isMissing, ledElsewhere, standsBy, writeFault } from './database.ts';
import { faultOf } from './faults.ts';
import type { Statements } from './statements.ts';

export interface HistoryTableOptions {
  /** Connects with the first statement. Not that of the log, which waits for nothing else. */
  readonly link: DatabaseLink;
  readonly statements: Statements;
  /** Of the lease; null: this process does not lead. */
  readonly epoch: () => number | null;
}

/** A month of a monitor is read in milliseconds. */
const deadlineMs = 10_000;

/** How many rows are deleted at once. */
const pruneRows = 2000;

export class HistoryTable implements SampleArchive {
  readonly keeper: HistoryKeeper;
  private readonly options: HistoryTableOptions;

  constructor(options: HistoryTableOptions) {
    this.options = options;
    this.keeper = {
      put: (moves) => this.put(moves),
      prune: (before) => this.prune(before),
    };
  }

  /** With the histograms, which nobody needs who has the samples. */
  async read({ key, from, to }: HourSpan): Promise<readonly MovedHour[]> {
    const { link, statements } = this.options;
    try {
      const rows = await link.run(statements.readHistory({ monitor: key, from, to }), deadlineMs);
      return rows.map((row) => ({
        key,
        hour: Number(row['hour']),
        block: (row['block'] ?? null) as Buffer | null,
        latencies: (row['rollup'] ?? null) as Buffer | null,
        remarks: remarksOf(row['remarks']),
      }));
    } catch (error) {
      if (isMissing(error)) return [];
      const { is, hint } = faultOf(error);
      throw new StatusdError('store_unusable', `older history cannot be read now: ${is}`, {
        hint,
        cause: error,
      });
    }
  }

  private async put(moves: Parameters<HistoryKeeper['put']>[0]): Promise<void> {
    const rows = moves.flatMap(({ hours }) =>
      hours.map(({ key, hour, block, latencies, remarks }) => ({
        monitor: key,
        hour,
        block: bytesOf(block),
        rollup: bytesOf(latencies),
        remarks: remarks.length === 0 ? null : textOf(remarks),
      })),
    );
    const [put] = await this.run(this.options.statements.putHistory(rows, emptyHoursOf(moves), this.epoch()));
    if (put?.['done'] !== true) throw ledElsewhere(null);
  }

  private async prune(before: ReadonlyMap<number, number>): Promise<void> {
    const kept = [...before].map(([monitor, to]) => ({ monitor, to }));
    if (kept.length === 0) return;
    for (let gone = pruneRows; gone >= pruneRows; ) {
      const statement = this.options.statements.pruneHistory(kept, pruneRows, this.epoch());
      const [row] = await this.run(statement);
      gone = Number(row?.['gone']);
    }
  }

  private epoch(): number {
    const epoch = this.options.epoch();
    if (epoch === null) throw standsBy();
    return epoch;
  }

  private async run(statement: Statement) {
    try {
      return await this.options.link.run(statement, deadlineMs);
    } catch (error) {
      throw error instanceof LinkError ? writeFault(error) : error;
    }
  }
}

/** In which there is nothing: what the table says of them is of a move that was not completed, or of a clock that was ahead. */
function emptyHoursOf(moves: Parameters<HistoryKeeper['put']>[0]) {
  return moves.flatMap(({ key, from, to, hours }) => {
    const full = new Set(hours.map(({ hour }) => hour));
    return Array.from({ length: to - from }, (_, index) => ({ monitor: key, hour: from + index })).filter(
      ({ hour }) => !full.has(hour),
    );
  });
}

/** The driver takes other views of bytes for a list of numbers. */
function bytesOf(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textOf(remarks: readonly SampleNote[]): string {
  return asciiJson(JSON.stringify(remarks.map(({ at, category, message }) => [at, category, message])));
}

const aRemark = tuple([aNumber, orNull(aText), orNull(aText)]);

function remarksOf(text: unknown): readonly SampleNote[] {
  if (typeof text !== 'string') return [];
  return readList(parseJson(text), aRemark).map(([at, category, message]) => ({
    at,
    category: category as Category | null,
    message,
  }));
}
