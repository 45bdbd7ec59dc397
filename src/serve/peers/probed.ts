/** Finds the monitor that a peer asks about. */
import type { Monitor } from '../../engine/config/config.ts';
import type { ProbedMonitor } from '../../engine/probes/probe.ts';

interface Asked {
  readonly id: string | null;
  readonly kind: string;
  readonly target: string;
}

/**
 * The monitor of this node with the same kind and target, one with the same id rather than another; null: there is
 * none. Push and exec monitors have no target, so they are never found.
 */
export function probedBy({ id, kind, target }: Asked, monitors: readonly Monitor[]): ProbedMonitor | null {
  let found: ProbedMonitor | null = null;
  for (const monitor of monitors) {
    if (monitor.kind === 'push' || monitor.kind === 'exec') continue;
    if (monitor.kind !== kind || monitor.target !== target) continue;
    if (monitor.id === id) return monitor;
    found ??= monitor;
  }
  return found;
}
