/** Counts the probes that nodes were asked for since the process began, whoever leads. */
import type { Reply } from './client.ts';
import type { Refusal } from './wire.ts';

/** `result`: there is one. `no_reply`: nothing came in time. Otherwise why the node has none. */
type CheckOutcome = 'result' | 'no_reply' | Refusal;

export class CheckCounts {
  private readonly byNode = new Map<string, Map<CheckOutcome, number>>();
  private inPlace = 0;

  /** `times`: how many probes it took. */
  note(node: string, reply: Reply, times = 1): void {
    const outcome = reply === null ? 'no_reply' : typeof reply === 'string' ? reply : 'result';
    const counts = this.byNode.get(node) ?? new Map<CheckOutcome, number>();
    this.byNode.set(node, counts);
    counts.set(outcome, (counts.get(outcome) ?? 0) + times);
  }

  /** The node that leads makes a check because no other node can. */
  noteFallback(): void {
    this.inPlace += 1;
  }

  get fallbacks(): number {
    return this.inPlace;
  }

  all(): readonly { readonly node: string; readonly outcome: string; readonly count: number }[] {
    return [...this.byNode].flatMap(([node, counts]) =>
      [...counts].map(([outcome, count]) => ({ node, outcome, count })),
    );
  }
}
