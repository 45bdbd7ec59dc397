/** What happened in the past of the demo. */
import type { Category } from '../../engine/core/probe.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** How a monitor answers on an ordinary day, in milliseconds: at night, and how much more at the busiest hour. */
export interface MonitorProfile {
  readonly id: string;
  readonly name: string;
  readonly baseMs: number;
  readonly busyMs: number;
  /** In every how many checks two fail in a row, which is too few to confirm an outage. */
  readonly flapsEvery?: number;
  /** It is checked once a minute, and so was it last week: enough for `statusd tune`. */
  readonly isSteady?: boolean;
}

export const monitorProfiles: readonly MonitorProfile[] = [
  { id: 'website', name: 'Website', baseMs: 38, busyMs: 30 },
  { id: 'search', name: 'Search', baseMs: 85, busyMs: 120 },
  { id: 'flaky', name: 'Flaky service', baseMs: 24, busyMs: 12, flapsEvery: 397 },
  { id: 'database', name: 'Database', baseMs: 3, busyMs: 3 },
  { id: 'api', name: 'API', baseMs: 46, busyMs: 60 },
  { id: 'shop', name: 'Shop', baseMs: 110, busyMs: 140 },
  { id: 'mail', name: 'Mail server', baseMs: 21, busyMs: 15, flapsEvery: 1500, isSteady: true },
];

/** A job that reports by itself, once a night. */
export const job = { id: 'backup', name: 'Nightly backup' };

/** A time of the past: so many days before today, then the hour and minute of that day in UTC. */
interface PastTime {
  readonly daysAgo: number;
  readonly hour: number;
  readonly minute?: number;
}

export interface PastOutage {
  readonly monitor: string;
  readonly from: PastTime;
  readonly minutes: number;
  readonly category: Category;
  readonly reason: string;
  /** The id of the upstream that took it along. */
  readonly cause?: string;
  readonly impacted?: readonly string[];
  readonly updates?: readonly (readonly [
    minute: number,
    state: 'investigating' | 'identified' | 'monitoring',
    text: string,
  ])[];
  readonly acknowledged?: { readonly minute: number; readonly by: string; readonly reason: string };
  readonly note?: string;
  /** Under maintenance: no alert was sent. */
  readonly isMuted?: boolean;
}

const rackMove = { daysAgo: 12, hour: 9, minute: 12 };

/** The maintenance that is over, and the one to come, as the configuration of the demo has them. */
export function maintenanceOf(nowAt: number): readonly { title: string; startAt: number; endAt: number }[] {
  const past = timeOf({ daysAgo: 23, hour: 2 }, nowAt);
  const next = timeOf({ daysAgo: -4, hour: 2 }, nowAt);
  return [
    { title: 'Database upgrade', startAt: past, endAt: past + 2 * hourMs },
    { title: 'New search index', startAt: next, endAt: next + hourMs },
  ];
}

export const outages: readonly PastOutage[] = [
  {
    monitor: 'backup',
    from: { daysAgo: 74, hour: 3, minute: 10 },
    minutes: 310,
    category: 'heartbeat',
    reason: 'no heartbeat for 24h 10m',
  },
  {
    monitor: 'website',
    from: { daysAgo: 57, hour: 16, minute: 40 },
    minutes: 14,
    category: 'timeout',
    reason: 'no answer within 10 s',
  },
  {
    monitor: 'api',
    from: { daysAgo: 31, hour: 14, minute: 3 },
    minutes: 22,
    category: 'status',
    reason: 'status 500 Internal Server Error, expected 2xx',
    note: 'v2.14 sent queries without a limit. Rolled back; the fix is in v2.14.1.',
  },
  {
    monitor: 'database',
    from: { daysAgo: 23, hour: 2, minute: 20 },
    minutes: 50,
    category: 'connection',
    reason: 'connection refused by 127.0.0.1',
    isMuted: true,
  },
  {
    monitor: 'database',
    from: rackMove,
    minutes: 47,
    category: 'connection',
    reason: 'connection refused by 127.0.0.1',
    impacted: ['api', 'shop'],
    acknowledged: { minute: 4, by: 'phone', reason: 'on the way to the rack' },
    updates: [
      [6, 'investigating', 'The database does not answer. We are looking into it; orders cannot be placed.'],
      [21, 'identified', 'A disk of the database server failed. We are moving to the spare.'],
      [44, 'monitoring', 'The spare has taken over and the shop answers again. We keep an eye on it.'],
    ],
    note: 'A failed disk. The spare needed 40 minutes to take over, since nobody had tried it for a year.',
  },
  {
    monitor: 'api',
    from: { ...rackMove, minute: 13 },
    minutes: 46,
    category: 'status',
    reason: 'status 503 Service Unavailable, expected 2xx',
    cause: 'database',
  },
  {
    monitor: 'shop',
    from: { ...rackMove, minute: 13 },
    minutes: 46,
    category: 'status',
    reason: 'status 502 Bad Gateway, expected 2xx',
    cause: 'api',
  },
  {
    monitor: 'shop',
    from: { daysAgo: 2, hour: 19, minute: 25 },
    minutes: 8,
    category: 'timeout',
    reason: 'no answer within 10 s',
  },
];

/** Times in which a monitor was slow, which is shown and wakes nobody. */
export const slowTimes: readonly {
  readonly monitor: string;
  readonly from: PastTime;
  readonly minutes: number;
}[] = [
  { monitor: 'search', from: { daysAgo: 66, hour: 9 }, minutes: 240 },
  { monitor: 'search', from: { daysAgo: 5, hour: 10 }, minutes: 200 },
  { monitor: 'shop', from: { daysAgo: 40, hour: 11 }, minutes: 90 },
];

export const slowMs = 900;

export const changes: readonly {
  readonly title: string;
  readonly monitors: readonly string[];
  readonly at: PastTime;
}[] = [
  { title: 'deploy v2.14', monitors: ['api'], at: { daysAgo: 31, hour: 14 } },
  { title: 'deploy v2.14.1', monitors: ['api'], at: { daysAgo: 31, hour: 15, minute: 30 } },
  { title: 'new search index', monitors: ['search'], at: { daysAgo: 5, hour: 9, minute: 50 } },
];

/** From when to when, in epoch milliseconds. */
export function spanOf(
  { from, minutes }: { readonly from: PastTime; readonly minutes: number },
  nowAt: number,
): { readonly startAt: number; readonly endAt: number } {
  const startAt = timeOf(from, nowAt);
  return { startAt, endAt: startAt + minutes * minuteMs };
}

export function timeOf({ daysAgo, hour, minute = 0 }: PastTime, nowAt: number): number {
  return dayOf(nowAt) - daysAgo * dayMs + hour * hourMs + minute * minuteMs;
}

/** Midnight of the day, UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}
