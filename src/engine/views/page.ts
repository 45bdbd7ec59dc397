/** The status page as data: the summary, shaped for one page or one group. */
import type { LossView } from './losses.ts';
import type { OverallState, ReaderState, Status } from '../core/status.ts';
import type { DayView, PageDay } from './day.ts';
import type { IncidentView } from './incident.ts';
import type { PeerCounts, PeerView } from './peers.ts';

/** A monitor of the summary, as far as a page shows it. */
export interface PageMonitor {
  readonly id: string;
  readonly name: string;
  readonly group: string | null;
  readonly kind: string;
  readonly status: Status;
  readonly last_checked: string | null;
  readonly last_latency_ms: number | null;
  readonly last_error: string | null;
  readonly uptime_24h_permille: number | null;
  readonly latency_p50_ms: number | null;
  readonly latency_p95_ms: number | null;
  readonly latency_p99_ms: number | null;
  readonly slo_latency_ms: number | null;
  readonly slo_uptime_pct: number | null;
  readonly error_budget_minutes_total: number | null;
  readonly error_budget_minutes_left: number | null;
  readonly maintenance: boolean;
  readonly silenced_until: string | null;
  /** Since when it goes down and comes back again and again; for the operator alone. */
  readonly unstable_since?: string | null;
  readonly cert_expiry_days: number | null;
  readonly domain_expiry_days: number | null;
  readonly history: readonly DayView[];
  readonly coverage_24h_permille: number | null;
  readonly cause: string | null;
  readonly impacted: readonly string[];
}

/** A banner: pinned by an operator, or a notice of the configuration. */
export interface PageAnnouncement {
  /** Only for those who may see everything; null: it stands in the configuration. */
  readonly id?: number | null;
  readonly title: string;
  readonly body: string | null;
  readonly severity: string;
  readonly at: string | null;
  readonly until: string | null;
}

export interface PageMaintenance {
  readonly title: string;
  readonly start: string;
  readonly end: string;
  /** Empty: all monitors. */
  readonly monitors: readonly string[];
}

const soonMs = 7 * 86_400_000;

/** What is under way, and what begins within 7 days, by its start. `now`: RFC 3339. */
export function maintenanceSoon<M extends Pick<PageMaintenance, 'start' | 'end'>>(
  windows: readonly M[],
  now: string,
): readonly M[] {
  const nowAt = Date.parse(now);
  return windows
    .filter(({ start, end }) => Date.parse(end) > nowAt && Date.parse(start) <= nowAt + soonMs)
    .toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start));
}

interface PageChannel {
  readonly name: string;
  readonly failing: boolean;
  readonly consecutive_failures: number;
  readonly failing_for_secs: number | null;
}

/** `GET /api/summary`, as far as a page shows it. */
export interface PageSummary {
  readonly title: string;
  readonly overall: string;
  readonly overall_label: string;
  /** Absent: a server of before does not say. */
  readonly overall_state?: OverallState;
  readonly generated_at: string;
  readonly incidents: readonly IncidentView[];
  readonly announcements: readonly PageAnnouncement[];
  readonly maintenances: readonly PageMaintenance[];
  readonly groups: readonly { readonly name: string | null; readonly ids: readonly string[] }[];
  readonly monitors: readonly PageMonitor[];
  /** The watched peers, for those who may see everything; empty for others. */
  readonly peers: readonly PeerView[];
  readonly peer_counts: PeerCounts;
  /** Only for those who may see everything. */
  readonly channels?: readonly PageChannel[];
  /** Changes that starts could not restore and that no operator has seen yet; only for those who may see everything. */
  readonly losses?: readonly LossView[];
}

/** A monitor as a page shows it. `cause` is the nearest of what it depends on that is down, and may be named. */
export interface ShownMonitor extends PageMonitor {
  /** For the operator alone. */
  readonly silenced_until: string | null;
  readonly state: ReaderState;
  readonly history: readonly PageDay[];
  readonly description: string | null;
  readonly url: string | null;
  /** Alone enough for a major outage. */
  readonly critical: boolean;
}

/** What only the operator is shown. */
type OfOperator = 'silenced_until' | 'unstable_since';

/** Field by field: V8 takes ten times as long and 3 KB to spread so many into one, and there are thousands of these. */
export function shownMonitor(
  view: Omit<PageMonitor, 'history' | OfOperator>,
  more: Omit<ShownMonitor, Exclude<keyof PageMonitor, 'history' | OfOperator>>,
): ShownMonitor {
  const { silenced_until, unstable_since = null, state, history, description, url, critical } = more;
  return {
    id: view.id,
    name: view.name,
    group: view.group,
    kind: view.kind,
    status: view.status,
    last_checked: view.last_checked,
    last_latency_ms: view.last_latency_ms,
    last_error: view.last_error,
    uptime_24h_permille: view.uptime_24h_permille,
    latency_p50_ms: view.latency_p50_ms,
    latency_p95_ms: view.latency_p95_ms,
    latency_p99_ms: view.latency_p99_ms,
    slo_latency_ms: view.slo_latency_ms,
    slo_uptime_pct: view.slo_uptime_pct,
    error_budget_minutes_total: view.error_budget_minutes_total,
    error_budget_minutes_left: view.error_budget_minutes_left,
    maintenance: view.maintenance,
    silenced_until,
    unstable_since,
    cert_expiry_days: view.cert_expiry_days,
    domain_expiry_days: view.domain_expiry_days,
    coverage_24h_permille: view.coverage_24h_permille,
    cause: view.cause,
    impacted: view.impacted,
    state,
    history,
    description,
    url,
    critical,
  };
}

/** The summary with what only pages show. */
export interface PageOverview extends Omit<PageSummary, 'monitors'> {
  /** Since when this node cannot see its targets, RFC 3339; absent: it can. */
  readonly blindSince?: string;
  readonly overall_state: OverallState;
  readonly monitors: readonly ShownMonitor[];
  /** Incidents that ended within the last 7 days, the newest first. */
  readonly past: readonly IncidentView[];
}

/** What the summary does not hold: uptime in hundredths of a percent; null: no data. */
export interface PageFigures {
  readonly day: number | null;
  readonly week: number | null;
  readonly month: number | null;
  readonly quarter: number | null;
  /** Of the days that bars show. */
  readonly shown: number | null;
}

export const noFigures: PageFigures = { day: null, week: null, month: null, quarter: null, shown: null };

/**
 * The figures of a monitor as a page shows them: of one of which nothing is known, and no outage, a 0 is only a failure
 * that nothing confirmed.
 */
export function figuresShown(
  figures: PageFigures,
  { state, history }: Pick<ShownMonitor, 'state' | 'history'>,
): PageFigures {
  if (state !== 'unknown' || history.some(({ down_minutes }) => down_minutes > 0)) return figures;
  const { day, week, month, quarter, shown } = figures;
  return {
    day: day || null,
    week: week || null,
    month: month || null,
    quarter: quarter || null,
    shown: shown || null,
  };
}

export interface PageGroup<M extends PageMonitor = PageMonitor> {
  /** Null: the monitors that are in no group. */
  readonly name: string | null;
  readonly monitors: readonly M[];
}

/** The groups in the order of the summary, then what is in none; a group without a monitor is left out. */
export function groupsOf<M extends PageMonitor>({
  groups,
  monitors,
}: Pick<PageSummary, 'groups'> & { readonly monitors: readonly M[] }): PageGroup<M>[] {
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  const shown: { name: string | null; monitors: M[] }[] = [];
  for (const { name, ids } of groups) {
    const members = ids.flatMap((id) => byId.get(id) ?? []);
    for (const id of ids) byId.delete(id);
    if (members.length > 0) shown.push({ name, monitors: members });
  }
  const rest = shown.find(({ name }) => name === null)?.monitors;
  if (rest !== undefined) rest.push(...byId.values());
  else if (byId.size > 0) shown.push({ name: null, monitors: [...byId.values()] });
  return shown;
}

/** How many monitors have each status. */
export function countStatuses(monitors: readonly Pick<PageMonitor, 'status'>[]): Record<Status, number> {
  const counts: Record<Status, number> = { up: 0, degraded: 0, down: 0, unknown: 0 };
  for (const { status } of monitors) counts[status] += 1;
  return counts;
}
