/** The hosts that a configuration has nodes check. */
import type { Config } from '../config/config.ts';
import { isLoopback } from '../core/hosts.ts';
import { askedHost } from '../monitoring/watched-monitor.ts';
import type { ProbedMonitor } from '../probes/probe.ts';

const byId = new WeakMap<Config, ReadonlyMap<string, ProbedMonitor>>();

/** The monitors that are probed, by id. */
export function monitorsOf(config: Config): ReadonlyMap<string, ProbedMonitor> {
  let known = byId.get(config);
  if (known === undefined) {
    known = new Map(config.monitors.flatMap((each) => (each.kind === 'push' ? [] : [[each.id, each]])));
    byId.set(config, known);
  }
  return known;
}

const remotes = new WeakMap<Config, boolean>();

/** Whether any of them is on another machine. */
export function isAnyRemoteIn(config: Config): boolean {
  let known = remotes.get(config);
  if (known === undefined) {
    known = config.monitors.some((monitor) => {
      const host = askedHost(monitor);
      return host !== null && !isLoopback(host);
    });
    remotes.set(config, known);
  }
  return known;
}
