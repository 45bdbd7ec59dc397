/** What was learned of a monitor at one instant, ready to be confirmed and kept. */
import type { Monitor } from '../config/config.ts';
import type { Sample } from '../core/confirm/sample.ts';
import { silenceSample, type Silence } from '../core/heartbeat.ts';
import type { Answer, ProbeResult, Reason } from '../core/probe.ts';
import { assess, type Status } from '../core/status.ts';

export interface Seen {
  readonly sample: Sample;
  /** Of this sample alone, before any threshold. */
  readonly status: Status;
  readonly latencyMs: number | null;
  readonly holdSecs: number;
  readonly isHeartbeat: boolean;
  readonly reason: Reason | null;
  /** What a heartbeat said, when it is no reason. */
  readonly message: string | null;
  readonly snapshot: Answer | null;
  /** It failed while the network of this node was doubted: counted, but not believed yet. Left out: it is as it says. */
  readonly isHeld?: true;
}

/** A check that came back at `at`. */
export function seenByCheck(
  result: ProbeResult,
  { at, monitor, holdSecs }: { readonly at: number; readonly monitor: Monitor; readonly holdSecs: number },
): Seen {
  const { outcome, latencyMs, reason, answer } = result;
  return {
    sample: { kind: 'check', at, outcome, latencyMs, ...ownFaultIn(reason) },
    status: assess(result, monitor.degraded_over_ms),
    latencyMs,
    holdSecs,
    isHeartbeat: false,
    reason,
    message: null,
    snapshot: outcome === 'failed' ? answer : null,
  };
}

/** The same without the fault of this host that would be reported: something else explains it, and is reported itself. */
export function asExplained(seen: Seen): Seen {
  const { sample } = seen;
  if (sample.kind !== 'check' || sample.ownFault === undefined) return seen;
  const { kind, at, outcome, latencyMs } = sample;
  return { ...seen, sample: { kind, at, outcome, latencyMs } };
}

function ownFaultIn(reason: Reason | null): { readonly ownFault?: string } {
  return reason?.ownFault === undefined ? {} : { ownFault: reason.ownFault };
}

/** The same sight, had this host been at fault: nothing is known of the target. */
export function asOwnFault(seen: Seen, why: string, ownFault: string | null = null): Seen {
  const { at } = seen.sample;
  return {
    ...seen,
    sample: {
      kind: 'check',
      at,
      outcome: 'unknown',
      latencyMs: null,
      ...(ownFault !== null && { ownFault }),
    },
    status: 'unknown',
    latencyMs: null,
    reason: { category: 'own_fault', message: why, ...(ownFault !== null && { ownFault }) },
    snapshot: null,
  };
}

/** The same sight, while this node may have lost its network: nothing is known of the target, but the failure is kept in mind. */
export function asHeld(seen: Seen): Seen {
  return { ...asOwnFault(seen, 'this node may have lost its network'), isHeld: true };
}

/** What the silence of a push monitor makes; null when it makes no sample. */
export function seenInSilence(silence: Silence, at: number, holdSecs: number): Seen | null {
  const sample = silenceSample(silence, at);
  if (sample === null || !('dueAt' in silence)) return null;
  const due = new Date(silence.dueAt).toISOString().replace(/\.\d+Z$/, 'Z');
  const message =
    silence.kind === 'late'
      ? `the heartbeat due at ${due} is late`
      : `the heartbeat due at ${due} did not come`;
  return {
    sample,
    status: silence.kind === 'late' ? 'degraded' : 'down',
    latencyMs: null,
    holdSecs,
    isHeartbeat: false,
    reason: { category: 'heartbeat', message },
    message: null,
    snapshot: null,
  };
}
