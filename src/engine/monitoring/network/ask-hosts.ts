/** Probes reference hosts: a few at first, then more and more, until one of them answers. */
import type { TimerQueue, Timer } from '../timer-queue.ts';
import { longestCheckSecs } from '../check-policy.ts';
import type { WatchedMonitor } from '../watched-monitor.ts';

export interface HostInquiryOptions {
  readonly timers: TimerQueue;
  /** Asks a monitor's target now; resolves when it has answered or failed to. */
  readonly ask: (watchedMonitor: WatchedMonitor) => Promise<void>;
}

/** How many are asked at first, and twice as many after each step. */
export const askedAtFirst = 8;
const stepMs = 3000;

/** A decision waits no longer than this for an answer. */
const withinMs = 30_000;

export class HostInquiry {
  private readonly options: HostInquiryOptions;
  private readonly open = new Set<() => void>();

  constructor(options: HostInquiryOptions) {
    this.options = options;
  }

  /** A host answered another check: nothing more is to be found out. */
  noteAnswer(): void {
    for (const end of [...this.open]) end();
  }

  /** Asks these in their order. Resolves when a host answers, when all have failed to, or when the time is over. */
  firstAnswer(order: readonly WatchedMonitor[]): Promise<void> {
    const { timers, ask } = this.options;
    return new Promise((resolve) => {
      let next = 0;
      let size = askedAtFirst;
      let underWay = 0;
      let step: Timer | null = null;
      const end = () => {
        timers.cancel(patience);
        if (step !== null) timers.cancel(step);
        this.open.delete(end);
        next = order.length;
        resolve();
      };
      const goOn = () => {
        const some = order.slice(next, next + size);
        next += some.length;
        size *= 2;
        underWay += some.length;
        step = next < order.length ? timers.after(stepMs, goOn) : null;
        for (const watchedMonitor of some) {
          void ask(watchedMonitor).then(() => {
            underWay -= 1;
            if (underWay === 0 && next >= order.length) end();
          });
        }
        if (order.length === 0) end();
      };
      const patience = timers.after(withinMs, end);
      this.open.add(end);
      goOn();
    });
  }
}

/** One monitor a host, whose check takes the shortest; those that answered last come first. */
export function quickestOf(hosts: ReadonlySet<string>, all: Iterable<WatchedMonitor>): WatchedMonitor[] {
  const quickest = new Map<string, WatchedMonitor>();
  for (const watchedMonitor of all) {
    if (watchedMonitor.host === null || !hosts.has(watchedMonitor.host)) continue;
    const known = quickest.get(watchedMonitor.host);
    if (known === undefined || longestCheckSecs(watchedMonitor.monitor) < longestCheckSecs(known.monitor))
      quickest.set(watchedMonitor.host, watchedMonitor);
  }
  const answeredMs = ({ reach: { evidence } }: WatchedMonitor) =>
    evidence?.said === 'answered' ? evidence.atMs : -1;
  return [...quickest.values()].toSorted((a, b) => answeredMs(b) - answeredMs(a));
}
