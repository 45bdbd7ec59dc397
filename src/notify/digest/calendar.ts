/** Reads cron schedules, and answers for their slots. */
import type { Calendar } from '../../engine/core/digest.ts';

/** The calendar of a schedule of five fields in UTC. */
export type CalendarOf = (schedule: string) => Calendar;

/** Loads what reads schedules. */
export async function loadCalendars(): Promise<CalendarOf> {
  const { Cron } = await import('croner');
  return (schedule) => {
    const cron = new Cron(schedule, { timezone: 'UTC', mode: '5-part', paused: true });
    return {
      // It answers only what lies before the instant it is given.
      latest: (at) => cron.previousRuns(1, new Date(at + 1))[0]?.getTime() ?? null,
      next: (afterAt) => cron.nextRun(new Date(afterAt))?.getTime() ?? null,
    };
  };
}
