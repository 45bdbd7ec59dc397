/** What one channel is doing: one message at a time, whatever the others do. */
import type { Move } from '../../engine/core/clock-shift.ts';
import type { Gathering, LastStorms, GroupKind } from './choose.ts';
import type { Batch } from './record-delivery.ts';
import type { Precedence } from './earlier-recovery.ts';

/** Groups come and go; those of long ago have nothing left to gather. */
const mostRemembered = 50;

export class ChannelQueue {
  private onItsWay: Batch | null = null;
  /** The deliveries on their way that blame no upstream. */
  private withoutCause: ReadonlySet<string> = new Set();
  private gathering: Gathering = new Map();
  lastStorms: LastStorms = {};
  readonly precedence: Precedence = new Map();

  /** What is on its way; null: the channel is free. */
  get batch(): Batch | null {
    return this.onItsWay;
  }

  set batch(batch: Batch | null) {
    this.onItsWay = batch;
    const withoutCause = batch?.deliveries.filter(({ cause }) => cause === null) ?? [];
    this.withoutCause = new Set(withoutCause.map(({ row }) => row.deliveryId));
  }

  /** Whether a delivery is on its way that blames no upstream. */
  isNotifyingAlone(deliveryId: string): boolean {
    return this.withoutCause.has(deliveryId);
  }

  /** Until when deliveries of a sort are gathered, epoch ms; null: they are not. */
  gathersUntil(sort: GroupKind | null, nowAt: number): number | null {
    const untilAt = sort === null ? null : (this.gathering.get(sort) ?? null);
    return untilAt !== null && untilAt > nowAt ? untilAt : null;
  }

  gather(gathering: Gathering): void {
    this.gathering = new Map([...[...this.gathering].slice(-mostRemembered), ...gathering]);
  }

  /** The clock was set. */
  shift({ past, ahead }: { readonly past: Move; readonly ahead: Move }): void {
    this.gathering = new Map([...this.gathering].map(([sort, untilAt]) => [sort, ahead(untilAt)]));
    const storms = Object.entries(this.lastStorms).flatMap(([sort, at]) =>
      at === undefined ? [] : [[sort, past(at)] as const],
    );
    this.lastStorms = Object.fromEntries(storms);
  }

  /** Remembers a message about many. */
  noteStorm(kind: GroupKind, at: number): void {
    // Messages that share a cause are one anyway, and each has a sort of its own.
    if (kind.startsWith('unknown ')) return;
    const recent = Object.entries(this.lastStorms).slice(-mostRemembered);
    this.lastStorms = { ...Object.fromEntries(recent), [kind]: at };
  }
}
