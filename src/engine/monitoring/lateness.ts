/** Remembers how late the last ticks began. */

export interface LatenessSummary {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const remembered = 1000;

export class LatenessLog {
  private readonly values: number[] = [];
  private next = 0;

  note(latenessMs: number): void {
    this.values[this.next] = Math.max(0, latenessMs);
    this.next = (this.next + 1) % remembered;
  }

  /** Zeros before the first tick. */
  summary(): LatenessSummary {
    const sorted = this.values.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1) ?? 0 };
  }
}
