/** Turns what Uptime Kuma holds into the items of a configuration. */
import type { Imported } from '../document.ts';
import { createRemarks, type Item, tableOf } from '../item.ts';
import { createIds, createNames } from '../names.ts';
import type { Secrets } from '../variables.ts';
import { channelItem } from './channel.ts';
import type { KumaData, KumaMonitor } from './data.ts';
import { groupItem, groupsOf } from './groups.ts';
import { maintenanceItem } from './maintenance.ts';
import { monitorItem } from './monitor.ts';
import { noticeItem } from './notice.ts';
import { settingsItems } from './settings.ts';

export interface KumaTools {
  readonly secrets: Secrets;
  /** The time zone that maintenance without one is in. */
  readonly hostZone: string;
  /** Windows that were over by then are not taken over. */
  readonly nowAt: number;
}

export function convertKuma(data: KumaData, tools: KumaTools): Imported {
  const { secrets } = tools;
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
  const groups = groupsOf(data.monitors);
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
  const maintenance = data.maintenance.map((window) =>
    maintenanceItem(window, { ...tools, data, written, remarks: createRemarks() }),
  );
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
