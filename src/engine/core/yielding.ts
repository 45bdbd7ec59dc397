/** Gives way to the event loop during long work: between steps, after a time, or piece by piece. */

/** How long work goes on before others have their turn, in milliseconds. */
const sliceMs = 5;

const settled = Promise.resolve();

/** Resolves in the next turn of the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Answers what long work calls between its parts: it resolves at once, or in the next turn when 5 ms are over. */
export function paced(monotonic: () => number): () => Promise<void> {
  let turnAt = monotonic();
  const nextTurn = async () => {
    await yieldToEventLoop();
    turnAt = monotonic();
  };
  return () => (monotonic() - turnAt < sliceMs ? settled : nextTurn());
}

/** Work in steps; between two of them nothing is half done. Returns what it makes. */
export type Steps<Made> = Generator<undefined, Made, undefined>;

export function atOnce<Made>(steps: Steps<Made>): Made {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Calls `yieldTurn` (see `paced`) between the steps. */
export async function withPauses<Made>(steps: Steps<Made>, yieldTurn: () => Promise<void>): Promise<Made> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yieldTurn();
  }
}

/** How many pieces that come together are few: they begin before what follows from the first of them. */
const few = 8;

/** Does short pieces of work at once while there are few, and 5 ms of them in each turn of the event loop when there are many. */
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
      setImmediate(this.onNextTurn);
    }
    return nowMs - this.begunMs < sliceMs;
  }

  private readonly onNextTurn = (): void => {
    this.begunMs = null;
    this.goOn();
  };

  private goOn(): void {
    if (this.underWay > 0 || this.waiting.length === 0 || !this.isTimeLeft()) return;
    this.begin(this.waiting.shift());
  }

  private begin(piece?: () => void): void {
    this.underWay += 1;
    piece?.();
    if (this.underWay > 1) return;
    // A tick asked for by a promise comes when no promise is left, so what a piece leads to counts as part of it.
    // Not by queueMicrotask, which makes an asynchronous resource of each.
    void settled.then(this.afterPromises);
  }

  private readonly afterPromises = (): void => {
    process.nextTick(this.afterAll);
  };

  private readonly afterAll = (): void => {
    this.underWay = 0;
    this.goOn();
  };
}
