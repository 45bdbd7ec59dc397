/** Says how many days of daily figures a configuration asks for. */
import type { Config } from './config.ts';

/** Pages show the uptime of a quarter, however many bars they show. */
const quarterDays = 90;

/** As many days of the calendar as the longest span touches: a rolling span of 90 days begins within a day before them. */
export function shownDays({ page, monitors }: Pick<Config, 'page' | 'monitors'>): number {
  const longest = monitors.reduce(
    (days, { slo_uptime, slo_window_days }) => (slo_uptime === null ? days : Math.max(days, slo_window_days)),
    Math.max(quarterDays, page.history_days),
  );
  return longest + 1;
}
