/** Does short pieces of work at once while there are few, and some in each turn of the event loop when there are many. */

/** So long pieces follow each other before whatever else waits has its turn. */
const sliceMs = 5;

/** So many that come together are few: they begin before what follows from the first of them. */
const few = 8;

export class Yielder {
  private readonly monotonic: () => number;
  private readonly waiting: (() => void)[] = [];
  /** When the first piece of this turn began; null: none has. */
  private begunMs: number | null = null;
  private readonly atOnce: number;
  /** How many have begun without what follows from them having happened. */
  private underWay = 0;

  constructor(monotonic: () => number, atOnce = few) {
    this.monotonic = monotonic;
    this.atOnce = atOnce;
  }

  /** Undefined: go on at once. Otherwise it resolves when it is this piece's turn, in the order they came. */
  pass(): Promise<void> | undefined {
    if (this.underWay < this.atOnce && this.waiting.length === 0 && this.isTimeLeft()) {
      this.begin();
      return undefined;
    }
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  private isTimeLeft(): boolean {
    const nowMs = this.monotonic();
    if (this.begunMs === null) {
      this.begunMs = nowMs;
      setImmediate(() => {
        this.begunMs = null;
        this.goOn();
      });
    }
    return nowMs - this.begunMs < sliceMs;
  }

  private goOn(): void {
    if (this.underWay > 0 || this.waiting.length === 0 || !this.isTimeLeft()) return;
    this.begin(this.waiting.shift());
  }

  private begin(piece?: () => void): void {
    this.underWay += 1;
    piece?.();
    if (this.underWay > 1) return;
    // A tick asked for by a promise comes when no promise is left, so what a piece leads to counts as part of it.
    queueMicrotask(() => {
      process.nextTick(() => {
        this.underWay = 0;
        this.goOn();
      });
    });
  }
}
