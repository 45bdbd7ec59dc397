/** Tells which settings a reload cannot change. */
import type { Config } from '../../engine/config/config.ts';

/** What is read once, when the daemon starts. */
export const readOnce = ['bind', 'database_path', 'rate_limit_burst', 'rate_limit_refill_secs'] as const;

/** The settings whose new value waits for a restart, by their name in the file. */
export function restartNeeded(
  started: Pick<Config, 'server'>,
  current: Pick<Config, 'server'>,
): readonly string[] {
  return readOnce.filter((key) => started.server[key] !== current.server[key]).map((key) => `server.${key}`);
}
