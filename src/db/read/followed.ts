/**
 * The rows of all monitors in memory, to which samples are added as they come, so that a reading of many reads none.
 *
 * The database is the truth: before a reading one query over all rows says whether they agree with it (a sample may be
 * refused, or wait behind a write). If not, they are read again in parts, and those that differ are reported.
 */
import type { Draft } from '../../engine/core/draft.ts';
import { statuses } from '../../engine/core/status.ts';
import type { Category } from '../../engine/core/probe.ts';
import type { StoredSample } from '../samples/sample.ts';
import type { LastSample } from '../samples/last-sample.ts';
import type { Operation } from '../store/operation.ts';
import type { SqlReader } from '../store/sql.ts';
import { type MonitorWithLatest, readShown } from './watched.ts';

/** A sample that came in order, which adds to what is known of its monitor. */
export interface Added {
  readonly key: number;
  readonly sample: StoredSample;
  /** How many samples the monitor had before it. */
  readonly samplesBefore: number;
  /** The latest of them; null: there was none. */
  readonly before: StoredSample | null;
}

type Rows = Map<string, MonitorWithLatest>;

/** How many rows are read in one step. */
const rowsAStep = 250;

/** One for the life of a process that serves pages. */
export class FollowedMonitors {
  #rows: Rows = new Map();
  /** What is being read again, and the key after which it goes on; null: nothing is. */
  #anew: { readonly rows: Rows; afterKey: number } | null = { rows: new Map(), afterKey: 0 };

  /** By config id; null: it is not known here. */
  find(id: string): MonitorWithLatest | null {
    return this.#rows.get(id) ?? null;
  }

  /** Takes note of what was just changed. `visit` is called for each sample that came in order. */
  note(operations: readonly Operation[], visit: (added: Added) => void): void {
    for (const operation of operations) {
      if (operation[0] === 'monitor.rename') this.#readAgain();
      if (operation[0] !== 'sample') continue;
      const sample = sampleOf(operation);
      if (sample === null) continue;
      const added = addTo(this.#rows, sample);
      const addedAnew = this.#anew === null ? null : addTo(this.#anew.rows, sample);
      const either = added ?? addedAnew;
      if (either !== null) visit(either);
    }
  }

  /**
   * Compares the rows with the database, or reads a part of them again. Answers whether nothing is left to be read.
   * `onDiffering` is called with the key of each monitor of which other samples are stored than came here.
   */
  refresh(sql: SqlReader, onDiffering: (key: number) => void): boolean {
    if (this.#anew === null) {
      if (storedSums(sql) === sumsOf(this.#rows.values())) return true;
      this.#readAgain();
    }
    const { rows, afterKey } = this.#anew ?? this.#readAgain();
    const part = readShown(sql, { afterKey, most: rowsAStep });
    for (const row of part) {
      const before = this.#rows.get(row.id);
      if (before?.samples !== row.samples || before.rewrites !== row.rewrites) onDiffering(row.key);
      rows.set(row.id, row);
    }
    const last = part.at(-1);
    if (last !== undefined && part.length === rowsAStep) {
      this.#anew = { rows, afterKey: last.key };
      return false;
    }
    this.#rows = rows;
    this.#anew = null;
    return true;
  }

  #readAgain() {
    return (this.#anew = { rows: new Map(), afterKey: 0 });
  }
}

interface Sample {
  readonly id: string;
  readonly stored: StoredSample;
  readonly last: LastSample;
}

/** The order of these fields is kept for ever: the logs of earlier versions are read by it. */
function sampleOf(operation: Operation): Sample | null {
  const [, id, secs, named, latency = null, holdSecs, , category = null, message = null] = operation;
  const status = statuses.find((each) => each === named);
  if (typeof id !== 'string' || typeof secs !== 'number' || status === undefined) return null;
  if (typeof holdSecs !== 'number') return null;
  const [at, latencyMs] = [secs * 1000, latency as number | null];
  return {
    id,
    stored: { at, status, latencyMs, holdSecs, isHeartbeat: false },
    last: { at, status, latencyMs, category: category as Category | null, message: message as string | null },
  };
}

/** Null: its monitor is not among the rows, or has later samples, and its row is to be read again. */
function addTo(rows: Rows, { id, stored, last }: Sample): Added | null {
  const row = rows.get(id);
  if (row === undefined) return null;
  const { key, tail, samples: samplesBefore } = row;
  if (tail !== null && stored.at < tail.at) {
    rows.delete(id);
    return null;
  }
  const { at, status, holdSecs, isHeartbeat } = stored;
  const next: Draft<MonitorWithLatest> = { ...row };
  next.samples = samplesBefore + 1;
  next.tail = { at, status, latencyMs: null, holdSecs, isHeartbeat };
  next.last = last;
  rows.set(id, next);
  return { key, sample: stored, samplesBefore, before: tail };
}

/** Of numbers that are multiplied with keys: their sum stays exact for tens of thousands of monitors. */
const modulus = 100_003;

const sumsQuery = `SELECT count(*) || ' ' || coalesce(sum(key * (samples % ${modulus})), 0) || ' ' ||
    coalesce(sum(key * rewrites), 0) || ' ' || coalesce(sum(key * packed_before), 0) || ' ' ||
    coalesce(sum(key * oldest_hour), 0) || ' ' ||
    coalesce(sum(key * (coalesce(tail_secs, 0) % ${modulus})), 0) AS sums
  FROM monitors WHERE removed_at IS NULL`;

/** Equal for equal rows, and hardly ever for others. */
function storedSums(sql: SqlReader): string {
  return sql.get(sumsQuery, [], (row) => row.text('sums')) ?? '';
}

function sumsOf(rows: Iterable<MonitorWithLatest>): string {
  let [count, samples, rewrites, packed, oldest, tails] = [0, 0, 0, 0, 0, 0];
  for (const row of rows) {
    count += 1;
    samples += row.key * (row.samples % modulus);
    rewrites += row.key * row.rewrites;
    packed += row.key * row.packedBefore;
    oldest += row.key * row.oldestHour;
    tails += row.key * (((row.tail?.at ?? 0) / 1000) % modulus);
  }
  return `${count} ${samples} ${rewrites} ${packed} ${oldest} ${tails}`;
}
