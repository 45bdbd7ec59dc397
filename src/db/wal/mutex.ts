/** Pieces of work on the log, one after the other. */
export class WalMutex {
  private last: Promise<unknown> = Promise.resolve();
  private ended = 0;

  /** How many pieces of work have ended. */
  get count(): number {
    return this.ended;
  }

  /** Runs `work` once what was asked for before has ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result
      .catch(() => undefined)
      .then(() => {
        this.ended += 1;
      });
    return result;
  }
}
