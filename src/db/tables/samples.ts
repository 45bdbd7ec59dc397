/** The samples of monitors, raw. Pages do not scan these: they read rollups (src/db/read). */
import { categories, type Category } from '../../engine/core/probe.ts';
import type { Operation } from '../store/operation.ts';
import { packSamples, unpackSamples } from '../samples/codec.ts';
import { findOwner, type LatestSample, noteArrivals, ownerOf, type SampleOwner } from '../samples/owner.ts';
import { maxHoldSecs, maxLatencyMs, maxSecs, type SampleNote, type StoredSample } from '../samples/sample.ts';
import { hourOf, hourSecs } from '../samples/slots.ts';
import { byHour, type OldHour, readableWithin, samplesWithin } from '../samples/stored.ts';
import type { Sql, SqlReader } from '../store/sql.ts';
import { keepSamples } from '../samples/keep.ts';
import { packThrough } from '../samples/pack.ts';
import { SampleRun } from '../samples/run.ts';
import {
  base64,
  FieldError,
  flag,
  instant,
  monitorId,
  oneOf,
  optional,
  orNull,
  status,
  text,
  whole,
} from './fields.ts';
import { declareWrite, declareWrites, type Fields } from './write.ts';

/** A sample to be kept. `at` is cut to its second, `latencyMs` rounded; see Sample for `holdSecs`. */
export interface NewSample extends StoredSample {
  readonly monitor: string;
  /** Why it is not healthy, or what the heartbeat said. */
  readonly category: Category | null;
  readonly message: string | null;
  /** When the heartbeat came, if no state is saved with it; left out: it is none, or one is. */
  readonly heardAt?: number | null;
}

/** A stretch of time in epoch milliseconds; `toAt` is not in it. */
export interface TimeRange {
  readonly fromAt: number;
  readonly toAt: number;
}

const maxHour = hourOf(maxSecs);

const sampleFields = {
  monitor: monitorId,
  secs: whole(0, maxSecs),
  status,
  latencyMs: orNull(whole(0, maxLatencyMs)),
  holdSecs: whole(0, maxHoldSecs),
  isHeartbeat: optional(flag, false),
  category: optional(orNull(oneOf(categories)), null),
  message: optional(orNull(text(2000)), null),
  /** Of a heartbeat after which no state is saved, which would say it. */
  heardAt: optional(orNull(instant), null),
} as const;

/** Answers whether the sample was kept: false when its hour has been pruned. */
export const addSample = declareWrites('sample', sampleFields, (sql, list) => {
  const run = new SampleRun(sql);
  const kept = list.map((fields) => keepOne(sql, run, fields));
  run.finish();
  return kept;
});

function keepOne(sql: Sql, run: SampleRun, fields: Fields<typeof sampleFields>): boolean {
  const { monitor, secs, status, latencyMs, holdSecs, isHeartbeat, heardAt } = fields;
  const sample: StoredSample = { at: secs * 1000, status, latencyMs, holdSecs, isHeartbeat };
  const before = run.keep(monitor, { sample, shown: fields, heardAt });
  if (before === null) return false;
  remark(sql, before, fields);
  return true;
}

/**
 * An hour of samples as a packed block in base64 (for imported or made-up histories), ascending. Hours of the
 * monitor up to this one are packed; samples that are already there stay. Answers how many were kept.
 */
export const addHour = declareWrite(
  'samples.hour',
  { monitor: monitorId, hour: whole(0, maxHour), block: base64(4_000_000) },
  (sql, fields) => {
    const { monitor, hour } = fields;
    const origin = hour * hourSecs;
    const block = Buffer.from(fields.block, 'base64');
    const samples = unpackSamples(block, origin);
    const last = samples.at(-1);
    if (last === undefined) return 0;
    if (
      samples.some(
        (sample, index) => hourOf(sample.at / 1000) !== hour || sample.at < (samples[index - 1]?.at ?? 0),
      )
    ) {
      throw new FieldError('samples.hour: the samples are not in order, or not of this hour');
    }
    const owner = packThrough(sql, ownerOf(sql, monitor, origin), hour);
    const run = new SampleRun(sql);
    const arrival = keepSamples(sql, owner, { samples, block, addToHour: run.addToHour });
    if (arrival === null) return 0;
    run.finish();
    const isLatest = owner.tail === null || last.at >= owner.tail.at;
    const shown = isLatest ? { ...last, secs: last.at / 1000, category: null, message: null } : null;
    noteArrivals(
      sql,
      { ...owner, tail: arrival.tail, oldestHour: arrival.hour },
      { count: arrival.count, rewrites: arrival.isLate ? 1 : 0, shown, heardAt: null },
    );
    return samples.length;
  },
);

/** Packs the rows of a monitor up to the end of an hour, which must be over for good. */
export const packHours = declareWrite(
  'samples.pack',
  { monitor: monitorId, hour: whole(0, maxHour) },
  (sql, { monitor, hour }) => {
    const owner = findOwner(sql, monitor);
    if (owner !== null) packThrough(sql, owner, hour);
    return null;
  },
);

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

  /**
   * The samples of a monitor, oldest first; `older` are those that are not in memory (see readOldHours). Throws a
   * DamagedBytesError when some of them cannot be read.
   */
  list: (
    sql: SqlReader,
    monitor: string,
    { older = [], ...between }: TimeRange & { readonly older?: readonly OldHour[] },
  ): StoredSample[] => {
    const owner = findOwner(sql, monitor);
    if (owner === null) return [];
    return samplesWithin(sql, owner, {
      fromSecs: Math.ceil(between.fromAt / 1000),
      toSecs: Math.ceil(between.toAt / 1000),
      older,
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

  remarks: (sql: SqlReader, monitor: string, between: TimeRange): SampleNote[] =>
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

/** A reason that stays the same for hours of samples is kept once. */
function remark(sql: Sql, owner: SampleOwner, sample: LatestSample): void {
  if (sample.category === null && sample.message === null) return;
  if (sample.category === owner.lastCategory && sample.message === owner.lastMessage) return;
  sql.run(
    'INSERT INTO remarks (monitor, secs, category, message) VALUES (?, ?, ?, ?)',
    owner.key,
    sample.secs,
    sample.category,
    sample.message,
  );
}
