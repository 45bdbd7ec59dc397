/** What a made-up history needs to know of a configured monitor. */
import { Cron } from 'croner';
import type { Config, Monitor } from '../../src/engine/config/config.ts';
import type { MonitorKind } from '../../src/engine/core/probe.ts';

export interface SeedMonitor {
  readonly id: string;
  readonly name: string;
  readonly kind: MonitorKind;
  /** The second after `secs` at which it is checked, or a heartbeat is expected. */
  readonly next: (secs: number) => number;
  /** How long a sample speaks at most: until the next one is overdue. */
  readonly holdSecs: number;
  readonly failThreshold: number;
  readonly recoverThreshold: number;
  readonly degradedOverMs: number | null;
  readonly dependsOn: readonly string[];
}

/** The monitors of a config, every one after those it depends on. `phase` spreads them over their interval. */
export function seedMonitors(config: Config, phase: (id: string) => number): SeedMonitor[] {
  const ordered: Monitor[] = [];
  const add = (monitor: Monitor) => {
    if (ordered.includes(monitor)) return;
    for (const upstream of config.monitors) if (monitor.depends_on.includes(upstream.id)) add(upstream);
    ordered.push(monitor);
  };
  for (const monitor of config.monitors) add(monitor);
  return ordered.map((monitor) => ({
    id: monitor.id,
    name: monitor.name,
    kind: monitor.kind,
    next: nextOf(monitor, phase(monitor.id)),
    holdSecs: holdOf(monitor),
    failThreshold: monitor.fail_threshold,
    recoverThreshold: monitor.recover_threshold,
    degradedOverMs: 'degraded_over_ms' in monitor ? monitor.degraded_over_ms : null,
    dependsOn: monitor.depends_on,
  }));
}

function nextOf(monitor: Monitor, phase: number): (secs: number) => number {
  if (monitor.kind === 'push' && monitor.schedule !== null) {
    const cron = new Cron(monitor.schedule, { timezone: 'UTC' });
    return (secs) => Math.ceil((cron.nextRun(new Date(secs * 1000))?.getTime() ?? Infinity) / 1000);
  }
  const interval = monitor.interval_secs;
  const offset = Math.floor(phase * interval);
  return (secs) => (Math.floor((secs - offset) / interval) + 1) * interval + offset;
}

function holdOf(monitor: Monitor): number {
  if (monitor.kind === 'push')
    return (monitor.schedule === null ? monitor.interval_secs : 86_400) + monitor.grace_secs;
  return monitor.interval_secs + (monitor.timeout_secs + 1) * (monitor.probe_retries + 1);
}
