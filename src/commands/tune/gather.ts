/** Reads the history of each monitor and has it tuned, one after the other. */
import { setImmediate as breathe } from 'node:timers/promises';
import { readHistory } from '../../db/read/history.ts';
import { silences } from '../../db/topics/silences.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { graphOf } from '../../engine/core/graph.ts';
import { leaveOut, type Span } from '../../engine/core/replay/history.ts';
import { holdSecsOf, policyOf } from '../../engine/loop/rhythm.ts';
import { spansLeftOut } from '../../engine/views/tune/left-out.ts';
import { tuneMonitor } from '../../engine/views/tune/tune.ts';
import type { MonitorTuning } from '../../engine/views/tune/tuning.ts';
import type { Opened } from '../open-store.ts';

export interface GatherOptions {
  readonly span: Span;
  readonly interrupt: AbortSignal;
  readonly onMonitor: () => void;
}

/** Rejects with the reason of the interrupt. */
export async function gatherTunings(
  wanted: readonly Monitor[],
  { config, store }: Pick<Opened, 'config' | 'store'>,
  { span, interrupt, onMonitor }: GatherOptions,
): Promise<MonitorTuning[]> {
  const { alerts, maintenance } = config;
  const quiet = {
    maintenance,
    silences: silences.active(store.sql, span.fromAt),
    graph: graphOf(config.monitors.map(({ id, depends_on }) => ({ id, dependsOn: depends_on }))),
  };
  const tunings: MonitorTuning[] = [];
  for (const monitor of wanted) {
    const isPush = monitor.kind === 'push';
    const { history, leftOut } = leaveOut(
      readHistory(store.sql, monitor.id, { ...span, isPush }),
      spansLeftOut(monitor.id, quiet),
    );
    tunings.push(
      tuneMonitor({
        monitor,
        policy: policyOf(monitor),
        holdMs: holdSecsOf(monitor) * 1000,
        windowMs: alerts.group_window_secs * 1000,
        isDegradedTold: alerts.alert_on_degraded,
        history,
        leftOut,
        askedMs: span.toAt - span.fromAt,
      }),
    );
    onMonitor();
    await breathe();
    interrupt.throwIfAborted();
  }
  return tunings;
}
