/** Decides when a monitor is checked. All instants are of a monotonic clock, in milliseconds. */
import { fractionOf } from '../core/fraction.ts';

/** Ticks at `firstMs` and every `intervalMs` after it. `share` (0 to below 1) is the monitor's place among others. */
export interface Schedule {
  readonly firstMs: number;
  readonly intervalMs: number;
  readonly share: number;
  readonly windows: Windows;
}

/**
 * What is due within a tenth of a second is gathered in the beginning of it, where checks follow each other closely: a
 * process that wakes for each check alone finds the caches of the processor cold, and takes twice as long for it.
 */
export interface Windows {
  /** Where the first window begins. */
  readonly fromMs: number;
  /** The part of each window in which checks begin. */
  readonly usedMs: number;
}

/**
 * The tick numbered `index`, from 0; `dueMs` is where the schedule puts it, unless it was put off. Numbers are what
 * keeps a schedule from drifting: no tick is reckoned from the one before.
 */
export interface Tick {
  readonly index: number;
  readonly dueMs: number;
}

/** What to do with a tick whose time has come. */
export type TickDecision =
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'run'; readonly latenessMs: number }
  /** Too late to run: `next` is the next one in the future, `skipped` says how many are never run. */
  | {
      readonly kind: 'skip';
      readonly latenessMs: number;
      readonly skipped: number;
      readonly next: Tick;
    }
  /** Too late to run now, too long until the next one: `next` is the same tick, a little later. */
  | { readonly kind: 'put_off'; readonly latenessMs: number; readonly next: Tick };

/** A tick later than this was held up by more than a busy moment: the machine slept, or the process stood still. */
const toleratedMs = 5_000;

/** After a start or a standstill every monitor is checked within this time, spread over it. */
const catchUpMs = 60_000;

/** Divides every interval of the configuration, so that what is gathered once stays together. */
const windowMs = 100;

/** Between the checks of one window, on average: about what one takes of the event loop. */
const apartMs = 2;

/** The windows of monitors with these intervals, counted from `fromMs`. With 500 checks a second all of each is used. */
export function windowsOf(intervalsMs: Iterable<number>, fromMs: number): Windows {
  let inWindow = 0;
  for (const intervalMs of intervalsMs) inWindow += windowMs / Math.min(intervalMs, catchUpMs);
  return { fromMs, usedMs: Math.min(windowMs, inWindow * apartMs) };
}

/**
 * The schedule of a monitor started at `nowMs`: tick 0 lies within one interval, at a place that depends on the id
 * alone, so that many monitors started at once are spread evenly over the windows.
 */
export function scheduleOf(
  { id, intervalMs }: { readonly id: string; readonly intervalMs: number },
  nowMs: number,
  windows: Windows,
): Schedule {
  const share = fractionOf(id);
  return { firstMs: gathered(nowMs + share * intervalMs, nowMs, windows), intervalMs, share, windows };
}

/** Where in its window something due at `dueMs` is done: not before `nowMs`, and less than a window from `dueMs`. */
function gathered(dueMs: number, nowMs: number, { fromMs, usedMs }: Windows): number {
  const place = (dueMs - fromMs) % windowMs;
  const early = dueMs - place + (place * usedMs) / windowMs;
  return early < nowMs ? early + windowMs : early;
}

/**
 * The tick to begin with at `nowMs`. Where tick 0 may be hours away, one more comes before it (index -1) within a
 * minute, so that a daily check is not unknown for a day after each start.
 */
export function firstTick(schedule: Schedule, nowMs: number): Tick {
  return schedule.intervalMs <= catchUpMs ? tickAt(schedule, 0) : caughtUp(schedule, -1, nowMs);
}

/** The first tick after `tick` that is due after `nowMs`: what a long check has overrun is left out. */
export function nextTick(schedule: Schedule, tick: Tick, nowMs: number): Tick {
  const passed = Math.floor((nowMs - schedule.firstMs) / schedule.intervalMs);
  return tickAt(schedule, Math.max(tick.index, passed) + 1);
}

/**
 * Whether `tick` is run at `nowMs`. After a standstill all monitors are late at once; running them all would be a
 * burst, so each goes on with its next tick, or is put off to a place of its own in the next minute.
 */
export function decideTick(schedule: Schedule, tick: Tick, nowMs: number): TickDecision {
  const latenessMs = nowMs - tick.dueMs;
  if (latenessMs < 0) return { kind: 'wait', waitMs: -latenessMs };
  if (latenessMs <= Math.min(toleratedMs, schedule.intervalMs)) return { kind: 'run', latenessMs };
  const next = nextTick(schedule, tick, nowMs);
  if (next.dueMs - nowMs <= catchUpMs)
    return { kind: 'skip', latenessMs, skipped: next.index - tick.index, next };
  return { kind: 'put_off', latenessMs, next: caughtUp(schedule, next.index - 1, nowMs) };
}

/** A tick at a place of its own in the minute that begins at `nowMs`. */
function caughtUp({ share, windows }: Schedule, index: number, nowMs: number): Tick {
  return { index, dueMs: gathered(nowMs + share * catchUpMs, nowMs, windows) };
}

function tickAt({ firstMs, intervalMs }: Schedule, index: number): Tick {
  return { index, dueMs: firstMs + index * intervalMs };
}
