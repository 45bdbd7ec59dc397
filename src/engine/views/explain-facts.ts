/** What an explanation is made of. */
import type { Muting } from '../core/mute.ts';
import type { Status } from '../core/status.ts';
import type { MonitorState } from '../monitoring/confirm/state.ts';
import type { PeerState } from '../peers/rules/state.ts';
import type { IncidentFacts } from './incident.ts';

/** A line of the decision log. Instants are epoch ms. */
export interface DecisionFacts {
  readonly id: number;
  readonly at: number;
  readonly monitor: string | null;
  readonly incident: string | null;
  readonly channel: string | null;
  readonly event: string;
  readonly verdict: string;
  readonly reason: string;
  /** A full sentence. */
  readonly detail: string | null;
}
/** A message of the outbox. */

export interface DeliveryFacts {
  readonly id: number;
  readonly channel: string;
  readonly event: string;
  readonly incident: string | null;
  readonly createdAt: number;
  readonly state: 'waiting' | 'sent' | 'given_up' | 'dropped';
  readonly attempts: number;
  readonly nextAt: number;
  readonly lastError: string | null;
  readonly finishedAt: number | null;
}
/** What confirming asks of the monitor; null when the configuration has it no more. */
interface ExplainPolicy {
  readonly failThreshold: number;
  readonly isDegradedNotified: boolean;
}
export interface ExplainFacts {
  readonly nowAt: number;
  /** The instant asked about; null: the present. */
  readonly askedAt: number | null;
  readonly monitor: { readonly id: string; readonly name: string };
  readonly policy: ExplainPolicy | null;
  /** What is known of it when it is another node; null: it is a monitor. */
  readonly peer: PeerState | null;
  /** The one to explain, open or over; null: there is none. */
  readonly incident: IncidentFacts | null;
  readonly decisions: readonly DecisionFacts[];
  readonly deliveries: readonly DeliveryFacts[];
  /** What confirming remembers, as of now. */
  readonly state: MonitorState | null;
  /** Whether messages are held back, as of now. */
  readonly muting: Muting;
  /** The samples around the instant asked about, oldest first. */
  readonly samples: readonly { readonly at: number; readonly status: Status }[];
}
