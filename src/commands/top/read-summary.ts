/** Reads the summary of another server, which may be of another version, or not statusd at all. */
import {
  anObject,
  aNumber,
  aText,
  type UnknownFields,
  fieldsOf,
  oneOf,
  readAs,
  readList,
  shape,
} from '../../engine/core/decode.ts';
import { peerStatuses } from '../../engine/peers/rules/state.ts';
import { overallStates, statuses } from '../../engine/core/status.ts';
import type { DayView } from '../../engine/views/day.ts';
import { incidentImpacts } from '../../engine/core/record.ts';
import { incidentKinds, type IncidentView, shownStates } from '../../engine/views/incident.ts';
import type { LatencyPoint } from '../../engine/views/page-latency.ts';
import type { PageMonitor, PageSummary } from '../../engine/views/page.ts';
import type { PeerView } from '../../engine/views/peers.ts';
import { readVantage } from '../../engine/views/vantage.ts';

const aStatus = oneOf(statuses);
const aKind = oneOf(incidentKinds);
const aPeerStatus = oneOf(peerStatuses);
const aTime = shape('a time', (value): value is string => aText(value) && !Number.isNaN(Date.parse(value)));

/** Every field has the type it should have, whatever was sent; null: this is no summary. */
export function readSummary(json: unknown): PageSummary | null {
  if (!anObject(json) || !Array.isArray(json.monitors)) return null;
  const channels = Array.isArray(json.channels)
    ? {
        channels: list(json.channels).map((channel) => ({
          name: text(channel.name),
          failing: channel.failing === true,
          consecutive_failures: number(channel.consecutive_failures) ?? 0,
          failing_for_secs: number(channel.failing_for_secs),
        })),
      }
    : {};
  const overallState = overallStates.find((state) => state === json.overall_state);
  return {
    title: text(json.title),
    overall: text(json.overall),
    overall_label: text(json.overall_label),
    ...(overallState === undefined ? {} : { overall_state: overallState }),
    generated_at: timeOf(json.generated_at),
    incidents: readIncidents(json.incidents),
    announcements: list(json.announcements).map(({ id, title, body, severity, at, until }) => ({
      ...(typeof id === 'number' ? { id } : {}),
      title: text(title),
      body: textOrNull(body),
      severity: text(severity),
      at: instant(at),
      until: instant(until),
    })),
    maintenances: list(json.maintenances).map(({ title, start, end, monitors }) => ({
      title: text(title),
      start: timeOf(start),
      end: timeOf(end),
      monitors: texts(monitors),
    })),
    groups: list(json.groups).map(({ name, ids }) => ({ name: textOrNull(name), ids: texts(ids) })),
    monitors: list(json.monitors).map(readMonitor),
    ...readPeers(json.peers, json.peer_counts),
    ...channels,
    ...(Array.isArray(json.losses)
      ? { losses: list(json.losses).map(({ at, message }) => ({ at: timeOf(at), message: text(message) })) }
      : {}),
  };
}

export function readIncidents(json: unknown): IncidentView[] {
  return list(json).map((incident) => ({
    ...(typeof incident.id === 'number' ? { id: incident.id } : {}),
    uid: text(incident.uid),
    monitor: textOrNull(incident.monitor),
    name: text(incident.name),
    kind: readAs(incident.kind, aKind) ?? 'down',
    started_at: timeOf(incident.started_at),
    confirmed_at: timeOf(incident.confirmed_at),
    ended_at: typeof incident.ended_at === 'string' ? timeOf(incident.ended_at) : null,
    duration_secs: Math.max(0, number(incident.duration_secs) ?? 0),
    reason: textOrNull(incident.reason),
    error: textOrNull(incident.error),
    latest_reason: readLatestReason(incident.latest_reason),
    cause: textOrNull(incident.cause),
    impacted: texts(incident.impacted),
    note: textOrNull(incident.note),
    vantage: readVantage(incident.vantage),
    // A server of before has none of these.
    state: shownStates.find((state) => state === incident.state) ?? 'detected',
    impact: incidentImpacts.find((impact) => impact === incident.impact) ?? 'none',
    acknowledged: readAcknowledged(incident.acknowledged),
    monitors: texts(incident.monitors),
    updates: list(incident.updates).map((update) => ({
      uid: text(update.uid),
      at: timeOf(update.at),
      state: shownStates.find((state) => state === update.state) ?? 'detected',
      message: textOrNull(update.message),
    })),
  }));
}

/** A server of before has none. */
function readLatestReason(json: unknown): IncidentView['latest_reason'] {
  const { since, reason, error } = fieldsOf(json);
  return typeof since === 'string'
    ? { since: timeOf(since), reason: textOrNull(reason), error: textOrNull(error) }
    : null;
}

function readAcknowledged(json: unknown): IncidentView['acknowledged'] {
  const { at, by, reason } = fieldsOf(json);
  return typeof at === 'string' ? { at: timeOf(at), by: textOrNull(by), reason: textOrNull(reason) } : null;
}

/** The public gets counts alone; older servers have neither. */
function readPeers(json: unknown, counted: unknown): Pick<PageSummary, 'peers' | 'peer_counts'> {
  const peers = list(json).map(
    (peer): PeerView => ({
      id: text(peer.id),
      name: text(peer.name),
      state: readAs(peer.state, aPeerStatus) ?? 'unknown',
      age: number(peer.age),
      clock_skew_ms: number(peer.clock_skew_ms),
      reason: textOrNull(peer.reason),
      seen_by: texts(peer.seen_by),
    }),
  );
  const { up, down, link_degraded, unknown } = fieldsOf(counted);
  const count = (of: unknown) => Math.max(0, number(of) ?? 0);
  return {
    peers,
    peer_counts: {
      up: count(up),
      down: count(down),
      link_degraded: count(link_degraded),
      unknown: count(unknown),
    },
  };
}

export function readLatency(json: unknown): LatencyPoint[] {
  return list(json).flatMap(({ t, latency_ms }) =>
    typeof t === 'number' && typeof latency_ms === 'number' ? [{ t, latency_ms }] : [],
  );
}

function readMonitor(json: UnknownFields): PageMonitor {
  return {
    id: text(json.id),
    name: text(json.name),
    group: textOrNull(json.group),
    kind: text(json.kind),
    status: statusOf(json.status),
    last_checked: instant(json.last_checked),
    last_latency_ms: number(json.last_latency_ms),
    last_error: textOrNull(json.last_error),
    uptime_24h_permille: number(json.uptime_24h_permille),
    latency_p50_ms: number(json.latency_p50_ms),
    latency_p95_ms: number(json.latency_p95_ms),
    latency_p99_ms: number(json.latency_p99_ms),
    slo_latency_ms: number(json.slo_latency_ms),
    slo_uptime_pct: number(json.slo_uptime_pct),
    error_budget_minutes_total: number(json.error_budget_minutes_total),
    error_budget_minutes_left: number(json.error_budget_minutes_left),
    maintenance: json.maintenance === true,
    silenced_until: instant(json.silenced_until),
    unstable_since: instant(json.unstable_since),
    cert_expiry_days: number(json.cert_expiry_days),
    domain_expiry_days: number(json.domain_expiry_days),
    history: list(json.history).map(
      ({ date, state, uptime_permille }): DayView => ({
        date: text(date),
        state: statusOf(state),
        uptime_permille: number(uptime_permille),
      }),
    ),
    coverage_24h_permille: number(json.coverage_24h_permille),
    cause: textOrNull(json.cause),
    impacted: texts(json.impacted),
  };
}

function statusOf(json: unknown): PageMonitor['status'] {
  return readAs(json, aStatus) ?? 'unknown';
}

function list(json: unknown): UnknownFields[] {
  return readList(json, anObject);
}

function text(json: unknown): string {
  return readAs(json, aText) ?? '';
}

function textOrNull(json: unknown): string | null {
  return readAs(json, aText);
}

function texts(json: unknown): string[] {
  return readList(json, aText);
}

function number(json: unknown): number | null {
  return readAs(json, aNumber);
}

function instant(json: unknown): string | null {
  return readAs(json, aTime);
}

/** One that cannot be read is the first there is, which can be put into words like any other. */
export function timeOf(json: unknown): string {
  return instant(json) ?? new Date(0).toISOString();
}
