/** Follows the groups of Uptime Kuma, which lie in each other. */
import { type Item, createRemarks } from '../item.ts';
import { printable } from '../names.ts';
import type { KumaMonitor } from './data.ts';

export interface Groups {
  /** The names from the outermost group inwards, joined; null outside of any. */
  readonly pathOf: (monitor: KumaMonitor) => string | null;
  /** A monitor is paused with any group it lies in. */
  readonly isActive: (monitor: KumaMonitor) => boolean;
}

export function groupsOf(monitors: readonly KumaMonitor[]): Groups {
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  const parentsOf = (monitor: KumaMonitor): KumaMonitor[] => {
    const seen = new Set<KumaMonitor>();
    for (let at = parentOf(monitor); at !== undefined && !seen.has(at); at = parentOf(at)) seen.add(at);
    return [...seen].reverse();
  };
  const parentOf = ({ parent }: KumaMonitor) => (parent === null ? undefined : byId.get(parent));
  return {
    pathOf: (monitor) => {
      const names = parentsOf(monitor).map(({ id, name }) => printable(name) || `group ${id}`);
      return names.length === 0 ? null : printable(names.join(' / '));
    },
    isActive: (monitor) => [monitor, ...parentsOf(monitor)].every(({ isActive }) => isActive),
  };
}

/** A group has no table of its own: its monitors say that they are in it. */
export function groupItem({ id, name, notificationIds, isActive }: KumaMonitor): Item {
  const remarks = createRemarks();
  if (notificationIds.length > 0) {
    remarks.approximate(
      'had notifications of its own: its monitors notify one by one, and together when they fail together',
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
