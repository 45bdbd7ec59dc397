/** Computes the next run of a cron schedule. */

/** Five fields of cron, on the clocks of a time zone. */
export interface ZonedSchedule {
  readonly schedule: string;
  readonly timezone: string;
}

/** The first instant of a schedule after `afterAt`, epoch ms; null: it never comes. */
export type NextRun = (schedule: ZonedSchedule, afterAt: number) => number | null;

/** Loads what reads schedules, and remembers each that was read. */
export async function loadNextRun(): Promise<NextRun> {
  const { Cron } = await import('croner');
  const read = new Map<string, InstanceType<typeof Cron>>();
  return ({ schedule, timezone }, afterAt) => {
    const key = `${timezone} ${schedule}`;
    let cron = read.get(key);
    if (cron === undefined) {
      cron = new Cron(schedule, { timezone, mode: '5-part', paused: true });
      read.set(key, cron);
    }
    return cron.nextRun(new Date(afterAt))?.getTime() ?? null;
  };
}
