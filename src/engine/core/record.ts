/** Incidents, decisions and messages as the store returns them. Instants are epoch ms. */
import type { LatestReason } from './latest-reason.ts';
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
  /** Why its checks fail by now, where that is another reason; null: it is the one above. */
  readonly latest: LatestReason | null;
  readonly cause: string | null;
  /** Ids of the monitors folded into it. */
  readonly impacted: readonly string[];
  readonly note: string | null;
  readonly snapshot: Answer | null;
  /** JSON: what other nodes saw. */
  readonly vantage: unknown;
  /** What kept this host from checking the monitor (ownFaultKey): the incident is no outage. Null: an outage. */
  readonly ownFault: string | null;
  /** Null: nobody takes care of it, as far as is known. */
  readonly acknowledged: Acknowledgement | null;
  /** The uid of the incident before, whose acknowledgement was carried over to this one; null: none was. */
  readonly carriedFrom: string | null;
}

/** An incident is taken care of: no reminder and no escalation follows. */
export interface Acknowledgement {
  readonly at: number;
  /** The channel whose link it came by, or who typed it; null: not known. */
  readonly by: string | null;
  readonly reason: string | null;
}

/** The reason of a decision that an acknowledgement was withdrawn: a fact of the incident, which no longer has it. */
export const ackWithdrawn = 'ack_withdrawn';

/** What an operator says of the progress; `resolved` ends an incident that was opened by hand. */
export const incidentStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type OperatorState = (typeof incidentStates)[number];

export const incidentImpacts = ['degraded', 'partial', 'major', 'maintenance', 'none'] as const;
export type IncidentImpact = (typeof incidentImpacts)[number];

/** An incident that an operator opened. It counts for no uptime. */
export interface OperatorIncidentFacts {
  /** For people who may see every incident; `uid` is for everyone. */
  readonly id: number;
  readonly uid: string;
  readonly monitor: null;
  readonly title: string;
  readonly impact: IncidentImpact;
  /** Ids; none: it is about everything. */
  readonly monitors: readonly string[];
  readonly startedAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
  readonly note: string | null;
}

/** What was said about an incident. */
export interface IncidentUpdateFacts {
  readonly uid: string;
  /** The uid of the incident. */
  readonly incident: string;
  readonly at: number;
  /** Null: it stays what it was. */
  readonly state: OperatorState | null;
  readonly message: string | null;
  /** Who said it, for those who may see everything. */
  readonly author: string | null;
}

/** A marker of something that was changed: a deployment, a migration. */
export interface EventFacts {
  readonly id: number;
  readonly uid: string;
  readonly title: string;
  /** Ids; none: it is about everything. */
  readonly monitors: readonly string[];
  readonly at: number;
}

/** What was changed so long before the first failure, or later, may have caused it. */
export const recentChangeMs = 1_800_000;

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

export const deliveryStates = ['waiting', 'sent', 'given_up', 'dropped'] as const;

/** A message of the outbox. */
export interface DeliveryFacts {
  readonly id: number;
  readonly channel: string;
  readonly event: string;
  readonly incident: string | null;
  readonly createdAt: number;
  readonly state: (typeof deliveryStates)[number];
  readonly attempts: number;
  /** When it is due, while it waits. */
  readonly nextAt: number;
  readonly lastError: string | null;
  readonly finishedAt: number | null;
  /** The monitors whose message covers it as long as it waits; null, or absent: none. */
  readonly foldedInto?: readonly string[] | null;
}
