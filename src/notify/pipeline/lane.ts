/** What one channel is doing: one message at a time, whatever the others do. */
import type { Gathering, LastStorms, Sort } from './choose.ts';
import type { Parcel } from './account.ts';

export class Lane {
  /** What is on its way; null: the channel is free. */
  parcel: Parcel | null = null;
  private gathering: Gathering = new Map();
  lastStorms: LastStorms = {};

  /** Until when deliveries of a sort are gathered, epoch ms; null: they are not. */
  gathersUntil(sort: Sort | null, nowAt: number): number | null {
    const untilAt = sort === null ? null : (this.gathering.get(sort) ?? null);
    return untilAt !== null && untilAt > nowAt ? untilAt : null;
  }

  gather(gathering: Gathering): void {
    this.gathering = new Map([...this.gathering, ...gathering]);
  }

  /** Remembers a message about many. */
  noteStorm(sort: Sort, at: number): void {
    this.lastStorms = { ...this.lastStorms, [sort]: at };
  }
}
