/** Recognises monitors that have another id in the other configuration, as a reload does. */
import type { Config } from '../../engine/config/config.ts';
import { identityOf } from '../../engine/monitoring/identity.ts';
import { type Rename, renamesOf } from '../../engine/monitoring/renames.ts';

/** The monitors of `now` that are the same ones under another id in `then`. */
export function renamedIn(now: Config, then: Config): readonly Rename[] {
  const nowIds = new Set(now.monitors.map(({ id }) => id));
  const thenIds = new Set(then.monitors.map(({ id }) => id));
  const identified = (monitor: Config['monitors'][number]) => ({
    name: monitor.id,
    identity: identityOf(monitor, 'replay'),
  });
  return renamesOf(
    now.monitors.filter(({ id }) => !thenIds.has(id)).map(identified),
    then.monitors.filter(({ id }) => !nowIds.has(id)).map(identified),
  );
}

/** The configuration with the ids that its monitors had before: what is stored goes by these. */
export function underFormerIds(config: Config, renames: readonly Rename[]): Config {
  if (renames.length === 0) return config;
  const former = new Map(renames.map(({ from, to }) => [to, from]));
  const idOf = (id: string) => former.get(id) ?? id;
  return {
    ...config,
    monitors: config.monitors.map((monitor) => ({
      ...monitor,
      id: idOf(monitor.id),
      depends_on: monitor.depends_on.map(idOf),
    })),
    channels: config.channels.map((channel) => ({
      ...channel,
      monitors: channel.monitors?.map(idOf) ?? null,
    })),
    maintenance: config.maintenance.map((window) => ({ ...window, monitors: window.monitors.map(idOf) })),
  };
}
