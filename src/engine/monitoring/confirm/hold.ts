/** Counts a failure that may be this node's own: it opens nothing and shows nothing, but it is not forgotten. */
import { confirm, recentOf } from './confirm.ts';
import type { CheckPolicy } from '../../core/sample.ts';
import type { MonitorState } from './state.ts';

/**
 * The state after a check at `at` (epoch ms) that failed while the network of this node was suspected. When the network
 * is there and the target still fails, the streak goes on from the first of these; an answer ends it.
 */
export function hold(before: MonitorState, at: number, policy: CheckPolicy): MonitorState {
  if (before.incident !== null)
    return confirm(before, { kind: 'check', at, outcome: 'unknown', latencyMs: null }, policy).state;
  const { failures } = recentOf(before, at, policy);
  return {
    ...before,
    status: 'unknown',
    failures: failures === null ? { count: 1, sinceAt: at } : { ...failures, count: failures.count + 1 },
    recoveries: 0,
    knownAt: at,
  };
}
