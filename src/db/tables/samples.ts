/** The samples of monitors, raw. Pages do not scan these: they read rollups (src/db/read). */
import type { Category } from '../../engine/core/probe.ts';
import { addHour, addSample } from './mutations/samples.ts';
import type { Operation } from '../store/operation.ts';
import { packSamples } from '../samples/codec.ts';
import { findOwner } from '../samples/owner.ts';
import { maxHoldSecs, maxLatencyMs, type StoredSample } from '../samples/sample.ts';
import { hourOf, hourSecs } from '../samples/slots.ts';
import { byHour, readableWithin, samplesWithin } from '../samples/stored.ts';
import type { SqlReader } from '../store/sql.ts';

/** A sample to be kept. `at` is cut to its second, `latencyMs` rounded; see Sample for `holdSecs`. */
export interface NewSample extends StoredSample {
  readonly monitor: string;
  /** Why it is not healthy, or what the heartbeat said. */
  readonly category: Category | null;
  readonly message: string | null;
  /** When the heartbeat came, if no state is saved with it; left out: it is none, or one is. */
  readonly heardAt?: number | null;
}

/** From this second on, until the next remark or healthy sample, this was the reason. */
export interface SampleNote {
  readonly at: number;
  readonly category: Category | null;
  readonly message: string | null;
}

/** A stretch of time in epoch milliseconds; `toAt` is not in it. */
export interface Between {
  readonly fromAt: number;
  readonly toAt: number;
}

export const samples = {
  add: (sample: NewSample): Operation =>
    addSample({
      monitor: sample.monitor,
      secs: Math.floor(sample.at / 1000),
      status: sample.status,
      latencyMs: wholeLatency(sample.latencyMs),
      holdSecs: Math.min(maxHoldSecs, Math.max(0, Math.ceil(sample.holdSecs))),
      isHeartbeat: sample.isHeartbeat,
      category: sample.category,
      message: sample.message,
      heardAt: sample.heardAt ?? null,
    }),

  /** Many samples of one monitor, an operation an hour: for histories that are imported or made up. */
  addHistory: (monitor: string, history: readonly StoredSample[]): Operation[] =>
    [...byHour(history)].map(([hour, ofHour]) =>
      addHour({
        monitor,
        hour,
        block: Buffer.from(
          packSamples(
            ofHour.toSorted((a, b) => a.at - b.at),
            hour * hourSecs,
          ),
        ).toString('base64'),
      }),
    ),

  /** The samples of a monitor, oldest first. Throws a DamagedBytesError when some of them cannot be read. */
  list: (sql: SqlReader, monitor: string, between: Between): StoredSample[] => {
    const owner = findOwner(sql, monitor);
    if (owner === null) return [];
    return samplesWithin(sql, owner, {
      fromSecs: Math.ceil(between.fromAt / 1000),
      toSecs: Math.ceil(between.toAt / 1000),
    });
  },

  /** The last `limit` samples of a monitor that can be read, oldest first, looking back `hours` at most. */
  recent: (
    sql: SqlReader,
    monitor: string,
    options: { readonly limit: number; readonly hours: number },
  ): StoredSample[] => {
    const owner = findOwner(sql, monitor);
    if (owner === null || owner.tail === null) return [];
    const lastHour = hourOf(owner.tail.at / 1000);
    let found: StoredSample[] = [];
    for (let hour = lastHour; hour > lastHour - options.hours && found.length < options.limit; hour--) {
      const ofHour = readableWithin(sql, owner, { fromSecs: hour * hourSecs, toSecs: (hour + 1) * hourSecs });
      found = ofHour.concat(found);
    }
    return found.slice(-options.limit);
  },

  remarks: (sql: SqlReader, monitor: string, between: Between): SampleNote[] =>
    sql.all(
      `SELECT secs, category, message FROM remarks
       WHERE monitor = (SELECT key FROM monitors WHERE id = ?) AND secs >= ? AND secs < ? ORDER BY secs, id`,
      [monitor, Math.ceil(between.fromAt / 1000), Math.ceil(between.toAt / 1000)],
      (row) => ({
        at: row.number('secs') * 1000,
        category: row.textOrNull('category') as Category | null,
        message: row.textOrNull('message'),
      }),
    ),
};

function wholeLatency(latencyMs: number | null): number | null {
  if (latencyMs === null || !Number.isFinite(latencyMs)) return null;
  return Math.min(maxLatencyMs, Math.max(0, Math.round(latencyMs)));
}
