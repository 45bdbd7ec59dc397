/**
 * What the samples of a monitor add up to within stretches of time, to the second: what maintenance takes out of an
 * uptime. Whole hours come from hourly rollups, the rest from samples; where those are no longer kept, from the rollup of the
 * hour and the record of outages; of hours whose rollups are no longer kept, that record says what was down.
 */
import type { Stretch } from '../../engine/core/maintained.ts';
import { findOwner, type SampleOwner } from '../samples/owner.ts';
import { HourlyRollups, oldestRolledHour } from '../samples/kept-rollups.ts';
import { hourOf, hourSecs } from '../samples/slots.ts';
import { hasSamples, keptBefore, keptWithin, type SecondsSpan } from '../samples/stored.ts';
import type { ByStatus, Tally } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import type { OutageSpan } from './outages.ts';
import { addTail } from './tail.ts';
import type { StoredMonitor } from './watched.ts';

interface StretchQuery {
  readonly now: number;
  readonly outages: () => readonly OutageSpan[];
}

interface CachedSecs {
  readonly rewrites: number;
  readonly secs: Readonly<ByStatus>;
}

/** Remembers stretches that are over. One for the life of a process that serves pages. */
export class StretchReader {
  readonly #remembered = new Map<string, CachedSecs>();

  /** The seconds credited to each status within stretches that do not overlap, up to now. */
  of(
    sql: SqlReader,
    monitor: Pick<StoredMonitor, 'id' | 'key' | 'rewrites' | 'tail'>,
    { stretches, ...query }: StretchQuery & { readonly stretches: readonly Stretch[] },
  ): Readonly<ByStatus> {
    const sum = { up: 0, degraded: 0, down: 0, unknown: 0 };
    let owner: SampleOwner | null = null;
    for (const { fromAt, toAt } of stretches) {
      const key = `${monitor.key} ${fromAt} ${toAt}`;
      const known = this.#remembered.get(key);
      if (known?.rewrites === monitor.rewrites) {
        add(sum, known.secs);
        continue;
      }
      owner ??= findOwner(sql, monitor.id);
      if (owner === null) return sum;
      const secs = secsOf(sql, owner, { fromAt, toAt: Math.min(toAt, query.now), ...query });
      add(sum, secs);
      // The hour of the latest sample still changes, and what it covers with it.
      const isOver = hourOf(toAt / 1000) < hourOf((monitor.tail?.at ?? 0) / 1000);
      if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
      if (isOver) this.#remembered.set(key, { rewrites: monitor.rewrites, secs });
    }
    return sum;
  }
}

/** A year of weekly maintenance of a thousand monitors. */
const maxRemembered = 60_000;

function secsOf(
  sql: SqlReader,
  owner: SampleOwner,
  { fromAt, toAt, outages }: Stretch & StretchQuery,
): ByStatus {
  const sum = { up: 0, degraded: 0, down: 0, unknown: 0 };
  const from = Math.floor(fromAt / 1000);
  const to = Math.floor(toAt / 1000);
  const oldest = oldestRolledHour(sql) ?? Infinity;
  const rollups = new HourlyRollups(sql, owner.key);
  for (let secs = from; secs < to; ) {
    const hour = hourOf(secs);
    const end = Math.min(to, (hour + 1) * hourSecs);
    if (hour < oldest) {
      sum.down += downSecs(outages(), { fromSecs: secs, toSecs: end });
    } else if (end - secs === hourSecs) {
      add(sum, rollups.readSecs(hour));
      addTail(sum, owner.tail, { fromSecs: secs, toSecs: end });
    } else {
      addPart(sql, sum, { owner, rollups, outages, fromSecs: secs, toSecs: end });
    }
    secs = end;
  }
  return sum;
}

interface PartOfHour extends SecondsSpan, Pick<StretchQuery, 'outages'> {
  readonly owner: SampleOwner;
  readonly rollups: HourlyRollups;
}

/** Part of an hour, whose samples may be deleted sooner than its rollup. */
function addPart(sql: SqlReader, sum: ByStatus, { owner, rollups, outages, ...span }: PartOfHour): void {
  const hour = hourOf(span.fromSecs);
  const isHere = hour >= owner.prunedBefore || hasSamples(sql, owner.key, hour);
  const tally = isHere ? null : rollups.read(hour);
  if (isHere || (tally !== null && isSpokenFor(sql, owner, { hour, tally })))
    addSamples(sql, sum, { owner, ...span });
  else if (tally !== null) addShare(sum, tally.secs, { down: downSecs(outages(), span), ...span });
}

/** Whether an hour never had samples, and the one that counts there is kept. */
function isSpokenFor(
  sql: SqlReader,
  owner: SampleOwner,
  { hour, tally }: { readonly hour: number; readonly tally: Tally },
): boolean {
  if (Object.values(tally.counts).some((count) => count > 0)) return false;
  const before = keptBefore(sql, owner, hour * hourSecs);
  return before !== null && before.at / 1000 + before.holdSecs > hour * hourSecs;
}

/** What a part of an hour has of its seconds, where `down` is how many the record of outages has in it. */
function addShare(
  sum: ByStatus,
  ofHour: Readonly<ByStatus>,
  { down: recorded, fromSecs, toSecs }: SecondsSpan & { readonly down: number },
): void {
  const down = Math.min(recorded, ofHour.down);
  const restOfHour = hourSecs - ofHour.down;
  sum.down += down;
  if (restOfHour <= 0) return;
  for (const status of ['up', 'degraded', 'unknown'] as const)
    sum[status] += Math.floor((ofHour[status] * (toSecs - fromSecs - down)) / restOfHour);
}

/** A sample covers the time until the next one, or for as long as it holds. */
function addSamples(
  sql: SqlReader,
  sum: ByStatus,
  { owner, ...span }: SecondsSpan & { readonly owner: SampleOwner },
): void {
  const before = keptBefore(sql, owner, span.fromSecs);
  const within = keptWithin(sql, owner, span);
  const samples = before === null || before.at === within[0]?.at ? within : [before, ...within];
  for (const [index, { at, holdSecs, status }] of samples.entries()) {
    const nextAt = samples[index + 1]?.at ?? Infinity;
    const until = Math.min(nextAt / 1000, at / 1000 + holdSecs, span.toSecs);
    sum[status] += Math.max(0, until - Math.max(at / 1000, span.fromSecs));
  }
}

function downSecs(outages: readonly OutageSpan[], { fromSecs, toSecs }: SecondsSpan): number {
  let [sum, countedTo] = [0, fromSecs];
  for (const { startedAt, endedAt } of outages.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const end = Math.min(toSecs, (endedAt ?? Infinity) / 1000);
    sum += Math.max(0, end - Math.max(countedTo, startedAt / 1000));
    countedTo = Math.max(countedTo, end);
  }
  return Math.floor(sum);
}

function add(sum: ByStatus, secs: Readonly<ByStatus> | null): void {
  if (secs === null) return;
  for (const status of ['up', 'degraded', 'down', 'unknown'] as const) sum[status] += secs[status];
}
