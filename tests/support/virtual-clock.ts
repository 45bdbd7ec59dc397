/** The clock of the tests: it stands still until it is moved, and may be set, sleep or stall. */
import { VirtualTime } from '../../src/commands/test/runner/virtual-time.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class VirtualClock extends VirtualTime {
  private sleptMs = 0;

  constructor(startAt = Date.UTC(2026, 0, 1)) {
    super(startAt);
  }

  /** The wall clock before it is rounded to whole ms. */
  readonly preciseNow = (): number => this.offsetMs + this.elapsedMs;

  /** As on a machine whose monotonic clock stands still while it sleeps. */
  readonly uptime = (): number => this.elapsedMs + this.sleptMs;

  /** The wall clock alone jumps, as when somebody sets it. */
  step(ms: number): void {
    this.offsetMs += ms;
  }

  /** The machine sleeps: time passes that the monotonic clock does not count. */
  suspend(ms: number): void {
    this.sleptMs += ms;
    this.offsetMs += ms;
  }

  /** The whole process stands still: time passes and nobody is woken until it has. */
  stall(ms: number): void {
    this.elapsedMs += ms;
  }

  /** Lets time pass at once; who is due wakes, in order. */
  advance(ms: number): void {
    this.moveTo(this.elapsedMs + ms);
  }

  /** As `advance`, to an instant of the wall clock. */
  advanceTo(at: number): void {
    this.moveTo(at - this.offsetMs);
  }

  /** Lets time pass, one instant after the other; everything that it wakes has run when this resolves. */
  run(ms: number): Promise<void> {
    return this.runTo(this.elapsedMs + ms);
  }

  /** Lets time pass by itself, `stepMs` a turn of the event loop, while `work` is under way. */
  async during<T>(work: Promise<T>, stepMs = 50): Promise<T> {
    const isDone = watched(work);
    while (!isDone()) {
      await turn();
      this.advance(stepMs);
    }
    return work;
  }

  /** Lets time pass until `work` is done, when that does not come about without. */
  async until<T>(work: Promise<T>): Promise<T> {
    const isDone = watched(work);
    // Most work needs no time to pass, but a moment of the real event loop: a module to be loaded, say.
    const realMs = performance.now();
    while (!isDone() && performance.now() - realMs < 200) await turn();
    for (let limit = 0; !isDone() && limit < 100_000; limit += 1) await this.run(100);
    return work;
  }

  /** As after a crash: nobody is left who sleeps. */
  forget(): void {
    while (this.sleepers.pop() !== undefined);
  }
}

function watched(work: Promise<unknown>): () => boolean {
  let isDone = false;
  const note = () => {
    isDone = true;
  };
  work.then(note, note);
  return () => isDone;
}
