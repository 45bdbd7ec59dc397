/** Says how many days of daily figures a configuration asks for. */
import type { Config } from './config.ts';

/** Pages show the uptime of a quarter, however many bars they show. */
const quarterDays = 90;

/** The longest of what the bars show and what an SLO is counted over. */
export function shownDays({ page, monitors }: Pick<Config, 'page' | 'monitors'>): number {
  return monitors.reduce(
    (longest, { slo_uptime, slo_window_days }) =>
      slo_uptime === null ? longest : Math.max(longest, slo_window_days),
    Math.max(quarterDays, page.history_days),
  );
}
