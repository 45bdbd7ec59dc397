/** Which of many spans lie over an instant, for instants that only go forward. */
import type { Span } from './episodes.ts';

export class Timeline<T extends Span> {
  readonly #spans: readonly T[];
  #current: readonly T[] = [];
  #changesAt = -Infinity;

  constructor(spans: readonly T[]) {
    this.#spans = spans;
  }

  /** The spans that `secs` lies in. It must not be less than the time before. */
  at(secs: number): readonly T[] {
    if (secs < this.#changesAt) return this.#current;
    this.#current = this.#spans.filter((span) => span.fromSecs <= secs && secs < span.toSecs);
    const edges = this.#spans
      .flatMap(({ fromSecs, toSecs }) => [fromSecs, toSecs])
      .filter((edge) => edge > secs);
    this.#changesAt = edges.reduce((nearest, edge) => Math.min(nearest, edge), Infinity);
    return this.#current;
  }
}
