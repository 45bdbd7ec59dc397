/** Turns the contents of Uptime Kuma into the items of a configuration. */
import type { Imported } from '../document.ts';
import { createRemarks, type Item, tableOf, type TableSection } from '../item.ts';
import { createIds, createNames, printable } from '../names.ts';
import type { Secrets } from '../variables.ts';
import { channelItem } from './channel.ts';
import type { KumaData, KumaMonitor, KumaNotice } from './data.ts';
import { maintenanceItem } from './maintenance.ts';
import { monitorItem } from './monitor.ts';
import { cleanLines, cutText } from '../../../engine/core/text.ts';
import { parseJson } from '../../../engine/core/decode.ts';
import { ownValue } from '../record.ts';
import type { TomlValue } from '../toml-value.ts';
import { localInstant } from '../zone.ts';
import { inWords } from '../../../engine/core/words.ts';

export interface KumaTools {
  readonly secrets: Secrets;
  /** The time zone that maintenance without one is in. */
  readonly hostZone: string;
  /** Windows that were over by then are not taken over. */
  readonly nowAt: number;
}

export function convertKuma(read: KumaData, tools: KumaTools): Imported {
  const { secrets } = tools;
  const groups = groupsOf(read.monitors);
  const data = { ...read, monitors: read.monitors.map((monitor) => withRoutesOf(groups, monitor)) };
  const ids = kumaIds(data.monitors);
  const channelNames = createNames();
  const named = data.notifications.map((notification) => ({
    notification,
    name: channelNames(notification.name, `notification ${notification.id}`),
  }));
  const channels = named.map(({ notification, name }) => channelItem(notification, { name, secrets }));
  const routable = new Map(
    named
      .filter((_, index) => channels[index] !== undefined && tableOf(channels[index]) !== null)
      .map(({ notification, name }) => [notification.id, name]),
  );
  const known = new Map(data.notifications.map(({ id, isActive }) => [id, isActive]));
  const monitorNames = createNames();
  const monitors = data.monitors.map((monitor): Item => {
    if (monitor.type === 'group') return groupItem(monitor);
    return monitorItem(monitor, {
      id: ids.get(monitor.id) ?? `monitor-${monitor.id}`,
      name: monitorNames(monitor.name, `monitor ${monitor.id}`),
      group: groups.pathOf(monitor),
      isActive: groups.isActive(monitor),
      routable,
      isRouted: (id) => known.get(id) === true,
      proxies: data.proxies,
      secrets,
    });
  });
  const written = new Map(
    data.monitors.flatMap(({ id }, index) => {
      const item = monitors[index];
      return item !== undefined && tableOf(item) !== null ? [[id, ids.get(id) ?? ''] as const] : [];
    }),
  );
  const maintenance = data.maintenance.map((window) => maintenanceItem(window, { ...tools, data, written }));
  return {
    program: data.program,
    items: [
      ...settingsItems(data),
      ...channels,
      ...monitors,
      ...maintenance,
      ...data.notices.map(noticeItem),
    ],
    wanted: secrets.wanted(),
  };
}

/** The id of each monitor, the same whenever the same file is imported. */
export function kumaIds(monitors: readonly KumaMonitor[]): ReadonlyMap<number, string> {
  const next = createIds();
  return new Map(
    monitors.filter(({ type }) => type !== 'group').map(({ id, name }) => [id, next(name, `monitor-${id}`)]),
  );
}

/** A group is down with any monitor in it: its notifications told of that. */
function withRoutesOf(groups: Groups, monitor: KumaMonitor): KumaMonitor {
  if (monitor.type === 'group') return monitor;
  const around = groups.around(monitor).flatMap(({ notificationIds }) => notificationIds);
  return { ...monitor, notificationIds: [...new Set([...monitor.notificationIds, ...around])] };
}

interface Groups {
  /** The groups it lies in, from the outermost inwards. */
  readonly around: (monitor: KumaMonitor) => readonly KumaMonitor[];
  /** The names from the outermost group inwards, joined; null outside of any. */
  readonly pathOf: (monitor: KumaMonitor) => string | null;
  /** A monitor is paused with any group it lies in. */
  readonly isActive: (monitor: KumaMonitor) => boolean;
}

/** Follows the groups of Uptime Kuma, which lie in each other. */
function groupsOf(monitors: readonly KumaMonitor[]): Groups {
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  const parentsOf = (monitor: KumaMonitor): KumaMonitor[] => {
    const seen = new Set<KumaMonitor>();
    for (let at = parentOf(monitor); at !== undefined && !seen.has(at); at = parentOf(at)) seen.add(at);
    return [...seen].reverse();
  };
  const parentOf = ({ parent }: KumaMonitor) => (parent === null ? undefined : byId.get(parent));
  return {
    around: parentsOf,
    pathOf: (monitor) => {
      const names = parentsOf(monitor).map(({ id, name }) => printable(name) || `group ${id}`);
      return names.length === 0 ? null : printable(names.join(' / '));
    },
    isActive: (monitor) => [monitor, ...parentsOf(monitor)].every(({ isActive }) => isActive),
  };
}

/** A group has no table of its own: its monitors say that they are in it. */
function groupItem({ id, name, notificationIds, isActive }: KumaMonitor): Item {
  const remarks = createRemarks();
  if (notificationIds.length > 0) {
    remarks.approximate(
      'has notifications of its own: its monitors use them too, one by one, or together when they fail together',
    );
  }
  if (!isActive) remarks.drop('is paused, and its monitors with it');
  return {
    kind: 'group',
    name: name || `group ${id}`,
    type: 'group',
    result: { kind: 'merged' },
    remarks: remarks.list,
  };
}

/** A colour is all Kuma says of how bad it is. */
const severities: Readonly<Record<string, string>> = { danger: 'critical', warning: 'warning' };

const bodyLength = 2000;

function noticeItem({ id, title, content, style, created, isPinned }: KumaNotice): Item {
  const name = printable(title) || `notice ${id}`;
  const item = { kind: 'notice', name, type: style || 'warning' } as const;
  if (!isPinned) {
    return {
      ...item,
      result: { kind: 'left_out' },
      remarks: [{ level: 'dropped', text: 'is no longer pinned' }],
    };
  }
  const body = cutText(cleanLines(content).join('\n').trim(), bodyLength);
  const at = localInstant(created, 'UTC');
  const settings = new Map<string, TomlValue>([
    ['title', name],
    ...(body === '' ? [] : ([['body', body]] as const)),
    ['severity', ownValue(severities, item.type) ?? 'info'],
    ...(at === null ? [] : ([['at', at]] as const)),
  ]);
  const table = { section: 'incidents', settings, comments: [] } as const;
  return { ...item, result: { kind: 'written', table }, remarks: [] };
}

/** Takes over what Uptime Kuma has set for all monitors: the title of its page, when it warns of certificates. */
function settingsItems(data: KumaData): Item[] {
  return [...pageItems(data), ...audienceItems(data), ...baseItems(data), ...expiryItems(data)];
}

function pageItems({ pageTitles }: KumaData): Item[] {
  const [title = '', ...others] = pageTitles.map(printable).filter((one) => one !== '');
  if (title === '') return [];
  const remarks = createRemarks();
  if (others.length > 0) {
    remarks.approximate(
      `${others.length + 1} status pages: statusd has one, with a page for each group besides`,
    );
  }
  return [item('status page', { section: 'page', settings: [['title', title]] }, remarks.list)];
}

/** What is on no page was for those who log in. */
function audienceItems({ monitors, shownIds }: KumaData): Item[] {
  const hidden = monitors.filter(({ id, type }) => type !== 'group' && shownIds?.has(id) !== true);
  if (hidden.length === 0) return [];
  const names = inWords(
    hidden.map(({ id, name }) => printable(name) || `monitor ${id}`),
    6,
  );
  const text =
    shownIds === null
      ? 'the backup does not say what its status pages showed'
      : `on no published status page: ${names}`;
  const cure = 'in statusd readers see all monitors; set public = false, which needs server.auth_token';
  return [
    {
      kind: 'settings',
      name: 'who sees what',
      type: 'settings',
      result: { kind: 'left_out' },
      remarks: [{ level: 'dropped', text: `${text}; ${cure}` }],
    },
  ];
}

function baseItems({ settings }: KumaData): Item[] {
  const address = parseJson(settings.get('primaryBaseURL') ?? '');
  if (typeof address !== 'string' || address === '') return [];
  const remarks = createRemarks();
  remarks.approximate('is the address of Uptime Kuma: keep it if statusd takes its place, else change it');
  return [item('primary base URL', { section: 'server', settings: [['base_url', address]] }, remarks.list)];
}

function expiryItems({ settings }: KumaData): Item[] {
  const stored = parseJson(settings.get('tlsExpiryNotifyDays') ?? '');
  const days = (Array.isArray(stored) ? (stored as unknown[]) : []).map(Number).filter((day) => day > 0);
  if (days.length === 0) return [];
  const most = Math.min(365, Math.max(...days.map(Math.round)));
  const remarks = createRemarks();
  if (days.length > 1)
    remarks.approximate(`warns ${days.length} times: statusd warns once, ${most} days before`);
  return [
    item('certificate expiry', { section: 'alerts', settings: [['cert_expiry_days', most]] }, remarks.list),
  ];
}

function item(
  name: string,
  table: { readonly section: TableSection; readonly settings: readonly (readonly [string, TomlValue])[] },
  remarks: Item['remarks'],
): Item {
  const written = { ...table, settings: new Map(table.settings), comments: [] };
  return { kind: 'settings', name, type: 'settings', result: { kind: 'written', table: written }, remarks };
}
