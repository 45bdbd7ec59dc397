/** What the settings of a monitor of Uptime Kuma are made with. */
import type { Remarks } from '../item.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import type { KumaProxy } from './data.ts';

export interface MonitorContext {
  readonly id: string;
  readonly name: string;
  readonly group: string | null;
  readonly isActive: boolean;
  /** The channel of each notification that is here. */
  readonly routable: ReadonlyMap<number, string>;
  /** Whether there is such a notification, and it is switched on. */
  readonly isRouted: (notificationId: number) => boolean;
  readonly proxies: readonly KumaProxy[];
  readonly secrets: Secrets;
}

/** What the settings of a kind are made with. */
export interface Making extends MonitorContext {
  readonly remarks: Remarks;
  /** `of the monitor "Shop"`, for where secrets are found. */
  readonly whose: string;
}

export type KumaSettings = readonly (readonly [key: string, value: TomlValue])[];

/** A host as it stands before a port. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
