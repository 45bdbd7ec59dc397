/**
 * What the samples of a monitor add up to within stretches of time, to the second: what maintenance takes out of an
 * uptime. Whole hours come from hourly rollups, the rest from samples. Of a day whose samples are deleted, the seconds under
 * maintenance were recorded before; where they were not, the rollup of the hour and the record of outages say what was down.
 */
import type { Stretch } from '../../engine/core/maintained.ts';
import { statuses } from '../../engine/core/status.ts';
import { findOwner, type SampleOwner } from '../samples/owner.ts';
import { HourlyRollups, oldestRolledHour } from '../samples/kept-rollups.ts';
import { daySecs, hourOf, hourSecs } from '../samples/slots.ts';
import type { StoredSample } from '../samples/sample.ts';
import { hasSamples, keptBefore, keptWithin, type SecondsSpan } from '../samples/stored.ts';
import type { ByStatus, Tally } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import { maintainedDays } from '../tables/maintained-days.ts';
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

/** Remembers days that are over. One for the life of a process that serves pages. */
export class StretchReader {
  readonly #remembered = new Map<string, CachedSecs>();

  /** The seconds credited to each status within stretches under maintenance, which do not overlap, up to now. */
  of(
    sql: SqlReader,
    monitor: Pick<StoredMonitor, 'id' | 'key' | 'rewrites' | 'tail'>,
    { stretches, ...query }: StretchQuery & { readonly stretches: readonly Stretch[] },
  ): Readonly<ByStatus> {
    const sum = { up: 0, degraded: 0, down: 0, unknown: 0 };
    let owner: SampleOwner | null = null;
    for (const [day, parts] of partsByDay(stretches, query.now)) {
      const key = `${monitor.key} ${parts.map(({ fromSecs, toSecs }) => `${fromSecs}-${toSecs}`).join(' ')}`;
      const known = this.#remembered.get(key);
      if (known?.rewrites === monitor.rewrites) {
        addSecs(sum, known.secs);
        continue;
      }
      owner ??= findOwner(sql, monitor.id);
      if (owner === null) return sum;
      const secs = dayOf(sql, owner, { day, parts, ...query });
      addSecs(sum, secs);
      // The hour of the latest sample still changes, and what it covers with it.
      const isOver = hourOf(parts.at(-1)?.toSecs ?? Infinity) < hourOf((monitor.tail?.at ?? 0) / 1000);
      if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
      if (isOver) this.#remembered.set(key, { rewrites: monitor.rewrites, secs });
    }
    return sum;
  }
}

/** A year of weekly maintenance of a thousand monitors. */
const maxRemembered = 60_000;

/** Cuts stretches at `now` and at midnight: whole seconds, by UTC day since the epoch. */
function partsByDay(stretches: readonly Stretch[], now: number): ReadonlyMap<number, readonly SecondsSpan[]> {
  const days = new Map<number, SecondsSpan[]>();
  for (const { fromAt, toAt } of stretches) {
    const to = Math.floor(Math.min(toAt, now) / 1000);
    for (let secs = Math.floor(fromAt / 1000); secs < to; ) {
      const day = Math.floor(secs / daySecs);
      const end = Math.min(to, (day + 1) * daySecs);
      const parts = days.get(day) ?? [];
      days.set(day, parts);
      parts.push({ fromSecs: secs, toSecs: end });
      secs = end;
    }
  }
  return days;
}

interface DayQuery extends StretchQuery {
  readonly day: number;
  readonly parts: readonly SecondsSpan[];
}

/** Reads a day from its record, made before its samples were deleted; a day without a record from its hours. */
function dayOf(sql: SqlReader, owner: SampleOwner, { day, parts, outages }: DayQuery): ByStatus {
  const recorded = maintainedDays.find(sql, owner.key, day);
  const sum = { up: 0, degraded: 0, down: 0, unknown: 0 };
  if (recorded === null) {
    for (const part of parts) addSecs(sum, secsOf(sql, owner, { ...part, outages }));
    return sum;
  }
  const partSecs = parts.reduce((secs, { fromSecs, toSecs }) => secs + toSecs - fromSecs, 0);
  const share = (secs: number) =>
    Math.floor((secs * Math.min(partSecs, recorded.spanSecs)) / recorded.spanSecs);
  const { up, degraded, down, unknown } = recorded.secs;
  return { up: share(up), degraded: share(degraded), down: share(down), unknown: share(unknown) };
}

type PartQuery = SecondsSpan & Pick<StretchQuery, 'outages'>;

/** The seconds credited within a span, by the hours in it. Of hours that no rollup is kept of, recorded outages are known. */
export function secsOf(
  sql: SqlReader,
  owner: SampleOwner,
  { fromSecs, toSecs, outages }: PartQuery,
): ByStatus {
  const sum = { up: 0, degraded: 0, down: 0, unknown: 0 };
  const oldest = oldestRolledHour(sql) ?? Infinity;
  const rollups = new HourlyRollups(sql, owner.key);
  for (let secs = fromSecs; secs < toSecs; ) {
    const hour = hourOf(secs);
    const end = Math.min(toSecs, (hour + 1) * hourSecs);
    if (hour < oldest) {
      sum.down += downSecs(outages(), { fromSecs: secs, toSecs: end });
    } else if (end - secs === hourSecs) {
      addSecs(sum, rollups.readSecs(hour));
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
  const ofHour = rollups.readSecs(hour);
  const whole = shareOfOne(ofHour, { of: hourSecs, part: span.toSecs - span.fromSecs });
  if (whole !== null) {
    addSecs(sum, whole);
    return;
  }
  const isHere = hour >= owner.prunedBefore || hasSamples(sql, owner.key, hour);
  const tally = isHere ? null : rollups.read(hour);
  if (isHere || (tally !== null && isSpokenFor(sql, owner, { hour, tally }))) {
    addSamples(sql, sum, { owner, ofHour, ...span });
    return;
  }
  if (tally !== null) addShare(sum, tally.secs, { of: hourSecs, down: downSecs(outages(), span), ...span });
  addTail(sum, owner.tail, span);
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

/** The share that a part has of a day or an hour credited to one status from end to end; null: others have some of it. */
export function shareOfOne(
  secs: Readonly<ByStatus> | null,
  { of, part }: { readonly of: number; readonly part: number },
): ByStatus | null {
  const status = secs === null ? undefined : statuses.find((each) => secs[each] === of);
  return status === undefined ? null : { up: 0, degraded: 0, down: 0, unknown: 0, [status]: part };
}

/** Adds what a part of a day or an hour, `of` seconds long, has of it where the record of outages has `down` seconds in the part. */
export function addShare(
  sum: ByStatus,
  whole: Readonly<ByStatus>,
  { of, down: recorded, fromSecs, toSecs }: SecondsSpan & { readonly of: number; readonly down: number },
): void {
  const down = Math.min(recorded, whole.down);
  const rest = of - whole.down;
  sum.down += down;
  if (rest <= 0) return;
  for (const status of ['up', 'degraded', 'unknown'] as const)
    sum[status] += Math.floor((whole[status] * (toSecs - fromSecs - down)) / rest);
}

interface PartWithSamples extends SecondsSpan {
  readonly owner: SampleOwner;
  /** Seconds by the rollup of the hour; null: there is none. */
  readonly ofHour: Readonly<ByStatus> | null;
}

/** A sample covers the time until the next one, or for as long as it holds. */
function addSamples(sql: SqlReader, sum: ByStatus, { owner, ofHour, ...span }: PartWithSamples): void {
  const startSecs = hourOf(span.fromSecs) * hourSecs;
  const own = keptWithin(sql, owner, { fromSecs: startSecs, toSecs: startSecs + hourSecs });
  const before =
    ofHour === null ? keptBefore(sql, owner, startSecs) : carriedInto(own, { ofHour, startSecs, owner });
  const samples = before === null || before.at === own[0]?.at ? own : [before, ...own];
  for (const [index, { at, holdSecs, status }] of samples.entries()) {
    const nextAt = samples[index + 1]?.at ?? Infinity;
    const until = Math.min(nextAt / 1000, at / 1000 + holdSecs, span.toSecs);
    sum[status] += Math.max(0, until - Math.max(at / 1000, span.fromSecs));
  }
}

/**
 * The sample that counts at the start of an hour, which may be deleted: it covers the seconds of the hour that none of the
 * hour's own samples does. Null: there is none.
 */
function carriedInto(
  own: readonly StoredSample[],
  {
    ofHour,
    startSecs,
    owner,
  }: { readonly ofHour: Readonly<ByStatus>; readonly startSecs: number } & Pick<PartWithSamples, 'owner'>,
): Pick<StoredSample, 'at' | 'holdSecs' | 'status'> | null {
  const carried = { ...ofHour };
  for (const [index, { at, holdSecs, status }] of own.entries()) {
    if (at === owner.tail?.at) continue;
    const nextSecs = (own[index + 1]?.at ?? Infinity) / 1000;
    carried[status] -= Math.min(nextSecs - at / 1000, holdSecs, startSecs + hourSecs - at / 1000);
  }
  const status = statuses.find((each) => carried[each] > 0);
  return status === undefined ? null : { at: startSecs * 1000, holdSecs: carried[status], status };
}

/** How many seconds of a span the recorded outages take, none of them twice. */
export function downSecs(outages: readonly OutageSpan[], { fromSecs, toSecs }: SecondsSpan): number {
  let [sum, countedTo] = [0, fromSecs];
  for (const { startedAt, endedAt } of outages.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const end = Math.min(toSecs, (endedAt ?? Infinity) / 1000);
    sum += Math.max(0, end - Math.max(countedTo, startedAt / 1000));
    countedTo = Math.max(countedTo, end);
  }
  return Math.floor(sum);
}

export function addSecs(sum: ByStatus, secs: Readonly<ByStatus> | null): void {
  if (secs === null) return;
  for (const status of statuses) sum[status] += secs[status];
}
