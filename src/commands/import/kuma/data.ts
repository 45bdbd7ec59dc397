/** The contents of an installation of Uptime Kuma, whichever file and version they were read from. */
import type { Remarks } from '../item.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';

export interface KumaMonitor {
  readonly id: number;
  readonly name: string;
  /** `http`, `keyword`, `port`… */
  readonly type: string;
  readonly isActive: boolean;
  readonly parent: number | null;
  readonly description: string;
  readonly intervalSecs: number;
  readonly retrySecs: number;
  readonly retries: number;
  /** Tells again every so many failed checks; 0: once. */
  readonly resendEvery: number;
  /** 0: 80 % of the interval. */
  readonly timeoutSecs: number;
  readonly url: string;
  readonly method: string;
  readonly body: string;
  /** `json`, `form`, `xml`; empty before 1.22, which knew JSON alone. */
  readonly bodyEncoding: string;
  /** JSON. */
  readonly headers: string;
  readonly authMethod: string;
  readonly user: string;
  readonly password: string;
  readonly hostname: string;
  readonly port: number | null;
  readonly keyword: string;
  readonly isKeywordInverted: boolean;
  readonly jsonPath: string;
  readonly jsonOperator: string;
  readonly expectedValue: string;
  readonly statusCodes: readonly string[];
  readonly maxRedirects: number;
  readonly isTlsIgnored: boolean;
  readonly isUpsideDown: boolean;
  readonly isExpiryNotified: boolean;
  readonly dnsType: string;
  readonly dnsServer: string;
  /** JSON of conditions on the answer (2.x); empty: none. */
  readonly conditions: string;
  readonly pushToken: string;
  readonly proxyId: number | null;
  readonly ipFamily: string;
  readonly isCacheBusted: boolean;
  readonly notificationIds: readonly number[];
  readonly tags: readonly string[];
}

export interface KumaNotification {
  readonly id: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly isDefault: boolean;
  /** What its form was filled with; the keys differ by `type`. */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface KumaProxy {
  readonly id: number;
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  readonly hasAuth: boolean;
  readonly user: string;
  readonly password: string;
  readonly isActive: boolean;
}

export interface KumaMaintenance {
  readonly id: number;
  readonly title: string;
  /** `single`, `manual`, `cron`, `recurring-interval`, `recurring-weekday`, `recurring-day-of-month`. */
  readonly strategy: string;
  readonly isActive: boolean;
  /** Local time of `timezone`, as `YYYY-MM-DD HH:MM:SS`. What comes again and again may have either, or none. */
  readonly start: string;
  readonly end: string;
  /** When it begins and ends on each of its days, as `HH:MM`; it may end on the next. */
  readonly startTime: string;
  readonly endTime: string;
  readonly intervalDays: number;
  /** Sunday is 0. */
  readonly weekdays: readonly string[];
  /** Numbers, and `lastDay1` to `lastDay4`. */
  readonly daysOfMonth: readonly string[];
  readonly cron: string;
  readonly durationSecs: number;
  /** An IANA name; empty: that of the server. */
  readonly timezone: string;
  readonly monitorIds: readonly number[];
}

/** A notice on a status page: what Kuma calls an incident. */
export interface KumaNotice {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  /** `info`, `warning`, `danger`, `primary`, `light` or `dark`: its colour. */
  readonly style: string;
  /** In UTC, as `YYYY-MM-DD HH:MM:SS`. */
  readonly created: string;
  readonly isPinned: boolean;
}

export interface KumaData {
  /** `Uptime Kuma 2.x`. */
  readonly program: string;
  readonly monitors: readonly KumaMonitor[];
  readonly notifications: readonly KumaNotification[];
  readonly proxies: readonly KumaProxy[];
  readonly maintenance: readonly KumaMaintenance[];
  readonly notices: readonly KumaNotice[];
  /** The titles of its status pages. */
  readonly pageTitles: readonly string[];
  /** The monitors on its published status pages; null: not known. */
  readonly shownIds: ReadonlySet<number> | null;
  /** Settings by key, as they are stored: JSON texts. */
  readonly settings: ReadonlyMap<string, string>;
}

/** What the settings of a monitor of Uptime Kuma are made with. */
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
export interface MonitorInputs extends MonitorContext {
  readonly remarks: Remarks;
  /** `of the monitor "Shop"`, for where secrets are found. */
  readonly whose: string;
}

export type KumaSettings = readonly (readonly [key: string, value: TomlValue])[];

/** A host as it stands before a port. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
