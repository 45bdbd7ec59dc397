/** The facts behind mails to readers: the public monitors, and what all decisions share. */
import type { SqlReader } from '../../db/store/sql.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import type { Graph } from '../../engine/core/graph.ts';
import type { MonitorState } from '../../engine/monitoring/confirm/state.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import type { BroadcastDecision } from '../../engine/operations/subscribe.ts';
import type { Reader } from '../../engine/views/monitor.ts';
import type { PageContext } from '../pages/page-context.ts';

const recheckMs = 60_000;

/** The monitors and incidents that are public. */
export interface PublicWorld {
  readonly config: Config;
  readonly sql: SqlReader;
  readonly stateOf: (monitor: string) => MonitorState | null;
  readonly monitors: ReadonlyMap<string, Monitor>;
  /** Of what is public alone: what depends on something private depends on nothing. */
  readonly graph: Graph;
  readonly reader: Reader;
  readonly site: PageContext;
}

export const drop: BroadcastDecision = { kind: 'drop' };

export function waitUntil(untilAt: number, nowAt: number): BroadcastDecision {
  return { kind: 'wait', untilAt: Math.min(untilAt, nowAt + recheckMs) };
}

/** Null: everybody's. What is not public is in none of their groups. */
export function groupsOf(ids: readonly string[], { monitors }: PublicWorld): readonly string[] | null {
  if (ids.length === 0) return null;
  return [...new Set(ids.flatMap((id) => (monitors.has(id) ? [monitors.get(id)?.group ?? ''] : [])))];
}

export function windowsOf({ config, sql, reader }: PublicWorld): ReturnType<typeof plannedMaintenance> {
  return plannedMaintenance(sql, config, reader.nowAt);
}
