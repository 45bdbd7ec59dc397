/** What a configuration means for delivering. */
import type { Channel, Config, DisabledChannel, Monitor } from '../../engine/config/config.ts';
import { graphOf, type Graph } from '../../engine/core/graph.ts';
import type { MaintenanceWindow } from '../../engine/core/mute.ts';

export interface DeliverySettings {
  readonly config: Config;
  readonly monitors: ReadonlyMap<string, Monitor>;
  readonly channels: ReadonlyMap<string, Channel>;
  /** Channels that cannot be used, because a secret of theirs is empty. */
  readonly disabled: ReadonlyMap<string, DisabledChannel>;
  /** Names of monitors and peers by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The ids by which mutes name peers, by the id of the peer. */
  readonly listenIds: ReadonlyMap<string, string>;
  readonly graph: Graph;
  readonly maintenances: readonly MaintenanceWindow[];
  /** group_window_secs. */
  readonly windowMs: number;
}

export function deliverySettings(config: Config): DeliverySettings {
  return {
    config,
    monitors: new Map(config.monitors.map((monitor) => [monitor.id, monitor])),
    channels: new Map(config.channels.map((channel) => [channel.name, channel])),
    disabled: new Map(config.disabled_channels.map((channel) => [channel.name, channel])),
    names: new Map([...config.peers, ...config.monitors].map(({ id, name }) => [id, name])),
    listenIds: new Map(config.peers.map(({ id, listen_id }) => [id, listen_id])),
    graph: graphOf(config.monitors.map(({ id, depends_on }) => ({ id, dependsOn: depends_on }))),
    maintenances: config.maintenance.map(({ title, start, end, monitors }) => ({
      title,
      startAt: start,
      endAt: end,
      monitors,
    })),
    windowMs: config.alerts.group_window_secs * 1000,
  };
}

/** Whether folding can concern a monitor: it depends on another, or another on it. */
export function isConnected({ graph }: DeliverySettings, id: string): boolean {
  return (graph.above.get(id)?.length ?? 0) > 0 || (graph.below.get(id)?.length ?? 0) > 0;
}
