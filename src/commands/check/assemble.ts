/** Builds the report of a run from what its probes answered. */
import { counted } from '../../engine/core/words.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { graphOfMonitors, rootsOf } from '../../engine/core/graph.ts';
import { noTimings, type CheckResult } from '../../engine/core/probe.ts';
import { assess } from '../../engine/core/status.ts';
import type { CheckedMonitor, Note, FilePosition } from './report.ts';

const dayMs = 86_400_000;

/** What is known about a monitor besides what it answered. */
export interface CheckFacts {
  readonly position: FilePosition | null;
  readonly curl: string | null;
}

/** A monitor with the verdict on what its check saw. */
export function checkedMonitor(
  monitor: Monitor,
  { result, attempts, startedAt }: CheckResult,
  { position, curl }: CheckFacts,
): CheckedMonitor {
  const status = assess(result, monitor.degraded_over_ms);
  const isSlow = status === 'degraded' && result.reason === null;
  return {
    ...identityOf(monitor, position),
    status,
    latencyMs: result.latencyMs,
    error: isSlow ? `slower than ${monitor.degraded_over_ms ?? 0} ms` : (result.reason?.message ?? null),
    category: isSlow ? 'slow' : (result.reason?.category ?? null),
    attempts,
    timings: result.timings,
    certExpiryDays: result.certificate === null ? null : daysUntil(result.certificate.validToAt, startedAt),
    answer: result.answer,
    unmet: result.assertions.filter(({ isMet }) => !isMet),
    curl: status === 'up' ? null : curl,
  };
}

/** A monitor that receives heartbeats instead of asking. */
export function skippedMonitor(monitor: Monitor, position: FilePosition | null): CheckedMonitor {
  return {
    ...identityOf(monitor, position),
    status: 'skipped',
    latencyMs: null,
    error: null,
    category: null,
    attempts: 0,
    timings: noTimings,
    certExpiryDays: null,
    answer: null,
    unmet: [],
    curl: null,
  };
}

/** The root cause of each monitor that is down, by id, as far as one was checked too: its name. */
export function causesOf(
  results: readonly CheckedMonitor[],
  { monitors }: { readonly monitors: readonly Pick<Monitor, 'id' | 'depends_on'>[] },
): ReadonlyMap<string, string> {
  const down = new Map(results.flatMap(({ id, name, status }) => (status === 'down' ? [[id, name]] : [])));
  if (down.size < 2) return new Map();
  const graph = graphOfMonitors(monitors);
  return new Map(
    [...down.keys()].flatMap((id) => {
      const [root] = rootsOf(graph, id, (upstream) => down.has(upstream));
      const name = root === undefined ? undefined : down.get(root);
      return name === undefined ? [] : [[id, name]];
    }),
  );
}

/** Certificates that end within `alerts.cert_expiry_days`, of monitors that warn of it (`check_cert`). */
export function certificateNotes(
  results: readonly CheckedMonitor[],
  { monitors, alerts }: Pick<Config, 'monitors' | 'alerts'>,
): Note[] {
  const silent = new Set(
    monitors.filter((monitor) => 'check_cert' in monitor && !monitor.check_cert).map(({ id }) => id),
  );
  return results.flatMap(({ id, name, position, certExpiryDays: days }) =>
    days === null || days > alerts.cert_expiry_days || silent.has(id)
      ? []
      : [{ id, name, position, text: `the certificate ${endsIn(days)}` }],
  );
}

/** The note on a domain's expiry at `expiresAt`; null when it is further away than `withinDays`. */
export function domainNote(
  domain: string,
  expiry: { readonly expiresAt: number; readonly now: number; readonly withinDays: number },
): string | null {
  const days = daysUntil(expiry.expiresAt, expiry.now);
  return days > expiry.withinDays ? null : `the domain ${domain} ${endsIn(days)}`;
}

function identityOf({ id, name, group, kind, degraded_over_ms }: Monitor, position: FilePosition | null) {
  return { id, name, group, kind, degradedOverMs: degraded_over_ms, position };
}

/** Whole days, rounded down: what ends in an hour has 0 days left. */
function daysUntil(endsAt: number, now: number): number {
  return Math.floor((endsAt - now) / dayMs);
}

/** The text has the number that the JSON has. */
function endsIn(days: number): string {
  if (days < -1) return `expired ${inDays(-days)} ago`;
  if (days < 0) return 'has expired';
  return days === 0 ? 'expires within a day' : `expires in ${inDays(days)}`;
}

function inDays(days: number): string {
  return counted(days, 'day');
}
