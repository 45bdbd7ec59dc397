/** A sample of a monitor with its context, ready to be confirmed and stored. */
import type { Operation } from '../../db/store/operation.ts';
import { samples } from '../../db/tables/samples.ts';
import type { Monitor } from '../config/config.ts';
import type { ConfirmSample } from '../core/sample.ts';
import { silenceSample, type HeartbeatSilence } from './heartbeats/silence.ts';
import type { Answer, ProbeResult, Reason } from '../core/probe.ts';
import { instantText } from '../core/instant.ts';
import { assess, type Status } from '../core/status.ts';

export interface Observation {
  readonly sample: ConfirmSample;
  /** Of this sample alone, before any threshold. */
  readonly status: Status;
  readonly latencyMs: number | null;
  readonly holdSecs: number;
  readonly isHeartbeat: boolean;
  readonly reason: Reason | null;
  /** What a heartbeat said, when it is no reason. */
  readonly message: string | null;
  readonly snapshot: Answer | null;
  /** It failed while the network of this node was suspected: counted, but not trusted yet. Absent: it was not. */
  readonly isHeld?: true;
}

/** A check that came back at `at`. */
export function observationOfCheck(
  result: ProbeResult,
  { at, monitor, holdSecs }: { readonly at: number; readonly monitor: Monitor; readonly holdSecs: number },
): Observation {
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
export function asExplained(observation: Observation): Observation {
  const { sample } = observation;
  if (sample.kind !== 'check' || sample.ownFault === undefined) return observation;
  const { kind, at, outcome, latencyMs } = sample;
  return { ...observation, sample: { kind, at, outcome, latencyMs } };
}

function ownFaultIn(reason: Reason | null): { readonly ownFault?: string } {
  return reason?.ownFault === undefined ? {} : { ownFault: reason.ownFault };
}

/** The same observation, had this host been at fault: nothing is known of the target. */
export function asOwnFault(
  observation: Observation,
  why: string,
  ownFault: string | null = null,
): Observation {
  const { at } = observation.sample;
  return {
    ...observation,
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

/** The same, while this node may have lost its network: nothing is known of the target, but the failure is kept in mind. */
export function asHeld(observation: Observation): Observation {
  return { ...asOwnFault(observation, 'this node may have lost its network'), isHeld: true };
}

/** What the silence of a push monitor makes; null when it makes no sample. */
export function observationOfSilence(
  heartbeatSilence: HeartbeatSilence,
  at: number,
  holdSecs: number,
): Observation | null {
  const sample = silenceSample(heartbeatSilence, at);
  if (sample === null || !('dueAt' in heartbeatSilence)) return null;
  const due = instantText(heartbeatSilence.dueAt);
  const message =
    heartbeatSilence.kind === 'late'
      ? `the heartbeat due at ${due} is late`
      : `the heartbeat due at ${due} did not come`;
  return {
    sample,
    status: heartbeatSilence.kind === 'late' ? 'degraded' : 'down',
    latencyMs: null,
    holdSecs,
    isHeartbeat: false,
    reason: { category: 'heartbeat', message },
    message: null,
    snapshot: null,
  };
}

/** The sample of an observation. `heardAt`: when a heartbeat came that changes nothing else, epoch ms; null: it is none. */
export function sampleOf(id: string, seen: Observation, heardAt: number | null): Operation {
  return samples.add({
    monitor: id,
    at: seen.sample.at,
    status: seen.status,
    latencyMs: seen.latencyMs,
    holdSecs: seen.holdSecs,
    isHeartbeat: seen.isHeartbeat,
    category: seen.reason?.category ?? null,
    message: seen.reason?.message ?? seen.message,
    heardAt,
  });
}
