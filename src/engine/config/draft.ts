/** A configuration in which invalid values may be missing: the input of the checks between settings. */
import type {
  Alerts,
  Channel,
  DigestSettings,
  Escalation,
  HealthSettings,
  ConfiguredMaintenance,
  Monitor,
  ConfiguredNotice,
  Page,
  Peer,
  Rotation,
  ServerSettings,
  NodeSettings,
  ProbesSettings,
  OutputSettings,
  StorageSettings,
  SubscribeSettings,
} from './config.ts';

/** The members of a union one by one, each with keys that may be missing. */
type Partly<T> = T extends unknown ? { readonly [Key in keyof T]?: T[Key] } : never;

export type MonitorDraft = Partly<Monitor>;
export type HttpDraft = Extract<MonitorDraft, { readonly kind?: 'http' }>;
export type ChannelDraft = Partly<Channel>;
type OutputDraft = Partly<OutputSettings>;
type PeerDraft = Partly<Peer>;

/** Lists have one element for each table of the file, whatever state it is in, so that indexes agree. */
export interface ConfigDraft {
  readonly page: Partly<Page>;
  readonly server: Partly<ServerSettings>;
  readonly storage: Partly<StorageSettings> | null;
  readonly node: Partly<NodeSettings>;
  readonly probes: Partly<ProbesSettings>;
  readonly alerts: Partly<Alerts>;
  /** Null when the file has no such table. */
  readonly digest: Partly<DigestSettings> | null;
  readonly subscribe: Partly<SubscribeSettings> | null;
  readonly health: Partly<HealthSettings>;
  readonly maintenance: readonly Partly<ConfiguredMaintenance>[];
  readonly incidents: readonly Partly<ConfiguredNotice>[];
  readonly peers: readonly PeerDraft[];
  readonly channels: readonly ChannelDraft[];
  readonly rotations: readonly Partly<Rotation>[];
  readonly escalations: readonly Partly<Escalation>[];
  readonly outputs: readonly OutputDraft[];
  readonly monitors: readonly MonitorDraft[];
}
