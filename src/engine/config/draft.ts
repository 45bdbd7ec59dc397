/** A configuration that may still lack the values that were wrong: what the checks between settings look at. */
import type {
  Alerts,
  Channel,
  Digest,
  Health,
  Maintenance,
  Monitor,
  Notice,
  Page,
  Peer,
  Server,
} from './config.ts';

/** The members of a union one by one, each with keys that may be missing. */
type Partly<T> = T extends unknown ? { readonly [Key in keyof T]?: T[Key] } : never;

export type MonitorDraft = Partly<Monitor>;
export type HttpDraft = Extract<MonitorDraft, { readonly kind?: 'http' }>;
type ChannelDraft = Partly<Channel>;
type PeerDraft = Partly<Peer>;

/** Lists have one element for each table of the file, whatever state it is in, so that indexes agree. */
export interface Draft {
  readonly page: Partly<Page>;
  readonly server: Partly<Server>;
  readonly alerts: Partly<Alerts>;
  readonly digest: Partly<Digest>;
  readonly health: Partly<Health>;
  readonly maintenance: readonly Partly<Maintenance>[];
  readonly incidents: readonly Partly<Notice>[];
  readonly peers: readonly PeerDraft[];
  readonly channels: readonly ChannelDraft[];
  readonly monitors: readonly MonitorDraft[];
}
