/** One monitor as a summary shows it, its bars aside. */
import type { Monitor } from '../config/config.ts';
import { rfc3339 } from '../core/instant.ts';
import type { Graph } from '../core/graph.ts';
import { isMaintained, type MuteContext, muteOf } from '../core/mute.ts';
import type { Category } from '../core/probe.ts';
import { errorBudget, type StatusSecs } from '../core/slo.ts';
import type { ReaderState, Status } from '../core/status.ts';

/** What is stored and known of a monitor. Instants are epoch ms, null where there is nothing. */
export interface MonitorFacts {
  readonly status: Status;
  /** It is degraded by nothing but failures that are not confirmed yet. */
  readonly isUnconfirmed: boolean;
  readonly last: {
    readonly at: number;
    readonly status: Status;
    readonly latencyMs: number | null;
    readonly category: Category | null;
    readonly message: string | null;
  } | null;
  /** Of the last 24 hours. */
  readonly day: {
    readonly uptimePermille: number | null;
    readonly coveragePermille: number;
    readonly p50Ms: number | null;
    readonly p95Ms: number | null;
    readonly p99Ms: number | null;
  } | null;
  /** Credited seconds of the window of the SLO. */
  readonly sloSecs: StatusSecs;
  /** How long maintenance lasted in that window. */
  readonly sloMaintainedSecs?: number;
  readonly certExpiresAt: number | null;
  readonly domainExpiresAt: number | null;
  /** Since when it goes down and comes back again and again. */
  readonly unstableSinceAt?: number | null;
  /** Of the open incident. */
  readonly cause: string | null;
  readonly impacted: readonly string[];
}

const dayMs = 86_400_000;

export interface MonitorReading {
  readonly reader: Reader;
  /** The mutes and the graph of the monitors that exist for the reader. */
  readonly situation: ShownSituation;
}

export type MonitorView = ReturnType<typeof monitorView>;

/** The fields in the order of the interface; the bars are added where they are known. */
export function monitorView(monitor: Monitor, facts: MonitorFacts, { reader, situation }: MonitorReading) {
  const { last, day, cause, unstableSinceAt = null } = facts;
  const { isVisible, nowAt } = reader;
  return {
    id: monitor.id,
    name: monitor.name,
    group: monitor.group,
    kind: monitor.kind,
    status: facts.status,
    last_checked: last === null ? null : rfc3339(last.at),
    last_latency_ms: last?.latencyMs ?? null,
    last_error: lastError(monitor, facts, reader),
    uptime_24h_permille: day?.uptimePermille ?? null,
    latency_p50_ms: day?.p50Ms ?? null,
    latency_p95_ms: day?.p95Ms ?? null,
    latency_p99_ms: day?.p99Ms ?? null,
    slo_latency_ms: monitor.slo_latency_ms,
    slo_uptime_pct: monitor.slo_uptime,
    ...budgetView(monitor, facts),
    ...mutesView(monitor.id, situation),
    unstable_since: unstableSinceAt === null ? null : rfc3339(unstableSinceAt),
    cert_expiry_days: daysUntil(facts.certExpiresAt, nowAt),
    domain_expiry_days: daysUntil(facts.domainExpiresAt, nowAt),
    coverage_24h_permille: day?.coveragePermille ?? 0,
    cause: cause !== null && isVisible(cause) ? cause : null,
    impacted: facts.impacted.filter(isVisible),
  };
}

/**
 * Why the last sample was not healthy: in full, or its category to those who may not know more. Of a healthy heartbeat,
 * what its sender said, to those who would see the detail of an error.
 */
function lastError({ id, kind }: Monitor, { last }: MonitorFacts, { hasDetail }: Reader): string | null {
  if (last === null) return null;
  if (last.status === 'up') return kind === 'push' && hasDetail(id) ? last.message : null;
  return hasDetail(id) ? (last.message ?? last.category) : last.category;
}

/** What readers see: of failures that nothing confirmed yet, what was known before them. */
export function readerState(
  { status, maintenance }: Pick<MonitorView, 'status' | 'maintenance'>,
  {
    isUnconfirmed,
    day,
  }: { readonly isUnconfirmed: boolean; readonly day: { readonly uptimePermille: number | null } | null },
): ReaderState {
  if (maintenance && status !== 'unknown') return 'maintenance';
  if (!isUnconfirmed) return status;
  return (day?.uptimePermille ?? 0) > 0 ? 'up' : 'unknown';
}

/** Minutes with one decimal; what is left is never rounded up. */
function budgetView(
  { slo_uptime, slo_window_days }: Monitor,
  { sloSecs, sloMaintainedSecs = 0 }: Pick<MonitorFacts, 'sloSecs' | 'sloMaintainedSecs'>,
) {
  if (slo_uptime === null) return { error_budget_minutes_total: null, error_budget_minutes_left: null };
  const slo = { uptimePercent: slo_uptime, windowDays: slo_window_days };
  const budget = errorBudget(slo, sloSecs, sloMaintainedSecs);
  return {
    error_budget_minutes_total: Math.round(budget.totalMinutes * 10) / 10,
    error_budget_minutes_left: Math.floor(budget.leftMinutes * 10 + 1e-6) / 10,
  };
}

const unmuted = { maintenance: false, silenced_until: null } as const;

/** The mutes, and what depends on what among the monitors that exist for the reader. */
export interface ShownSituation extends MuteContext {
  readonly graph: Graph;
}

function mutesView(id: string, situation: ShownSituation) {
  const { mutes } = situation;
  if (mutes.silences.length === 0 && mutes.maintenances.length === 0) return unmuted;
  const silence = muteOf(id, { ...situation, mutes: { ...mutes, maintenances: [] } });
  return {
    maintenance: isMaintained(id, situation.graph, situation),
    silenced_until: silence.kind === 'muted' ? rfc3339(silence.untilAt) : null,
  };
}

function daysUntil(at: number | null, nowAt: number): number | null {
  return at === null ? null : Math.floor((at - nowAt) / dayMs);
}

/** Who reads a view: what exists for them, and how much of it they may know. */

export interface Reader {
  readonly nowAt: number;
  /** May see everything: the operator, with the access token. */
  readonly isTrusted: boolean;
  /** Whether a monitor exists for this reader. */
  readonly isVisible: (monitor: string) => boolean;
  /** Whether the reader may see why a visible monitor failed. */
  readonly hasDetail: (monitor: string) => boolean;
  /** Whether the outage of a visible monitor alone is a major one. */
  readonly isCritical: (monitor: string) => boolean;
}
