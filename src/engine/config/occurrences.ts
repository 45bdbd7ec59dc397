/** Computes the windows of a maintenance schedule. */
import { Cron } from 'croner';

export interface Recurrence {
  /** Five fields of cron, on the clocks of `timezone`. */
  readonly schedule: string;
  readonly timezone: string;
  readonly durationMs: number;
  /** No window begins before the one or after the other, epoch ms; null: there is no such limit. */
  readonly fromAt: number | null;
  readonly untilAt: number | null;
}

/** From `startAt` to before `endAt`, epoch ms. */
export interface Occurrence {
  readonly startAt: number;
  readonly endAt: number;
}

/** How many runs are looked at to find how close together a schedule can be. */
const manyRuns = 60;

export interface OccurrenceQuery {
  /** It ends after this. */
  readonly afterAt: number;
  /** It begins after this one began: -Infinity: any. */
  readonly lastAt: number;
}

/** The next window; null: none comes any more. A window lasts for real time, whatever the clocks do meanwhile. */
export function nextOccurrence(
  recurrence: Recurrence,
  { afterAt, lastAt }: OccurrenceQuery,
): Occurrence | null {
  const { durationMs, fromAt, untilAt } = recurrence;
  const firstAt = Math.max(afterAt - durationMs, lastAt, fromAt === null ? -Infinity : fromAt - 1);
  const startAt = cronOf(recurrence).nextRun(new Date(firstAt))?.getTime() ?? null;
  if (startAt === null || (untilAt !== null && startAt >= untilAt)) return null;
  return { startAt, endAt: startAt + durationMs };
}

/** The least time between two runs, as far as some dozens of them show. */
export function shortestGapMs(schedule: string): number {
  const runs = cronOf({ schedule, timezone: 'UTC' }).nextRuns(manyRuns, new Date(0));
  return runs.reduce(
    (least, run, index) => Math.min(least, run.getTime() - (runs[index - 1]?.getTime() ?? -Infinity)),
    Infinity,
  );
}

/** After so many windows without a gap there is hardly one: those of an hour make two weeks. */
const manyWindows = 400;

/** The first instant from `fromAt` to before `toAt` that no window of any of these covers; null: they leave none. */
export function firstGap(
  recurrences: readonly Recurrence[],
  { fromAt, toAt }: { readonly fromAt: number; readonly toAt: number },
): number | null {
  let at = fromAt;
  for (let count = 0; count < manyWindows && at < toAt; count += 1) {
    const covered = recurrences.reduce((until, recurrence) => {
      const next = nextOccurrence(recurrence, { afterAt: at, lastAt: -Infinity });
      return next !== null && next.startAt <= at ? Math.max(until, next.endAt) : until;
    }, at);
    if (covered === at) return at;
    at = covered;
  }
  return null;
}

const known = new Map<string, Cron>();

function cronOf({ schedule, timezone }: Pick<Recurrence, 'schedule' | 'timezone'>): Cron {
  const key = `${timezone} ${schedule}`;
  const read = known.get(key) ?? new Cron(schedule, { timezone, mode: '5-part', paused: true });
  if (known.size > 1000) known.clear();
  known.set(key, read);
  return read;
}
