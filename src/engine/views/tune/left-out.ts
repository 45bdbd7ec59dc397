/** Finds the times to leave out of tuning, because a failure was announced. */
import { upstreams, type Graph } from '../../core/graph.ts';
import type { MaintenanceWindow } from '../../core/mute.ts';
import type { TimeSpan } from '../../core/sample-history.ts';

/** A silence as it was stored; null: over every monitor. */
interface StoredSilence {
  readonly monitors: readonly string[] | null;
  readonly createdAt: number;
  readonly untilAt: number;
}

export interface Quiet {
  readonly maintenance: readonly MaintenanceWindow[];
  readonly silences: readonly StoredSilence[];
  readonly graph: Graph;
}

/** The windows and silences over a monitor, or over anything it depends on. */
export function spansLeftOut(monitor: string, { maintenance, silences, graph }: Quiet): TimeSpan[] {
  const ids = [monitor, ...upstreams(graph, monitor)];
  const isOver = (monitors: readonly string[]): boolean => ids.some((id) => monitors.includes(id));
  return [
    ...maintenance
      .filter(({ monitors }) => monitors.length === 0 || isOver(monitors))
      .map(({ startAt, endAt }) => ({ fromAt: startAt, toAt: endAt })),
    ...silences
      .filter(({ monitors }) => monitors === null || isOver(monitors))
      .map(({ createdAt, untilAt }) => ({ fromAt: createdAt, toAt: untilAt })),
  ];
}
