/**
 * Takes new samples in: as a row or into their packed hour, the rollups and the tail of their monitor with them.
 *
 * Samples normally come in order, and then only what lies between the tail and them is credited. Late ones (a
 * clock that stepped back, a history that is imported) go between their neighbours: what the one before was
 * credited beyond them is taken back, and given to them.
 */
import type { Sql } from '../store/sql.ts';
import { DamagedBytesError } from './bytes.ts';
import { packSamples } from './codec.ts';
import type { Arrival, SampleOwner } from './owner.ts';
import { addRollup } from './rollups.ts';
import { type StoredSample, statusCodes } from './sample.ts';
import { dayOfHour, hourOf, hourSecs, slotOf } from './slots.ts';
import { byHour, readHour, sampleAfter, sampleBefore, samplesWithin } from './stored.ts';
import { addTally, emptyTally, HourlyTallies, type Tally } from './tally.ts';

/** Samples that came together: ascending by second, one at least. */
export interface SampleBatch {
  readonly samples: readonly StoredSample[];
  /** The same ones packed, when they are a whole hour. */
  readonly block: Uint8Array | null;
  /** Adds a tally, which it may keep, to an hour that is still to be packed. */
  readonly addToHour: (slot: number, tally: Tally) => void;
}

/**
 * Keeps a batch, all but the row of its monitor, for which it answers what came in. Null, and nothing kept, when it
 * lies in hours that have been pruned, next to them, or in a damaged one.
 */
export function keepSamples(sql: Sql, owner: SampleOwner, batch: SampleBatch): Arrival | null {
  const { samples } = batch;
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  if (hourOf(first.at / 1000) < owner.prunedBefore) return null;
  try {
    const isLate = owner.tail !== null && first.at < owner.tail.at;
    const tallies = isLate ? tallyBetween(sql, owner, samples) : tallyAfterTail(owner, samples);
    if (tallies === null) return null;
    const placements = placementsOf(sql, owner, batch);
    for (const place of placements) place();
    addToRollups(sql, owner, { tallies, addToHour: batch.addToHour });
    const tail = owner.tail !== null && last.at < owner.tail.at ? owner.tail : last;
    return { tail, hour: hourOf(first.at / 1000), count: samples.length, isLate };
  } catch (error) {
    if (error instanceof DamagedBytesError) return null;
    throw error;
  }
}

/** What samples at or after the tail add, hour by hour: their own counts, and the time since the tail. */
function tallyAfterTail(owner: SampleOwner, samples: readonly StoredSample[]): HourlyTallies {
  const tallies = new HourlyTallies();
  tallies.count(samples);
  tallies.credit(owner.tail === null ? samples : [owner.tail, ...samples], 1);
  return tallies;
}

/** What late samples add, and what they take from the ones before them; null when those have been pruned. */
function tallyBetween(sql: Sql, owner: SampleOwner, samples: readonly StoredSample[]): HourlyTallies | null {
  const fromSecs = (samples[0]?.at ?? 0) / 1000;
  const toSecs = (samples.at(-1)?.at ?? 0) / 1000;
  const before = sampleBefore(sql, owner, fromSecs);
  if (before === null && owner.prunedBefore > 0) return null;
  const between = samplesWithin(sql, owner, { fromSecs: fromSecs + 1, toSecs: toSecs + 1 });
  const after = sampleAfter(sql, owner, toSecs);
  const run = (middle: readonly StoredSample[]) =>
    [before, ...middle, after].filter((sample) => sample !== null);
  const tallies = new HourlyTallies();
  tallies.count(samples);
  tallies.credit(run(between), -1);
  tallies.credit(run(inOrder(between, samples)), 1);
  return tallies;
}

/** What is to be written for each sample or packed hour. Everything is read before the first is written. */
function placementsOf(sql: Sql, owner: SampleOwner, batch: SampleBatch): (() => void)[] {
  const placements: (() => void)[] = [];
  for (const [hour, ofHour] of byHour(batch.samples)) {
    if (hour < owner.packedBefore) {
      const kept = readHour(sql, owner.key, hour);
      const block =
        kept === null && batch.block !== null
          ? batch.block
          : packSamples(inOrder(kept ?? [], ofHour), hour * hourSecs);
      placements.push(() => {
        writeHour(sql, slotOf(hour, owner.key), block);
      });
    } else {
      placements.push(() => {
        insertRows(sql, owner, ofHour);
      });
    }
  }
  return placements;
}

/** Writes the block of a packed hour over whatever was there. */
export function writeHour(sql: Sql, slot: number, block: Uint8Array): void {
  sql.run('INSERT OR REPLACE INTO packed_hours (slot, block) VALUES (?, ?)', slot, block);
}

function insertRows(sql: Sql, owner: SampleOwner, samples: readonly StoredSample[]): void {
  let latestAt = owner.tail?.at ?? -1;
  for (const sample of samples) {
    insertRow(sql, owner.key, { sample, latestAt });
    latestAt = Math.max(latestAt, sample.at);
  }
}

/** The first sample of a second. */
const insertFirst = `INSERT INTO samples (monitor, secs, n, status, latency_ms, hold_secs, is_heartbeat)
  VALUES (?, ?, 0, ?, ?, ?, ?)`;

/**
 * One after those that are there. Where a column that orders is compared with a bare parameter, SQLite compiles the
 * statement anew for each value.
 */
const insertFurther = `INSERT INTO samples (monitor, secs, n, status, latency_ms, hold_secs, is_heartbeat)
  VALUES (?1, ?2,
    coalesce((SELECT n FROM samples WHERE monitor = (SELECT ?1) AND secs = (SELECT ?2) ORDER BY n DESC LIMIT 1) + 1, 0),
    ?3, ?4, ?5, ?6)`;

/** Writes the row of a sample; `latestAt` is the latest second (in ms) that its monitor has a row of. */
export function insertRow(
  sql: Sql,
  key: number,
  { sample, latestAt }: { readonly sample: StoredSample; readonly latestAt: number },
): void {
  sql.run(
    sample.at > latestAt ? insertFirst : insertFurther,
    key,
    sample.at / 1000,
    statusCodes[sample.status],
    sample.latencyMs,
    sample.holdSecs,
    sample.isHeartbeat ? 1 : 0,
  );
}

function addToRollups(
  sql: Sql,
  owner: SampleOwner,
  { tallies, addToHour }: Pick<SampleBatch, 'addToHour'> & { readonly tallies: HourlyTallies },
): void {
  const days = new Map<number, Tally>();
  for (const [hour, tally] of tallies.hours) {
    const slot = slotOf(hour, owner.key);
    if (hour >= owner.packedBefore) {
      addToHour(slot, tally);
      continue;
    }
    addRollup(sql, 'hourly', { slot, tally });
    const day = days.get(dayOfHour(hour)) ?? emptyTally();
    addTally(day, tally);
    days.set(dayOfHour(hour), day);
  }
  for (const [day, tally] of days) addRollup(sql, 'daily', { slot: slotOf(day, owner.key), tally });
}

/** Both lists, ascending; of the same second, those that were there first. */
function inOrder(kept: readonly StoredSample[], added: readonly StoredSample[]): StoredSample[] {
  return [...kept, ...added].sort((a, b) => a.at - b.at);
}
