/** How much a configuration has the daemon do, for what is prepared only where it is soon of use. */
import type { Config } from './config.ts';

const fewMonitors = 20;

/**
 * Whether so few monitors are watched that memory matters more than speed: what would take a moment to make, and megabytes
 * to keep, is then made when it is first needed.
 */
export function isSmall({ monitors }: Pick<Config, 'monitors'>): boolean {
  return monitors.length <= fewMonitors;
}
