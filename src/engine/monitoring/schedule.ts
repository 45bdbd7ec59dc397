/** Decides when a monitor is checked. All instants are of a monotonic clock, in milliseconds. */
import { fractionOf } from '../core/fraction.ts';

/** Ticks at `firstMs` and every `intervalMs` after it. `share` (0 to below 1) is the monitor's place among others. */
export interface Schedule {
  readonly firstMs: number;
  readonly intervalMs: number;
  readonly share: number;
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

/**
 * The schedule of a monitor started at `nowMs`: tick 0 lies within one interval, at a place that depends on the id
 * alone, so that many monitors started at once are spread evenly.
 */
export function scheduleOf(id: string, intervalMs: number, nowMs: number): Schedule {
  const share = fractionOf(id);
  return { firstMs: nowMs + share * intervalMs, intervalMs, share };
}

/**
 * The tick to begin with. Where tick 0 may be hours away, one more comes before it (index -1) within a minute, so that
 * a daily check is not unknown for a day after each start.
 */
export function firstTick(schedule: Schedule): Tick {
  const { firstMs, intervalMs, share } = schedule;
  if (intervalMs <= catchUpMs) return tickAt(schedule, 0);
  return { index: -1, dueMs: firstMs - share * (intervalMs - catchUpMs) };
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
  const last = tickAt(schedule, next.index - 1);
  return {
    kind: 'put_off',
    latenessMs,
    next: { index: last.index, dueMs: nowMs + schedule.share * catchUpMs },
  };
}

function tickAt({ firstMs, intervalMs }: Schedule, index: number): Tick {
  return { index, dueMs: firstMs + index * intervalMs };
}
