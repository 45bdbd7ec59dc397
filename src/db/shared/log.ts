/** The log in the database server: appended to by every node, read by every node in one order without gaps. */
import { StatusdError } from '../../engine/core/errors.ts';
import type { Operation } from '../store/operation.ts';
import type { EncodedRecord } from '../wal/pending-writes.ts';
import type { WalRecord } from '../wal/reader.ts';
import { type DatabaseLink, LinkError } from './link.ts';
import type { Fence, Statements } from './statements.ts';

export interface LogRecord extends WalRecord {
  /** Counts from 1. */
  readonly seq: number;
}

export interface SharedLogOptions {
  readonly link: DatabaseLink;
  readonly statements: Statements;
  /** For each statement. */
  readonly deadlineMs: number;
}

const kindNumbers = { transaction: 2, samples: 3 } as const;

/** So many times an append is sent whose outcome is not known. */
const appendAttempts = 3;

/** So many records at most are read at once. */
const pageRecords = 1000;

export class SharedLog {
  private readonly options: SharedLogOptions;

  constructor(options: SharedLogOptions) {
    this.options = options;
  }

  /**
   * Appends records durably, all or none; answers the end of the log behind them. Null: nothing was appended, because
   * another node leads since, or other versions share the tables. An append without an answer is sent again: records have
   * their writer and counter, so that what came twice is known. Rejects with LinkError; `unknown`: the log will say.
   */
  async append(records: readonly EncodedRecord[], fence: Fence): Promise<number | null> {
    const { link, statements, deadlineMs } = this.options;
    const lines = records.map((record) => ({ ...record, kind: kindNumbers[record.kind] }));
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [row] = await link.run(statements.append(lines, fence), deadlineMs);
        return row === undefined ? null : Number(row['seq']);
      } catch (error) {
        const isUnknown = error instanceof LinkError && error.outcome === 'unknown';
        if (!isUnknown || attempt === appendAttempts) throw error;
      }
    }
  }

  /**
   * The next records behind `seq`, in their order; empty: there is none yet. Rejects with LinkError, and with
   * `store_unusable` when records are missing.
   */
  async readBehind(seq: number): Promise<readonly LogRecord[]> {
    const { link, statements, deadlineMs } = this.options;
    const rows = await link.run(statements.read(seq, pageRecords), deadlineMs);
    return rows.map((row, index) => {
      const found = Number(row['seq']);
      if (found !== seq + 1 + index) throw missing(seq + 1 + index, found - 1);
      return {
        seq: found,
        kind: Number(row['kind']) === kindNumbers.samples ? 'samples' : 'transaction',
        writer: String(row['writer']),
        counter: Number(row['counter']),
        operations: JSON.parse(String(row['payload'])) as readonly Operation[],
      };
    });
  }
}

function missing(from: number, to: number): StatusdError {
  return new StatusdError('store_unusable', `records ${from} to ${to} are missing from the shared log`, {
    hint: 'Somebody has deleted rows of its table "log"; restore the database from a backup.',
  });
}
