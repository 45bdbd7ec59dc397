/** The log in the database server: appended to by every node, read by every node in one order without gaps. */
import { StatusdError } from '../../engine/core/errors.ts';
import type { Operation } from '../store/operation.ts';
import type { EncodedRecord } from '../wal/pending-writes.ts';
import type { WalRecord } from '../wal/reader.ts';
import { asciiJson } from './ascii-json.ts';
import { type DatabaseLink, EmptyPlace, LinkError } from './link.ts';
import type { Fence, Statements } from './statements.ts';

export interface LogRecord extends WalRecord {
  /** Counts from 1. */
  readonly seq: number;
}

/** How far the log was read. */
export interface LogPlace {
  /** Of the last record; 0: none was read. */
  readonly seq: number;
  /** By whom that one is; null: not known, as it came with a snapshot. */
  readonly last: RecordId | null;
}

type RecordId = Pick<WalRecord, 'writer' | 'counter'>;

/** What there is behind a place, and the place behind that. */
export interface LogPage {
  readonly records: readonly LogRecord[];
  readonly end: LogPlace;
}

export interface SharedLogOptions {
  readonly link: DatabaseLink;
  readonly statements: Statements;
  /** For each statement. */
  readonly deadlineMs: number;
}

const kindNumbers = { transaction: 2, samples: 3 } as const;

/** How many times an append is sent whose outcome is not known. */
const appendAttempts = 3;

/** How many records at most are read at once. */
const pageRecords = 1000;

export class SharedLog {
  private readonly options: SharedLogOptions;

  constructor(options: SharedLogOptions) {
    this.options = options;
  }

  /**
   * Appends records durably, all or none; answers the end of the log behind them. Null: nothing was appended, because
   * another node leads since, other versions share the tables, or the log ends before `known`. An append without an
   * answer is sent again: records have their writer and counter, so that what came twice is known. Rejects with LinkError;
   * `unknown`: the log will say.
   */
  async append(records: readonly EncodedRecord[], fence: Fence, known: number): Promise<number | null> {
    const { link, statements, deadlineMs } = this.options;
    const lines = records.map((record) => ({
      ...record,
      kind: kindNumbers[record.kind],
      payload: asciiJson(record.payload),
    }));
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [row] = await link.run(statements.append(lines, fence, known), deadlineMs);
        if (row !== undefined) return Number(row['seq']);
        await this.mustHavePlace();
        return null;
      } catch (error) {
        const isUnknown = error instanceof LinkError && error.outcome === 'unknown';
        if (!isUnknown || attempt === appendAttempts) throw error;
      }
    }
  }

  /**
   * The next records, in their order; none: there is none yet. Rejects with LinkError, and with `store_unusable` when
   * records are missing, or the log is not the one any more in which `place` is.
   */
  async readBehind(place: LogPlace): Promise<LogPage> {
    const { link, statements, deadlineMs } = this.options;
    const { seq, last } = place;
    const rows = await link.run(statements.read(seq, pageRecords), deadlineMs);
    const [first] = rows;
    const isThere = first !== undefined && Number(first['seq']) === seq;
    const found = isThere ? idOf(first) : last;
    // The record at a place is there, or there are later ones: a compaction never takes all.
    const isLost = first === undefined && last !== null;
    if (isLost || (last !== null && (found?.writer !== last.writer || found.counter !== last.counter))) {
      await this.mustHavePlace();
      throw wentBack();
    }
    const records = (isThere ? rows.slice(1) : rows).map((row, index): LogRecord => {
      const at = Number(row['seq']);
      if (at !== seq + 1 + index) throw missing(seq + 1 + index, at - 1);
      return {
        seq: at,
        kind: Number(row['kind']) === kindNumbers.samples ? 'samples' : 'transaction',
        ...idOf(row),
        operations: JSON.parse(String(row['payload'])) as readonly Operation[],
      };
    });
    const newest = records.at(-1);
    const end = newest === undefined ? { seq, last: found } : placeOf(newest);
    return { records, end };
  }

  /** While the tables are being restored nothing is known, neither who leads nor what is lost. Rejects with LinkError then. */
  private async mustHavePlace(): Promise<void> {
    const { link, statements, deadlineMs } = this.options;
    const rows = await link.run(statements.place, deadlineMs);
    if (rows.length === 0) throw new EmptyPlace();
  }
}

function idOf(row: Readonly<Record<string, unknown>>): RecordId {
  return { writer: String(row['writer']), counter: Number(row['counter']) };
}

function placeOf({ seq, writer, counter }: LogRecord): LogPlace {
  return { seq, last: { writer, counter } };
}

const earlierState = 'the shared log went back to an earlier state';

/** Whether changes are lost because of it. */
export function isWentBack(error: unknown): error is StatusdError {
  return error instanceof StatusdError && error.message === earlierState;
}

/** After a failover to a server that had not all of it, or after a restore. */
export function wentBack(): StatusdError {
  return new StatusdError('store_unusable', earlierState, {
    hint: 'This node continues from that state. Changes that had not reached the new server, or are not in the backup, are lost.',
  });
}

function missing(from: number, to: number): StatusdError {
  return new StatusdError('store_unusable', `records ${from} to ${to} are missing from the shared log`, {
    hint: 'Rows of its table "log" were deleted; restore the database from a backup.',
  });
}
