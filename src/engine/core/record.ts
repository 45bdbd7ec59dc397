/** What the store keeps of incidents, decisions and messages, as far as others read it. Instants are epoch ms. */
import type { Answer, Category } from './probe.ts';

export interface IncidentFacts {
  /** For people who may see every incident; `uid` is for everyone. */
  readonly id: number;
  readonly uid: string;
  readonly monitor: string;
  /** The monitor's name when it happened. */
  readonly name: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
  readonly category: Category | null;
  readonly reason: string | null;
  readonly cause: string | null;
  /** Ids of the monitors folded into it. */
  readonly impacted: readonly string[];
  readonly note: string | null;
  readonly snapshot: Answer | null;
  /** JSON: what other nodes saw. */
  readonly vantage: unknown;
  /** What kept this host from checking the monitor (ownFaultKey): the incident is no outage. Null: an outage. */
  readonly ownFault: string | null;
}

/** A line of the decision log. */
export interface DecisionFacts {
  readonly id: number;
  readonly at: number;
  readonly monitor: string | null;
  /** The uid of the incident it was about. */
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
  /** When it is due, while it waits. */
  readonly nextAt: number;
  readonly lastError: string | null;
  readonly finishedAt: number | null;
}
