/** What confirmation takes: one sample at a time, with the policy of the moment. */
import type { Outcome } from './probe.ts';

/**
 * `check`: a check was made or a heartbeat arrived; `latencyMs` is null when nothing answered. `late`: a heartbeat
 * due at `dueAt` has not come, but its grace still runs. `missed`: its grace is over. Instants are epoch ms.
 */
export type ConfirmSample =
  | {
      readonly kind: 'check';
      readonly at: number;
      readonly outcome: Outcome;
      readonly latencyMs: number | null;
      /** Of an unknown one: the fault of this host (ownFaultKey) that is to be reported when it lasts. */
      readonly ownFault?: string;
    }
  | { readonly kind: 'late'; readonly at: number; readonly dueAt: number }
  | { readonly kind: 'missed'; readonly at: number; readonly dueAt: number };

/** The settings of a monitor that decide; they may differ from one sample to the next. */
export interface CheckPolicy {
  /** How many failures in a row confirm down, degraded answers confirm degraded, unknowns show unknown. At least 1. */
  readonly failThreshold: number;
  /** How many answers in a row end it. At least 1. */
  readonly recoverThreshold: number;
  /** An answer that took longer than this many milliseconds is degraded; null: none is. */
  readonly degradedOverMs: number | null;
  /**
   * How far apart two samples may lie and still be "in a row", in ms, null for any distance: what was counted
   * before a stop of three days is no part of an outage today. Has to be several intervals, or nothing is confirmed.
   */
  readonly forgetAfterMs: number | null;
}

/**
 * What a sample says. `slow`: answered as expected, but over `degradedOverMs`. `warned`: the probe's own
 * `degraded` outcome.
 */
export type SampleFinding =
  | { readonly kind: 'healthy' | 'slow' | 'warned' | 'failed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'late' | 'missed'; readonly dueAt: number };

export function findingOf(sample: ConfirmSample, policy: CheckPolicy): SampleFinding {
  switch (sample.kind) {
    case 'late':
    case 'missed':
      return { kind: sample.kind, dueAt: sample.dueAt };
    case 'check':
      switch (sample.outcome) {
        case 'failed':
        case 'unknown':
          return { kind: sample.outcome };
        case 'degraded':
          return { kind: 'warned' };
        case 'healthy':
          return { kind: isSlow(sample.latencyMs, policy.degradedOverMs) ? 'slow' : 'healthy' };
      }
  }
}

function isSlow(latencyMs: number | null, limitMs: number | null): boolean {
  return limitMs !== null && latencyMs !== null && latencyMs > limitMs;
}
