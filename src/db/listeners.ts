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

  readonly tell = (value: T): void => {
    for (const listener of this.all) listener(value);
  };
}
