/** Names the settings whose difference a stored history cannot answer for. */
import type { Config, Monitor } from '../../engine/config/config.ts';
import { isSame } from '../../engine/monitoring/same.ts';

export interface NotReplayed {
  readonly id: string;
  readonly keys: readonly string[];
}

/** Replayed, or of no consequence for what is told. */
const harmless: ReadonlySet<string> = new Set([
  'id',
  'name',
  'group',
  'public',
  'public_error_detail',
  'fail_threshold',
  'recover_threshold',
  'degraded_over_ms',
  'depends_on',
  'notify',
  'slo_uptime',
  'slo_window_days',
  'slo_latency_ms',
  'retention_days',
  'push_token',
  'domain_expiry',
]);

/** The monitors of both that would have been asked something else, or at other times. */
export function notReplayed(now: Config, then: Config): NotReplayed[] {
  const others = new Map(then.monitors.map((monitor) => [monitor.id, monitor]));
  return now.monitors.flatMap((monitor) => {
    const other = others.get(monitor.id);
    if (other === undefined) return [];
    const keys = differingKeys(monitor, other);
    return keys.length === 0 ? [] : [{ id: monitor.id, keys }];
  });
}

function differingKeys(a: Monitor, b: Monitor): string[] {
  const [left, right] = [fieldsOf(a), fieldsOf(b)];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  if (a.kind !== b.kind) return ['kind'];
  return keys.filter((key) => !harmless.has(key) && !isSame(left[key], right[key]));
}

function fieldsOf(monitor: Monitor): Readonly<Record<string, unknown>> {
  return { ...monitor };
}
