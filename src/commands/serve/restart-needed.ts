/** Lists the changed settings that need a restart. */
import type { Config, StorageSettings } from '../../engine/config/config.ts';
import type { Secret } from '../../engine/config/secret.ts';
import { parseDatabaseUrl } from '../../engine/config/types/url.ts';
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
    ...(isSame(runningStorage(started.storage, current.storage), current.storage) ? [] : ['storage']),
    // Whether this node makes checks is told to the leader once a lease, as the file says it at that moment.
    ...(isSame({ ...started.node, probe: current.node.probe }, current.node) ? [] : ['node']),
  ];
}

/**
 * What is in effect after a reload: as at the start, apart from the user, the password and the parameters of the URL, which
 * the next connection takes. Another server or database is not led to while the daemon runs: its memory is of the one before.
 */
export function runningStorage(
  started: StorageSettings | null,
  current: StorageSettings | null,
): StorageSettings | null {
  if (started === null || current === null || placeOf(started.url) !== placeOf(current.url)) return started;
  return { ...started, url: current.url };
}

/** The server and the database that a URL leads to, as a text to compare. */
export function placeOf(url: Secret): string {
  const parsed = parseDatabaseUrl(url.reveal());
  if (parsed === null) return '';
  const { hostname, port, pathname, searchParams } = parsed;
  const host = searchParams.get('host') ?? hostname;
  return JSON.stringify([host, searchParams.get('port') ?? (port === '' ? '5432' : port), pathname]);
}
