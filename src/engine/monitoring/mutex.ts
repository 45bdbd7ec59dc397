/** Does things one after the other: the samples of one monitor are confirmed and written in the order they came. */

export class Mutex {
  private tail: Promise<void> | null = null;

  /** Does `work` when what came before is done, at once when nothing is. Rejects as it does. */
  run(work: () => Promise<void> | undefined): Promise<void> | undefined {
    const result = this.tail === null ? work() : this.tail.then(work);
    if (result === undefined) return undefined;
    const settled: Promise<void> = result
      .catch(() => undefined)
      .then(() => {
        if (this.tail === settled) this.tail = null;
      });
    this.tail = settled;
    return result;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.tail !== null) await this.tail;
  }
}
