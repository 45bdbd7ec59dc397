/** Which node is asked first about a monitor that only another node than the first could reach. */
import type { Clock } from '../core/clock.ts';

/** How long that node is asked first. */
const preferredMs = 900_000;

export class PreferredNodes {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly byMonitor = new Map<string, { readonly node: string; readonly untilMs: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock;
  }

  set(monitor: string, node: string): void {
    this.byMonitor.set(monitor, { node, untilMs: this.clock.monotonic() + preferredMs });
  }

  forget(monitor: string): void {
    this.byMonitor.delete(monitor);
  }

  /** `order`, with the preferred node of the monitor first if it is among them. */
  first(monitor: string, order: readonly string[]): readonly string[] {
    const preferred = this.byMonitor.get(monitor);
    if (preferred === undefined) return order;
    if (preferred.untilMs <= this.clock.monotonic() || !order.includes(preferred.node)) {
      this.byMonitor.delete(monitor);
      return order;
    }
    return [preferred.node, ...order.filter((node) => node !== preferred.node)];
  }
}
