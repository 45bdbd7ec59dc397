/** The sections of the file, in the order they are documented in. */
import type { Rows } from './row.ts';
import { alertsRows } from './rows/alerts.ts';
import { channelRows } from './rows/channels.ts';
import { digestRows } from './rows/digest.ts';
import { healthRows } from './rows/health.ts';
import { incidentsRows } from './rows/incidents.ts';
import { maintenanceRows } from './rows/maintenance.ts';
import { monitorRows } from './rows/monitors.ts';
import { outputRows } from './rows/outputs.ts';
import { pageRows } from './rows/page.ts';
import { peersRows } from './rows/peers.ts';
import { probesRows } from './rows/probes.ts';
import { escalationRows, rotationRows } from './rows/rotations.ts';
import { serverRows } from './rows/server.ts';
import { nodeRows, storageRows } from './rows/storage.ts';
import { subscribeRows } from './rows/subscribe.ts';

/** A table with one set of rows: `[page]`, or several of it: `[[peers]]`. */
export interface PlainSection<Name extends string = string> {
  readonly name: Name;
  readonly doc: string;
  readonly isList: boolean;
  /** What it is about is off without the table; absent: without it every key has its default. */
  readonly isSwitch?: true;
  readonly rows: Rows;
}

/** Several tables whose rows depend on one of their keys: `[[monitors]]` on kind, `[[channels]]` on type. */
export interface VariedSection<Name extends string = string> {
  readonly name: Name;
  readonly doc: string;
  readonly isList: true;
  readonly by: 'kind' | 'type';
  /** The variant of a table without that key; null when it must have it. */
  readonly usual: string | null;
  readonly variants: Readonly<Record<string, Rows>>;
}

export type ConfigSection = PlainSection | VariedSection;

const sections = {
  page: { name: 'page', doc: 'The status page.', isList: false, rows: pageRows },
  server: {
    name: 'server',
    doc: 'The server, its database, and access.',
    isList: false,
    rows: serverRows,
  },
  storage: {
    name: 'storage',
    doc: 'A database server shared by several nodes. One node leads; another takes over when it fails.',
    isList: false,
    isSwitch: true,
    rows: storageRows,
  },
  node: { name: 'node', doc: 'This node among those that share [storage].', isList: false, rows: nodeRows },
  probes: { name: 'probes', doc: 'What all checks share.', isList: false, rows: probesRows },
  monitors: {
    name: 'monitors',
    doc: 'The monitors: one table each.',
    isList: true,
    by: 'kind',
    usual: 'http',
    variants: monitorRows,
  },
  channels: {
    name: 'channels',
    doc: 'Where alerts are sent: one table each. An empty secret disables a channel.',
    isList: true,
    by: 'type',
    usual: null,
    variants: channelRows,
  },
  rotations: {
    name: 'rotations',
    doc: 'On-call rotations: one table each. In notify, the name of a rotation stands for the channel of the person on call.',
    isList: true,
    rows: rotationRows,
  },
  escalations: {
    name: 'escalations',
    doc: 'Escalations: who is notified next while nobody acknowledges an outage. One table each.',
    isList: true,
    rows: escalationRows,
  },
  alerts: {
    name: 'alerts',
    doc: 'When to alert, and defaults for all monitors.',
    isList: false,
    rows: alertsRows,
  },
  digest: {
    name: 'digest',
    doc: 'A summary sent on a schedule. Enabled by the presence of this table.',
    isList: false,
    isSwitch: true,
    rows: digestRows,
  },
  subscribe: {
    name: 'subscribe',
    doc: 'Mails to readers who subscribe on the status page. Enabled by the presence of this table.',
    isList: false,
    isSwitch: true,
    rows: subscribeRows,
  },
  outputs: {
    name: 'outputs',
    doc: 'Servers to which the metrics of /metrics are pushed: one table each.',
    isList: true,
    by: 'type',
    usual: null,
    variants: outputRows,
  },
  maintenance: {
    name: 'maintenance',
    doc: 'Maintenance windows, in which alerts are suppressed: one table each. Checks continue.',
    isList: true,
    rows: maintenanceRows,
  },
  incidents: {
    name: 'incidents',
    doc: 'Notices at the top of the status page: one table each.',
    isList: true,
    rows: incidentsRows,
  },
  health: { name: 'health', doc: 'This node, as its peers see it.', isList: false, rows: healthRows },
  peers: {
    name: 'peers',
    doc: 'Other nodes that this node monitors and sends heartbeats to: one table each.',
    isList: true,
    rows: peersRows,
  },
} as const satisfies { readonly [Name in string]: PlainSection<Name> | VariedSection<Name> };

/** The sections as data, for folds. */
export const allSections: readonly ConfigSection[] = Object.values(sections);

/** Every set of rows of a section, with the variant it belongs to. */
export function tablesOf(section: ConfigSection): readonly (readonly [variant: string | null, rows: Rows])[] {
  return 'variants' in section ? Object.entries(section.variants) : [[null, section.rows]];
}

/** The heading of a section as the file has it: `[page]`, `[[monitors]]`. */
export function heading(section: ConfigSection): string {
  return section.isList ? `[[${section.name}]]` : `[${section.name}]`;
}

/** Every key that can stand in a table, the file twins of secrets included. */
export function knownKeys(rows: Rows): readonly string[] {
  return Object.entries(rows).flatMap(([key, row]) => (row.type.isSecret ? [key, `${key}_file`] : [key]));
}
