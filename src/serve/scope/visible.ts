/** Which monitors exist for a viewer, and how much the viewer may know of each. */
import type { Config, Monitor } from '../../engine/config/config.ts';
import type { Reader } from '../../engine/views/monitor.ts';
import { isVisibleTo, type Viewer } from '../access/viewer.ts';
import type { RemovedMonitor } from './report.ts';

interface Visible {
  readonly list: readonly Monitor[];
  readonly byId: ReadonlyMap<string, Monitor>;
}

export interface Scope {
  readonly viewer: Viewer;
  readonly config: Config;
  readonly key: string;
  readonly visible: Visible;
}

export function visibleTo(viewer: Viewer, { monitors }: Config): Visible {
  if (viewer.kind === 'peer' || viewer.kind === 'node') return nothing;
  return listed(monitors.filter((monitor) => isVisibleTo(viewer, monitor)));
}

const nothing: Visible = { list: [], byId: new Map() };

export function listed(list: readonly Monitor[]): Visible {
  return { list, byId: new Map(list.map((monitor) => [monitor.id, monitor])) };
}

export function keyOf(viewer: Viewer): string {
  switch (viewer.kind) {
    case 'group':
      return `${way(viewer)}group ${viewer.group}`;
    case 'producer':
      return `producer ${viewer.monitor}`;
    case 'peer':
      return `peer ${viewer.peer}`;
    case 'operator':
      return `${way(viewer)}operator`;
    case 'anonymous':
    case 'node':
      return viewer.kind;
  }
}

/** Which token it is needs no mention: a configuration has one for each of these. */
function way({ isByAddress }: { readonly isByAddress: boolean }): string {
  return isByAddress ? 'linked ' : '';
}

/** Whether a viewer may know of a monitor that the configuration has no more: as before it was removed. */
export function mayShowRemoved(viewer: Viewer, { isPrivate, ...monitor }: RemovedMonitor): boolean {
  return isVisibleTo(viewer, { ...monitor, public: !isPrivate });
}

/** What everyone sees may be named to a viewer with the token of a group, too. */
export function knownTo({ viewer, config, visible }: Scope): ReadonlyMap<string, Monitor> {
  if (viewer.kind !== 'group') return visible.byId;
  return listed(config.monitors.filter((one) => one.public || visible.byId.has(one.id))).byId;
}

export function readerOf({ viewer }: Scope, { byId }: Visible, nowAt: number): Reader {
  return {
    nowAt,
    isTrusted: viewer.kind === 'operator',
    isVisible: (id) => byId.has(id),
    hasDetail: (id) => viewer.kind !== 'anonymous' || byId.get(id)?.public_error_detail === true,
    isCritical: (id) => byId.get(id)?.critical === true,
  };
}

/** The operator also sees the record of monitors that are no longer configured; of those nobody knows if they were public. */
export function monitorsAmong(only: string | null, { viewer, visible }: Scope): readonly string[] | null {
  if (viewer.kind === 'operator') return only === null ? null : [only];
  if (only === null) return [...visible.byId.keys()];
  return visible.byId.has(only) ? [only] : [];
}
