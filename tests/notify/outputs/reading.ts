/** Metrics as the daemon reads them, made up. */
import type { Status } from '../../../src/engine/core/status.ts';
import {
  bucketSecs,
  type MeasuredMonitor,
  type MetricReading,
  nodeFamilies,
} from '../../../src/engine/views/metrics/families.ts';
import { labelsOf } from '../../../src/engine/views/metrics/labels.ts';

interface MadeUp {
  readonly id?: string;
  readonly name?: string;
  readonly group?: string;
  readonly status?: Status;
  readonly certExpiresAt?: number | null;
  readonly isPushed?: boolean;
}

export function measuredMonitor(madeUp: MadeUp = {}): MeasuredMonitor {
  const { id = 'web', name = 'Web', group = '', status = 'up', certExpiresAt = null } = madeUp;
  return {
    id,
    labels: labelsOf({ id, name, group }),
    status,
    uptime: 0.5,
    certExpiresAt,
    isUnstable: false,
    incidents: 3,
    probes:
      madeUp.isPushed === true
        ? null
        : {
            results: { up: 7, degraded: 0, down: 1, unknown: 0 },
            buckets: [0, 2, 0, 1, ...new Array<number>(bucketSecs.length - 3).fill(0)],
            answered: 3,
            sumMs: 81.5,
          },
  };
}

export function readingOf(monitors: readonly MeasuredMonitor[], at: number): MetricReading {
  const spread = { p50Ms: 1, p99Ms: 2, maxMs: 3 };
  const inside = {
    notifications: [{ channel: 'ops', outcome: 'sent', count: 4 }],
    decisions: [],
    open: { acknowledged: 0, others: 1 },
    databaseBytes: 4096,
    peers: [],
    outputs: [],
    refused: [],
    nodes: null,
  };
  return {
    at,
    monitors,
    node: nodeFamilies({ version: '1.2.3', lateness: spread, loopLag: spread }, inside),
  };
}
