/** A monitor as one node checks it: without retries, which are for the next node. */
import type { ProbedMonitor } from '../probes/probe.ts';

const single = new WeakMap<ProbedMonitor, ProbedMonitor>();

/** Its own settings, without retries: the same object each time, since probes keep what they prepare for one. */
export function once(monitor: ProbedMonitor): ProbedMonitor {
  if (monitor.probe_retries === 0) return monitor;
  let made = single.get(monitor);
  if (made === undefined) single.set(monitor, (made = { ...monitor, probe_retries: 0 }));
  return made;
}
