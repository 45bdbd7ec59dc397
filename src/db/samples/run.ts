/** Samples that are taken in one after the other: what they add to a monitor and to its hours is written once, at the end. */
import type { Sql } from '../store/sql.ts';
import { insertRow, keepSamples } from './keep.ts';
import {
  type Arrival,
  type LatestSample,
  noteArrivals,
  noteHeard,
  ownerOf,
  type SampleOwner,
} from './owner.ts';
import { addToRunningHour, bytesOf, recentOf, type RunningHour } from './rollups.ts';
import type { StoredSample } from './sample.ts';
import { hourOf, slotOf } from './slots.ts';
import { addTally, countSample, creditUntil, emptyTally, type Tally } from './tally.ts';

/** A monitor as the samples until now leave it. */
interface RunOwner {
  owner: SampleOwner;
  count: number;
  rewrites: number;
  /** Null: none of them is to be shown as the last one. */
  shown: LatestSample | null;
  heardAt: number | null;
}

interface RunSample {
  readonly sample: StoredSample;
  readonly shown: LatestSample;
  /** When the heartbeat came, if no state is saved after it, which would say it; else null. */
  readonly heardAt: number | null;
}

/** The rows of the samples are written as they come. Nothing else may be written before `finish`. */
export class SampleRun {
  private readonly sql: Sql;
  private readonly owners = new Map<string, RunOwner>();
  private readonly hours = new Map<number, RunningHour>();

  constructor(sql: Sql) {
    this.sql = sql;
  }

  /**
   * Keeps a sample of the monitor with this config id; one that the store has not seen begins here, with its id for a name.
   * Answers the monitor as it was before, or null when the sample was not kept (see keepSamples).
   */
  keep(id: string, { sample, shown, heardAt }: RunSample): SampleOwner | null {
    const known = this.of(id, shown.secs);
    const { owner } = known;
    const arrival = this.keepNext(owner, sample) ?? this.keepAnywhere(owner, sample);
    if (heardAt !== null) known.heardAt = heardAt;
    if (arrival === null) return null;
    const { tail, hour, count, isLate } = arrival;
    const { key, packedBefore, prunedBefore } = owner;
    known.owner = {
      key,
      tail,
      oldestHour: Math.min(owner.oldestHour, hour),
      packedBefore,
      prunedBefore,
      lastCategory: shown.category,
      lastMessage: shown.message,
    };
    known.shown = shown;
    known.count += count;
    if (isLate) known.rewrites += 1;
    return owner;
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

  private keepAnywhere(owner: SampleOwner, sample: StoredSample): Arrival | null {
    return keepSamples(this.sql, owner, { samples: [sample], block: null, addToHour: this.addToHour });
  }

  /**
   * Does what keepSamples does, without its lists and maps, for the usual sample: the next one of its monitor, with nothing
   * between it and the tail that is packed. Null, and nothing kept: it is another.
   */
  private keepNext(owner: SampleOwner, sample: StoredSample): Arrival | null {
    const { key, tail, packedBefore } = owner;
    const hour = hourOf(sample.at / 1000);
    if (tail !== null && sample.at < tail.at) return null;
    if ((tail === null ? hour : hourOf(tail.at / 1000)) < packedBefore || hour < owner.prunedBefore)
      return null;
    insertRow(this.sql, key, { sample, latestAt: tail?.at ?? -1 });
    const running = this.runningHour(slotOf(hour, key));
    const bucket = countSample(running.tally, sample);
    if (bucket !== null) running.recent = [...(running.recent ?? []), ...bytesOf(bucket)];
    if (tail !== null) {
      creditUntil(tail, sample, (creditedHour, secs) => {
        const { tally } = creditedHour === hour ? running : this.runningHour(slotOf(creditedHour, key));
        tally.secs[tail.status] += secs;
      });
    }
    return { tail: sample, hour, count: 1, isLate: false };
  }

  private runningHour(slot: number): RunningHour {
    let known = this.hours.get(slot);
    if (known === undefined) {
      known = { tally: emptyTally(), recent: null };
      this.hours.set(slot, known);
    } else {
      // As in `addToHour`.
      known.recent ??= [];
    }
    return known;
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
