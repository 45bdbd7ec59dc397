/** Calls functions at their time on the monotonic clock: one queue for all monitors. */
import TinyQueue from 'tinyqueue';
import { onAbort } from '../core/abort.ts';
import { callAfter, type Clock, untilBeat } from '../core/clock.ts';
import { type OnFault, unattended } from '../core/unattended.ts';

/** Something to be done at `dueMs`; `run` does nothing once it is cancelled. A promise that it answers is not waited for. */
export interface Timer {
  readonly dueMs: number;
  run: () => unknown;
}

export interface TimerQueueOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called on every wake, before what is due is done, and at least every `beatMs`. */
  readonly onWake: () => void;
  readonly beatMs: number;
  /** Told what a timer threw, or what its promise was rejected with. All other timers go on. */
  readonly onFault: OnFault;
}

/** Timers fire up to this much early. */
const earlyMs = 1;

const nothing = (): void => undefined;

export class TimerQueue {
  private readonly options: TimerQueueOptions;
  private readonly queue = new TinyQueue<Timer>([], (a, b) => a.dueMs - b.dueMs);
  /** When the next wake is arranged for. */
  private wakeMs = Infinity;
  private callOff = nothing;

  constructor(options: TimerQueueOptions) {
    this.options = options;
  }

  /** Begins to wake. What was arranged before is done when its time has come. */
  start(): void {
    const { signal } = this.options;
    if (signal.aborted) return;
    onAbort(signal, () => {
      this.callOff();
    });
    this.arrange();
  }

  /** Has `run` called at `dueMs`, or at once on the next wake when that is past. */
  at(dueMs: number, run: () => unknown): Timer {
    const timer: Timer = { dueMs, run };
    this.queue.push(timer);
    if (this.queue.peek() === timer && this.wakeMs !== Infinity) this.arrange();
    return timer;
  }

  after(ms: number, run: () => unknown): Timer {
    return this.at(this.options.clock.monotonic() + ms, run);
  }

  cancel(timer: Timer): void {
    timer.run = nothing;
  }

  /** By how much the first timer is overdue; 0 when it is not. */
  overdueMs(): number {
    const first = this.queue.peek();
    return first === undefined ? 0 : Math.max(0, this.options.clock.monotonic() - first.dueMs);
  }

  /** Has itself woken at the first timer or the next beat, unless it is woken before. */
  private arrange(): void {
    const { clock, signal, beatMs } = this.options;
    const nowMs = clock.monotonic();
    const wakeMs = Math.min(this.queue.peek()?.dueMs ?? Infinity, nowMs + untilBeat(nowMs, beatMs));
    if (wakeMs >= this.wakeMs || signal.aborted) return;
    this.callOff();
    this.wakeMs = wakeMs;
    this.callOff = callAfter(clock, Math.max(0, wakeMs - nowMs), this.wake);
  }

  private readonly wake = (): void => {
    const { clock, signal, onWake, onFault } = this.options;
    unattended(onWake, onFault);
    // What is arranged meanwhile waits for its turn, so that nothing runs for ever.
    const untilMs = clock.monotonic() + earlyMs;
    for (
      let first = this.queue.peek();
      first !== undefined && first.dueMs <= untilMs;
      first = this.queue.peek()
    ) {
      if (signal.aborted) return;
      this.queue.pop();
      unattended(first.run, onFault);
    }
    this.wakeMs = Infinity;
    this.arrange();
  };
}
