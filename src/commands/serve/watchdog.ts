/** Reports state and progress to the service manager at regular intervals. */
import type { Clock } from '../../engine/core/clock.ts';
import type { Log } from '../../engine/core/log.ts';
import { statuses, type Status } from '../../engine/core/status.ts';
import type { NotifyServiceManager } from './service-manager.ts';

export interface WatchdogOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly report: NotifyServiceManager;
  /** How often the watchdog wants to be fed; null: there is none. */
  readonly watchdogMs: number | null;
  /** Whether the schedule has made progress since the last time this was asked. */
  readonly hasProgressed: () => boolean;
  /** One line about the monitors. */
  readonly status: () => string;
}

const withoutWatchdogMs = 10_000;

/** Resolves when `signal` is aborted. A schedule that stands still does not feed the watchdog, which then acts. */
export async function feedWatchdog(options: WatchdogOptions): Promise<void> {
  const { clock, log, signal, report, watchdogMs, hasProgressed, status } = options;
  const isOver = () => signal.aborted;
  let notified = '';
  let wasMoving = true;
  const statusNews = () => {
    const line = status();
    const news = line === notified ? [] : [`STATUS=${line}`];
    notified = line;
    return news;
  };
  void report(...statusNews());
  for (;;) {
    await clock.sleep(watchdogMs ?? withoutWatchdogMs, signal).catch(() => undefined);
    if (isOver()) return;
    const isMoving = hasProgressed();
    if (watchdogMs !== null && isMoving !== wasMoving) log(isMoving ? moving : still);
    wasMoving = isMoving;
    const food = watchdogMs !== null && isMoving ? ['WATCHDOG=1'] : [];
    const assignments = [...food, ...statusNews()];
    if (assignments.length > 0) void report(...assignments);
  }
}

const still = {
  level: 'error',
  event: 'watchdog.starved',
  message: 'the scheduler is stalled, so the systemd watchdog is not fed',
} as const;

const moving = { level: 'info', event: 'watchdog.fed', message: 'the scheduler is running again' } as const;

/** `12 up, 1 down`: how many monitors have each status, leaving out those that none has. */
export function statusLine(known: Iterable<Status>): string {
  const counts = new Map<Status, number>();
  for (const status of known) counts.set(status, (counts.get(status) ?? 0) + 1);
  const words = statuses.filter((status) => counts.has(status));
  return words.length === 0
    ? 'no monitors'
    : words.map((status) => `${counts.get(status) ?? 0} ${status}`).join(', ');
}
