/** The result of confirmation: the transitions caused by a sample, with the count that explains them. */
import type { Status } from '../../core/status.ts';
import type { SampleFinding } from '../../core/sample.ts';

/** Instants are epoch ms; none lies before one that came earlier in the same outage, even if the clock stepped back. */
export type Transition =
  | { readonly kind: 'incident_opened'; readonly startedAt: number; readonly confirmedAt: number }
  | {
      readonly kind: 'incident_closed';
      readonly startedAt: number;
      readonly confirmedAt: number;
      readonly endedAt: number;
    }
  | { readonly kind: 'degraded_confirmed'; readonly startedAt: number; readonly confirmedAt: number }
  | {
      readonly kind: 'degraded_ended';
      readonly startedAt: number;
      readonly endedAt: number;
      /** Whether it is up again, or down by now. */
      readonly by: 'recovery' | 'outage';
    }
  | {
      /** It could not be checked for as many checks as confirm an outage, because of `ownFault` (ownFaultKey). */
      readonly kind: 'unknown_confirmed';
      readonly startedAt: number;
      readonly confirmedAt: number;
      readonly ownFault: string;
    }
  | {
      readonly kind: 'unknown_ended';
      readonly startedAt: number;
      readonly confirmedAt: number;
      readonly endedAt: number;
    }
  | {
      readonly kind: 'status_changed';
      readonly from: Status;
      readonly to: Status;
      readonly at: number;
    };

/**
 * Why a sample led where it did. `failing`, `slow`, `recovering` and `unknown` say how many in a row there are and
 * how many it takes; `down` and `degraded` that nothing new was learned about what is confirmed already.
 */
export type Why = { readonly finding: SampleFinding['kind'] } & (
  | { readonly kind: 'healthy' }
  | { readonly kind: 'late'; readonly dueAt: number }
  | { readonly kind: 'missed'; readonly dueAt: number }
  | { readonly kind: 'failing'; readonly count: number; readonly needed: number }
  | { readonly kind: 'slow'; readonly count: number; readonly needed: number }
  | { readonly kind: 'recovering'; readonly count: number; readonly needed: number }
  | { readonly kind: 'unknown'; readonly count: number; readonly needed: number }
  | { readonly kind: 'down' }
  | { readonly kind: 'degraded' }
);
