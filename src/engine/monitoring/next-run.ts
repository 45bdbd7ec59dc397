/** Computes the next run of a cron schedule. */

/** The first instant of `schedule` (five fields, UTC) after `afterAt`, epoch ms; null: it never comes. */
export type NextRun = (schedule: string, afterAt: number) => number | null;

/** Loads what reads schedules, and remembers each that was read. */
export async function loadNextRun(): Promise<NextRun> {
  const { Cron } = await import('croner');
  const read = new Map<string, InstanceType<typeof Cron>>();
  return (schedule, afterAt) => {
    let cron = read.get(schedule);
    if (cron === undefined) {
      cron = new Cron(schedule, { timezone: 'UTC', mode: '5-part', paused: true });
      read.set(schedule, cron);
    }
    return cron.nextRun(new Date(afterAt))?.getTime() ?? null;
  };
}
