/** The types of a loaded configuration, derived from the rows. Keys are those of the TOML file. */
import type { MonitorKind } from '../core/probe.ts';
import type { RowValues } from './row.ts';
import type { alertsRows } from './rows/alerts.ts';
import type { channelRows, ChannelType } from './rows/channels.ts';
import type { digestRows } from './rows/digest.ts';
import type { healthRows } from './rows/health.ts';
import type { incidentsRows } from './rows/incidents.ts';
import type { maintenanceRows } from './rows/maintenance.ts';
import type { monitorRows } from './rows/monitors.ts';
import type { outputRows, OutputType } from './rows/outputs.ts';
import type { pageRows } from './rows/page.ts';
import type { peersRows } from './rows/peers.ts';
import type { probesRows } from './rows/probes.ts';
import type { escalationRows, rotationRows } from './rows/rotations.ts';
import type { serverRows } from './rows/server.ts';
import type { nodeRows, storageRows } from './rows/storage.ts';
import type { subscribeRows } from './rows/subscribe.ts';

export type { StatusRange } from './types/status-set.ts';

export type Page = RowValues<typeof pageRows>;
export type ServerSettings = RowValues<typeof serverRows>;
export type StorageSettings = RowValues<typeof storageRows>;
export type NodeSettings = RowValues<typeof nodeRows>;
export type ProbesSettings = RowValues<typeof probesRows>;
export type Alerts = RowValues<typeof alertsRows>;
export type DigestSettings = RowValues<typeof digestRows>;
export type SubscribeSettings = RowValues<typeof subscribeRows>;
export type HealthSettings = RowValues<typeof healthRows>;
/** `start` and `end` are epoch ms, `duration` ms: a window has a start and an end, or a schedule and a duration. An empty `monitors` covers all. */
export type ConfiguredMaintenance = RowValues<typeof maintenanceRows>;
/** A configured notice. `at` is in epoch milliseconds. */
export type ConfiguredNotice = RowValues<typeof incidentsRows>;
export type Peer = RowValues<typeof peersRows>;

type MonitorOf<Kind extends MonitorKind> = RowValues<(typeof monitorRows)[Kind]>;
/** `expected_status` null means any 2xx; `notify` null means every channel, `escalation` null none. */
export type HttpMonitor = MonitorOf<'http'>;
export type TcpMonitor = MonitorOf<'tcp'>;
export type IcmpMonitor = MonitorOf<'icmp'>;
export type DnsMonitor = MonitorOf<'dns'>;
export type PushMonitor = MonitorOf<'push'>;
export type ExecMonitor = MonitorOf<'exec'>;
export type Monitor = HttpMonitor | TcpMonitor | IcmpMonitor | DnsMonitor | PushMonitor | ExecMonitor;

type ChannelOf<Type extends ChannelType> = RowValues<(typeof channelRows)[Type]>;
export type Channel = { [Type in ChannelType]: ChannelOf<Type> }[ChannelType];

type OutputOf<Type extends OutputType> = RowValues<(typeof outputRows)[Type]>;
/** Where the metrics are sent. */
export type OutputSettings = { [Type in OutputType]: OutputOf<Type> }[OutputType];

/** `every` is in ms, `from` epoch ms; members are names of channels. */
export type Rotation = RowValues<typeof rotationRows>;
/** The steps in their order, each later than the one before; they notify channels and rotations. */
export type Escalation = RowValues<typeof escalationRows>;

/** A channel that is configured but disabled, because the secret under `key` is empty. */
export interface DisabledChannel {
  readonly name: string;
  readonly type: ChannelType;
  readonly key: string;
}

/** A whole configuration: every key has its value or its default, null stands for none. Deep-frozen. */
export interface Config {
  readonly page: Page;
  readonly server: ServerSettings;
  /** Null when the file has no `[storage]`: a file keeps everything. */
  readonly storage: StorageSettings | null;
  readonly node: NodeSettings;
  /** `exec_dir` is an absolute path where the file names one; null: there is no folder of plugins. */
  readonly probes: ProbesSettings;
  readonly alerts: Alerts;
  /** Null when the file has no `[digest]`. */
  readonly digest: DigestSettings | null;
  /** Null when the file has no `[subscribe]`. */
  readonly subscribe: SubscribeSettings | null;
  readonly health: HealthSettings;
  readonly maintenance: readonly ConfiguredMaintenance[];
  readonly incidents: readonly ConfiguredNotice[];
  readonly peers: readonly Peer[];
  /** The channels that can be used. */
  readonly channels: readonly Channel[];
  /** The channels that are disabled. Routes may name them. */
  readonly disabled_channels: readonly DisabledChannel[];
  readonly rotations: readonly Rotation[];
  readonly escalations: readonly Escalation[];
  readonly outputs: readonly OutputSettings[];
  readonly monitors: readonly Monitor[];
}
