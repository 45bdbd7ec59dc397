/** The status in the fields and words of Atlassian's Statuspage API, for clients of that API. */
import type { ReaderState } from '../core/status.ts';
import { circumstancesOf, type IncidentView, type UpdateView } from './incident.ts';
import { groupsOf, type PageOverview, type ShownMonitor } from './page.ts';
import { headlineOf } from './verdict.ts';

export const pageIndicators = ['none', 'minor', 'major', 'critical'] as const;
export const componentStatuses = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
] as const;
export const statuspageStates = [
  'investigating',
  'identified',
  'monitoring',
  'resolved',
  'postmortem',
] as const;
export const maintenanceStates = ['scheduled', 'in_progress', 'verifying', 'completed'] as const;

/** What all answers have in common. */
export interface StatuspageContext {
  readonly pageId: string;
  readonly name: string;
  /** Without a slash at its end. */
  readonly url: string;
  readonly timeZone: string;
  /** When what is shown last changed, RFC 3339. */
  readonly updatedAt: string;
  /** What a group is called: it stays the same while its name does. */
  readonly groupId: (name: string) => string;
  readonly nameOf: (monitor: string) => string;
}

export interface StatuspageWindow {
  readonly uid: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  /** When it was planned; null: not known. */
  readonly created: string | null;
  readonly monitors: readonly string[];
}

export function pageOf({ pageId: id, name, url, timeZone, updatedAt }: StatuspageContext) {
  return { id, name, url, time_zone: timeZone, updated_at: updatedAt };
}

/**
 * What this node does not know is no `none`, which stands for all that is well; before the first checks nothing is
 * wrong, and programs that read this alert on everything else.
 */
export function statusOf(
  overview: Pick<PageOverview, 'overall_state' | 'overall_label' | 'incidents' | 'monitors'>,
) {
  switch (headlineOf(overview).overall_state) {
    case 'up':
      return { indicator: 'none', description: 'All Systems Operational' };
    case 'maintenance':
      return { indicator: 'none', description: 'Service Under Maintenance' };
    case 'degraded':
      return { indicator: 'minor', description: 'Partially Degraded Service' };
    case 'partial_outage':
      return { indicator: 'major', description: 'Partial System Outage' };
    case 'major_outage':
      return { indicator: 'critical', description: 'Major Service Outage' };
    case 'unknown':
      return overview.monitors.every(isNew)
        ? { indicator: 'none', description: 'No Data Yet' }
        : { indicator: 'minor', description: 'Status Unknown' };
  }
}

type ComponentStatus = (typeof componentStatuses)[number];

const statusesByState: Readonly<Record<ReaderState, ComponentStatus>> = {
  up: 'operational',
  degraded: 'degraded_performance',
  unknown: 'degraded_performance',
  maintenance: 'under_maintenance',
  down: 'major_outage',
};

/**
 * Statuspage has no word for a component without data, and creates its own as operational: so is one that was not checked
 * yet. One that was, and cannot be judged now, is not.
 */
function componentStatus(monitor: ShownMonitor): ComponentStatus {
  return isNew(monitor) ? 'operational' : statusesByState[monitor.state];
}

function isNew({ state, last_checked: lastChecked }: ShownMonitor): boolean {
  return state === 'unknown' && lastChecked === null;
}

interface Component {
  readonly id: string;
  readonly name: string;
  readonly status: ComponentStatus;
  readonly position: number;
  readonly description: string | null;
  readonly groupId: string | null;
  /** The components of a group; null: it is none. */
  readonly members: readonly string[] | null;
}

/** Groups stand before their components. */
export function componentsOf(overview: PageOverview, context: StatuspageContext) {
  const groups = groupsOf<ShownMonitor>(overview);
  let position = 0;
  return groups.flatMap(({ name, monitors }) => {
    const groupId = name === null ? null : context.groupId(name);
    const members = monitors.map((monitor) => ({ monitor, status: componentStatus(monitor) }));
    const head = {
      id: groupId ?? '',
      name: name ?? '',
      status: worstOf(members.map(({ status }) => status)),
      description: null,
      groupId: null,
      members: monitors.map(({ id }) => id),
    };
    const own = members.map(({ monitor: { id, name: called, description }, status }) => {
      return { id, name: called, status, description, groupId, members: null };
    });
    return [...(groupId === null ? [] : [head]), ...own].map((one) =>
      componentView({ ...one, position: (position += 1) }, context),
    );
  });
}

/** A group of which some are down is out in part. */
function worstOf(statuses: readonly ComponentStatus[]): ComponentStatus {
  const down = statuses.filter((status) => status === 'major_outage').length;
  if (down > 0) return down === statuses.length ? 'major_outage' : 'partial_outage';
  if (statuses.includes('degraded_performance')) return 'degraded_performance';
  return statuses.includes('under_maintenance') ? 'under_maintenance' : 'operational';
}

function componentView(component: Component, { pageId, updatedAt }: StatuspageContext) {
  const { id, name, status, position, description, groupId, members } = component;
  return {
    id,
    name,
    status,
    created_at: updatedAt,
    updated_at: updatedAt,
    position,
    description,
    showcase: true,
    start_date: null,
    group_id: groupId,
    page_id: pageId,
    group: members !== null,
    only_show_if_degraded: false,
    ...(members === null ? {} : { components: members }),
  };
}

const impacts = {
  none: 'none',
  maintenance: 'none',
  degraded: 'minor',
  partial: 'major',
  major: 'critical',
} as const;

/** One that was opened by itself is investigated until an operator says more. */
function stateOf(state: UpdateView['state']): (typeof statuspageStates)[number] {
  return state === 'detected' ? 'investigating' : state;
}

/** `hasPostmortem`: what happened was written down afterwards. */
export function incidentOf(
  incident: IncidentView,
  { pageId, url, nameOf }: StatuspageContext,
  hasPostmortem: boolean,
) {
  const { uid, name, kind, started_at, ended_at, updates, monitors, impacted } = incident;
  const title = kind === 'operator' ? name : `${name} ${kind === 'down' ? 'is down' : 'cannot be checked'}`;
  const first = { uid: `${uid}.first`, at: started_at, state: 'investigating', message: null } as const;
  const all = updates.length === 0 ? [first] : updates;
  const lastAt = all[0]?.at ?? started_at;
  const components = [...new Set([...monitors, ...impacted])];
  // Whom it affects stands in the components.
  const why = circumstancesOf({ ...incident, monitors: [], impacted: [] }, nameOf);
  const began = [`${title}.`, ...why].join(' ');
  return {
    id: uid,
    name: title,
    status: hasPostmortem
      ? ('postmortem' as const)
      : stateOf(ended_at === null ? incident.state : 'resolved'),
    created_at: started_at,
    updated_at: lastAt,
    monitoring_at: all.findLast(({ state }) => state === 'monitoring')?.at ?? null,
    resolved_at: ended_at,
    impact: impacts[incident.impact],
    shortlink: `${url}/incidents/${encodeURIComponent(uid)}`,
    started_at,
    page_id: pageId,
    incident_updates: all.map(({ uid: id, at, state, message }) => ({
      id,
      status: stateOf(state),
      body: message ?? (state === 'resolved' ? 'This incident has been resolved.' : began),
      incident_id: uid,
      created_at: at,
      updated_at: at,
      display_at: at,
      affected_components: components.map((code) => ({ code, name: nameOf(code) })),
    })),
    components: components.map((id) => ({ id, name: nameOf(id) })),
  };
}

/** Without an update the times of the window decide. */
export function maintenanceOf(
  { uid, title, start, end, created, monitors }: StatuspageWindow,
  { pageId, url, nameOf, updatedAt }: StatuspageContext,
  now: string,
) {
  const nowAt = Date.parse(now);
  const isOver = Date.parse(end) <= nowAt;
  const hasBegun = Date.parse(start) <= nowAt;
  const status = isOver ? 'completed' : hasBegun ? 'in_progress' : 'scheduled';
  // What a configuration that was just loaded plans was not recorded yet, and not planned in the future either.
  const plannedAt = created ?? (Date.parse(start) < Date.parse(updatedAt) ? start : updatedAt);
  const changedAt = isOver ? end : hasBegun ? start : plannedAt;
  const names = monitors.length === 0 ? 'everything' : monitors.map(nameOf).join(', ');
  return {
    id: uid,
    name: title,
    status: status as (typeof maintenanceStates)[number],
    created_at: plannedAt,
    updated_at: changedAt,
    monitoring_at: null,
    resolved_at: isOver ? end : null,
    impact: 'none' as const,
    shortlink: `${url}/history`,
    started_at: start,
    page_id: pageId,
    incident_updates: [
      {
        id: `${uid}.${status}`,
        status: status as (typeof maintenanceStates)[number],
        body: `Maintenance of ${names}.`,
        incident_id: uid,
        created_at: changedAt,
        updated_at: changedAt,
        display_at: changedAt,
        affected_components: monitors.map((code) => ({ code, name: nameOf(code) })),
      },
    ],
    components: monitors.map((id) => ({ id, name: nameOf(id) })),
    scheduled_for: start,
    scheduled_until: end,
  };
}
