/** Samples that are taken in one after the other: what they add to a monitor and to its hours is written once, at the end. */
import type { Sql } from '../store/sql.ts';
import {
  type Arrival,
  type LatestSample,
  noteArrivals,
  noteHeard,
  ownerOf,
  type SampleOwner,
} from './owner.ts';
import { addToRunningHour, recentOf, type RunningHour } from './rollups.ts';
import { addTally, type Tally } from './tally.ts';

/** A monitor as the samples until now leave it. */
interface RunOwner {
  owner: SampleOwner;
  count: number;
  rewrites: number;
  /** Null: none of them is to be shown as the last one. */
  shown: LatestSample | null;
  heardAt: number | null;
}

/** The rows of the samples are written as they come. Nothing else may be written before `finish`. */
export class SampleRun {
  private readonly sql: Sql;
  private readonly owners = new Map<string, RunOwner>();
  private readonly hours = new Map<number, RunningHour>();

  constructor(sql: Sql) {
    this.sql = sql;
  }

  /** The owner with this config id. A monitor the store has not seen begins here, with its id for a name. */
  ownerOf(id: string, firstSecs: number): SampleOwner {
    return this.of(id, firstSecs).owner;
  }

  noteArrival(id: string, arrival: Arrival, shown: LatestSample): void {
    const known = this.of(id, shown.secs);
    const { tail, hour, count, isLate } = arrival;
    known.owner = {
      ...known.owner,
      tail,
      oldestHour: Math.min(known.owner.oldestHour, hour),
      lastCategory: shown.category,
      lastMessage: shown.message,
    };
    known.shown = shown;
    known.count += count;
    if (isLate) known.rewrites += 1;
  }

  /** The owner was heard by a heartbeat after which no state is saved, which would say it. */
  noteHeard(id: string, at: number): void {
    this.of(id, at / 1000).heardAt = at;
  }

  /** Adds a tally, which it takes over, to an hour that is still to be packed. */
  readonly addToHour = (slot: number, tally: Tally): void => {
    const recent = recentOf(tally.latency.histogram);
    const known = this.hours.get(slot);
    if (known === undefined) {
      this.hours.set(slot, { tally, recent });
      return;
    }
    addTally(known.tally, tally);
    // As when each was written on its own: nothing and nothing is an empty list.
    known.recent = [...(known.recent ?? []), ...(recent ?? [])];
  };

  finish(): void {
    const { sql } = this;
    for (const [slot, hour] of this.hours) addToRunningHour(sql, slot, hour);
    for (const { owner, count, rewrites, shown, heardAt } of this.owners.values()) {
      if (shown !== null) noteArrivals(sql, owner, { count, rewrites, shown, heardAt });
      else if (heardAt !== null) noteHeard(sql, owner.key, heardAt);
    }
  }

  private of(id: string, firstSecs: number): RunOwner {
    let known = this.owners.get(id);
    if (known === undefined) {
      const owner = ownerOf(this.sql, id, firstSecs);
      known = { owner, count: 0, rewrites: 0, shown: null, heardAt: null };
      this.owners.set(id, known);
    }
    return known;
  }
}
