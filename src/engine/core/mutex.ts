/** Runs tasks one after the other. */

export class Mutex {
  private tail: Promise<void> | null = null;
  private ended = 0;

  /** How many pieces of work have ended. */
  get count(): number {
    return this.ended;
  }

  /** Does `work` when what came before is done, at once when nothing is. Rejects as it does. */
  run(work: () => Promise<void>): Promise<void>;
  run(work: () => Promise<void> | undefined): Promise<void> | undefined;
  run(work: () => Promise<void> | undefined): Promise<void> | undefined {
    const result = this.tail === null ? work() : this.tail.then(work);
    if (result === undefined) {
      this.ended += 1;
      return undefined;
    }
    this.follow(result);
    return result;
  }

  /** The same, but never within the call. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const result = (this.tail ?? Promise.resolve()).then(work);
    this.follow(result);
    return result;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.tail !== null) await this.tail;
  }

  private follow(result: Promise<unknown>): void {
    const end = () => {
      this.ended += 1;
      if (this.tail === settled) this.tail = null;
    };
    const settled: Promise<void> = result.then(end, end);
    this.tail = settled;
  }
}
