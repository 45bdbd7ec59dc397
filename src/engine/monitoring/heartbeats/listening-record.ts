/** Records when this node was not listening for heartbeats, so that extended deadlines outlive a restart. */
import type { Clock } from '../../core/clock.ts';
import { ownFaultKey } from '../../core/own-fault.ts';
import type { ProbeResult } from '../../core/probe.ts';
import { beatMs, type Standstill } from '../clock/standstill.ts';
import { type ListeningGap, readGaps, shiftGaps, withGap } from './listening-gaps.ts';
import type { Operation } from '../../../db/store/operation.ts';
import type { Store } from '../../../db/store/store.ts';
import { meta } from '../../../db/tables/meta.ts';
import type { TimerQueue } from '../timer-queue.ts';
import type { WatchedMonitor } from '../watched-monitor.ts';

export interface ListeningRecordOptions {
  readonly store: Store;
  readonly clock: Clock;
}

const names = { until: 'listening_until', gaps: 'listening_gaps' } as const;

const descriptors = ownFaultKey('descriptors');

/** A host without file descriptors takes no connection, so no heartbeat either. */
interface Deafness {
  readonly sinceMs: number;
  /** Of the monitor whose check met it last: aborted when nothing says any longer that it goes on. */
  readonly seenBy: AbortSignal;
}

/** How often it is written that this node still listens: a killed process is taken to have listened until then. */
const writeEveryMs = 10_000;

export class ListeningRecord {
  private readonly options: ListeningRecordOptions;
  private known: readonly ListeningGap[] = [];
  /** What a clock that was set forwards left out. */
  private jumps: readonly ListeningGap[] = [];
  private isOver = false;
  private deafness: Deafness | null = null;
  /** Until when this node is on record as listening, on the monotonic clock. */
  private recordedMs: number;
  /** Heartbeats were refused since then, which only this process knows: a restart must not take them for silence. */
  private hasRefused = false;
  /** When a check last had a file descriptor, on the monotonic clock. */
  private connectedMs: number | null = null;

  constructor(options: ListeningRecordOptions) {
    this.options = options;
    this.recordedMs = options.clock.monotonic();
  }

  /** The times at which heartbeats may have been lost, in their order. */
  get gaps(): readonly ListeningGap[] {
    return this.known;
  }

  /** The same for what falls due by a plan: its instants may lie where a clock that was set forwards never was. */
  get gapsOfCalendar(): readonly ListeningGap[] {
    return this.jumps.reduce(withGap, this.known);
  }

  /** Whether no heartbeat can arrive at the moment, so that silence says nothing of a sender. */
  get isDeaf(): boolean {
    return this.deafness !== null && !this.deafness.seenBy.aborted;
  }

  /**
   * Takes in whether a check had a file descriptor. True when heartbeats can arrive again: the time without descriptors
   * is a gap now, and silences are to be judged anew.
   */
  noteCheck(
    { stopping }: Pick<WatchedMonitor, 'stopping'>,
    { reason }: Pick<ProbeResult, 'reason'>,
  ): boolean {
    const { clock } = this.options;
    const nowMs = clock.monotonic();
    const fault = reason?.ownFault;
    if (fault === descriptors) {
      this.deafness = {
        sinceMs: this.deafness?.sinceMs ?? this.connectedMs ?? nowMs,
        seenBy: stopping.signal,
      };
    }
    // A check that another fault prevented needed none.
    if (fault !== undefined) return false;
    this.connectedMs = nowMs;
    if (this.deafness === null) return false;
    const { sinceMs } = this.deafness;
    this.deafness = null;
    this.note(clock.now() - (nowMs - sinceMs));
    return true;
  }

  /**
   * Listening begins: the time since it last ended is a gap. An unknown end counts as never having listened. So is the time
   * since `refusedSinceAt` (epoch ms), from which on another node listened for other heartbeats.
   */
  begin(refusedSinceAt: number | null = null): void {
    const { store, clock } = this.options;
    const now = clock.now();
    const until = meta.get(store.sql, names.until);
    this.known = readGaps(meta.get(store.sql, names.gaps), now);
    const endedAt = typeof until === 'number' ? Math.min(until, now) : 0;
    this.note(Math.min(endedAt, refusedSinceAt ?? endedAt));
  }

  /** Writes down from time to time that this node listens, while anything is expected (`isNeeded`). */
  keepUp(timers: TimerQueue, isNeeded: () => boolean): void {
    timers.after(writeEveryMs, () => {
      if (isNeeded() && !this.isDeaf) this.writeUntil();
      this.keepUp(timers, isNeeded);
    });
  }

  /** This node was not listening from `fromAt` until now. */
  note(fromAt: number): void {
    this.known = withGap(this.known, { fromAt, toAt: this.options.clock.now() });
    this.write();
  }

  /** This process stood still, or the machine slept. */
  noteStandstill(gap: Exclude<Standstill, { readonly kind: 'none' }>): void {
    const now = this.options.clock.now();
    if (gap.kind === 'stood_still') this.note(now - gap.lostMs - beatMs);
    else this.note(now - gap.byMs);
  }

  /** The clock was set by `byMs`, with what was heard: nothing was lost, but a plan may have instants in between. */
  shift(byMs: number): void {
    const now = this.options.clock.now();
    this.known = shiftGaps(this.known, byMs);
    this.jumps = withGap(shiftGaps(this.jumps, byMs), { fromAt: now - byMs, toAt: now });
    this.write();
  }

  /** Listening ends: writes down that this node listened until now. */
  end(): void {
    if (!this.isOver && !this.isDeaf) this.writeUntil();
    this.isOver = true;
  }

  private write(): void {
    if (this.isOver) return;
    this.keep([this.gapsOnRecord()]);
    this.writeUntil();
  }

  /** False: the store is closed, or another node leads, which has a record of its own. */
  private keep(operations: readonly Operation[]): boolean {
    try {
      this.options.store.record(operations);
      return true;
    } catch {
      return false;
    }
  }

  private gapsOnRecord(): Operation {
    return meta.set({ name: names.gaps, value: this.known.map(({ fromAt, toAt }) => [fromAt, toAt]) });
  }

  private writeUntil(): void {
    const { store, clock } = this.options;
    if (!store.health().isDurable) {
      this.hasRefused = true;
      return;
    }
    const nowAt = clock.now();
    const nowMs = clock.monotonic();
    if (this.hasRefused)
      this.known = withGap(this.known, { fromAt: nowAt - (nowMs - this.recordedMs), toAt: nowAt });
    const isKept = this.keep([
      ...(this.hasRefused ? [this.gapsOnRecord()] : []),
      meta.set({ name: names.until, value: nowAt }),
    ]);
    if (!isKept) return;
    this.hasRefused = false;
    this.recordedMs = nowMs;
  }
}
