/** Reads the history of each monitor and has it tuned, one after the other. */
import { setImmediate as yieldTurn } from 'node:timers/promises';
import { readHistory } from '../../db/read/history.ts';
import { silences } from '../../db/tables/silences.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { graphOf } from '../../engine/core/graph.ts';
import { leaveOut, type TimeSpan } from '../../engine/core/sample-history.ts';
import { holdSecsOf, policyOf } from '../../engine/monitoring/check-policy.ts';
import { spansLeftOut } from '../../engine/views/tune/left-out.ts';
import { tuneMonitor } from '../../engine/views/tune/tune.ts';
import type { MonitorTuning } from '../../engine/views/tune/tuning.ts';
import type { OpenedStore } from '../open-store.ts';

export interface TuneGatherOptions {
  readonly span: TimeSpan;
  readonly interrupt: AbortSignal;
  readonly onMonitor: () => void;
}

/** Rejects with the reason of the interrupt. */
export async function gatherTunings(
  wanted: readonly Monitor[],
  { config, store }: Pick<OpenedStore, 'config' | 'store'>,
  { span, interrupt, onMonitor }: TuneGatherOptions,
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
        isDegradedNotified: alerts.alert_on_degraded,
        history,
        leftOut,
        askedMs: span.toAt - span.fromAt,
      }),
    );
    onMonitor();
    await yieldTurn();
    interrupt.throwIfAborted();
  }
  return tunings;
}
