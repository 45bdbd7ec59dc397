/** A list of functions to call. */

export class Listeners<T> {
  private readonly all = new Set<(value: T) => void>();

  get isEmpty(): boolean {
    return this.all.size === 0;
  }

  /** Answers how to stop. */
  add(listener: (value: T) => void): () => void {
    this.all.add(listener);
    return () => {
      this.all.delete(listener);
    };
  }

  /** What a listener throws is its own fault, and thrown where nobody takes it for something else. */
  readonly report = (value: T): void => {
    for (const listener of this.all) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };
}
