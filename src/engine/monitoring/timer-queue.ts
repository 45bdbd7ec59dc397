/** Calls functions at their time on the monotonic clock: one heap of appointments for all monitors. */
import type { Clock } from '../core/clock.ts';

/** Something to be done at `dueMs`; `run` does nothing once it is cancelled. */
export interface Timer {
  readonly dueMs: number;
  run: () => void;
}

export interface TimerQueueOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called on every wake, before what is due is done, and at least every `beatMs`. */
  readonly onWake: () => void;
  readonly beatMs: number;
}

/** Timers fire up to this much early. */
const earlyMs = 1;

const nothing = (): void => undefined;

export class TimerQueue {
  private readonly options: TimerQueueOptions;
  private readonly heap: Timer[] = [];
  /** When the next wake is arranged for. */
  private wakeMs = Infinity;

  constructor(options: TimerQueueOptions) {
    this.options = options;
  }

  /** Begins to wake. What was arranged before is done when its time has come. */
  start(): void {
    this.arrange();
  }

  /** Has `run` called at `dueMs`, or at once on the next wake when that is past. */
  at(dueMs: number, run: () => void): Timer {
    const timer: Timer = { dueMs, run };
    this.heap.push(timer);
    this.rise(this.heap.length - 1);
    if (this.heap[0] === timer && this.wakeMs !== Infinity) this.arrange();
    return timer;
  }

  after(ms: number, run: () => void): Timer {
    return this.at(this.options.clock.monotonic() + ms, run);
  }

  cancel(timer: Timer): void {
    timer.run = nothing;
  }

  /** By how much the first appointment is overdue; 0 when it is not. */
  overdueMs(): number {
    const first = this.heap[0];
    return first === undefined ? 0 : Math.max(0, this.options.clock.monotonic() - first.dueMs);
  }

  /** Sleeps until the first appointment, unless a sleep ends before. Sleeps are left to end: a wake costs little. */
  private arrange(): void {
    const { clock, signal, beatMs } = this.options;
    const nowMs = clock.monotonic();
    const wakeMs = Math.min(this.heap[0]?.dueMs ?? Infinity, nowMs + beatMs);
    if (wakeMs >= this.wakeMs) return;
    this.wakeMs = wakeMs;
    clock.sleep(Math.max(0, wakeMs - nowMs), signal).then(() => {
      if (this.wakeMs === wakeMs) this.wake();
    }, nothing);
  }

  private wake(): void {
    const { clock, signal, onWake } = this.options;
    onWake();
    // What is arranged meanwhile waits for its turn, so that nothing runs for ever.
    const untilMs = clock.monotonic() + earlyMs;
    for (let first = this.heap[0]; first !== undefined && first.dueMs <= untilMs; first = this.heap[0]) {
      if (signal.aborted) return;
      this.removeFirst();
      first.run();
    }
    this.wakeMs = Infinity;
    this.arrange();
  }

  private removeFirst(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    this.sink();
  }

  private rise(index: number): void {
    const { heap } = this;
    const item = heap[index];
    if (item === undefined) return;
    let place = index;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.dueMs <= item.dueMs) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = item;
  }

  private sink(): void {
    const { heap } = this;
    const item = heap[0];
    if (item === undefined) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below === undefined) break;
      if (right !== undefined && right.dueMs < below.dueMs) {
        below = right;
        child += 1;
      }
      if (below.dueMs >= item.dueMs) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = item;
  }
}
