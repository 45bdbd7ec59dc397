/** Lists the changed settings that need a restart. */
import type { Config } from '../../engine/config/config.ts';
import { isSame } from '../../engine/monitoring/same.ts';

/** What is read once, when the daemon starts. */
export const readOnce = ['bind', 'database_path', 'rate_limit_burst', 'rate_limit_refill_secs'] as const;

/** The parts of a configuration in which there are such settings. */
export type StartedConfig = Pick<Config, 'server' | 'storage' | 'node'>;

/** The settings whose new value waits for a restart, by their name in the file. */
export function restartNeeded(started: StartedConfig, current: StartedConfig): readonly string[] {
  const changed = readOnce.filter((key) => started.server[key] !== current.server[key]);
  return [
    ...changed.map((key) => `server.${key}`),
    ...(isSame(started.storage, current.storage) ? [] : ['storage']),
    ...(isSame(started.node, current.node) ? [] : ['node']),
  ];
}
