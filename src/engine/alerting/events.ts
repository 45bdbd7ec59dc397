/** What can happen that people may have to hear of, as plain facts. Instants are epoch ms. */
import type { Why } from '../monitoring/confirm/transition.ts';
import type { Severity } from './event-names.ts';

/** `at` is the present of whoever decides (the clock, not the time of a sample that took a while to answer). */
interface Moment {
  readonly at: number;
}

/** A monitor was confirmed down; `uid` names its incident for ever. */
interface IncidentOpened extends Moment {
  readonly kind: 'incident_opened';
  readonly uid: string;
  readonly monitor: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  readonly why: Why;
}

interface IncidentClosed extends Moment {
  readonly kind: 'incident_closed';
  /** `removal`: its monitor left the configuration, and whether it recovered is not known. Absent: it recovered. */
  readonly by?: 'recovery' | 'removal';
  readonly uid: string;
  readonly monitor: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A monitor cannot be checked; `uid` names its incident, `ownFault` (ownFaultKey) the cause. */
interface UnknownConfirmed extends Moment {
  readonly kind: 'unknown_confirmed';
  readonly uid: string;
  readonly monitor: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  readonly ownFault: string;
  readonly why: Why;
}

interface UnknownEnded extends Moment {
  readonly kind: 'unknown_ended';
  /** As of IncidentClosed. */
  readonly by?: 'recovery' | 'removal';
  readonly uid: string;
  readonly monitor: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

interface DegradedConfirmed extends Moment {
  readonly kind: 'degraded_confirmed';
  readonly monitor: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  readonly why: Why;
  /** Of the check that confirmed it. */
  readonly latencyMs: number | null;
  /** `degraded_over_ms`; null when there is none. */
  readonly limitMs: number | null;
  /** Null when it is only slow. Holds no secret. */
  readonly reason: string | null;
}

interface DegradedEnded extends Moment {
  readonly kind: 'degraded_ended';
  readonly monitor: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly by: 'recovery' | 'outage' | 'removal';
}

/** Someone says something about a monitor. `uid`: unique, `[A-Za-z0-9_.:-]`, at most 100 characters. */
interface ProducerAlert extends Moment {
  readonly kind: 'producer_alert';
  readonly uid: string;
  readonly monitor: string;
  readonly severity: Severity;
  readonly title: string;
  readonly message: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

interface CertExpiring extends Moment {
  readonly kind: 'cert_expiring';
  readonly monitor: string;
  readonly expiresAt: number;
  readonly subject: string | null;
  readonly issuer: string | null;
}

interface CertChanged extends Moment {
  readonly kind: 'cert_changed';
  readonly monitor: string;
  readonly expiresAt: number;
  readonly subject: string | null;
  readonly issuer: string | null;
  readonly spkiSha256: string;
  readonly previousSpkiSha256: string | null;
}

/** Its certificate was read before and cannot be now, though it answers: nobody would be warned of its expiry. */
interface CertUnreadable extends Moment {
  readonly kind: 'cert_unreadable';
  readonly monitor: string;
  /** The first of the checks that found none. */
  readonly sinceAt: number;
  /** Of the certificate that was read last. */
  readonly lastExpiresAt: number;
  readonly reason: string;
}

interface DomainExpiring extends Moment {
  readonly kind: 'domain_expiring';
  readonly monitor: string;
  readonly domain: string;
  readonly expiresAt: number;
}

interface BudgetBurn extends Moment {
  readonly kind: 'budget_burn';
  readonly monitor: string;
  readonly pace: 'fast' | 'slow';
  /** How many times faster than the promise allows. */
  readonly rate: number;
  readonly windowSecs: number;
  readonly uptimePercent: number;
  readonly sloWindowDays: number;
  readonly leftMinutes: number | null;
  readonly totalMinutes: number | null;
}

export interface PeerDownEvent extends Moment {
  readonly kind: 'peer_down';
  readonly peer: string;
  readonly startedAt: number;
  readonly lastHeardAt: number | null;
  readonly reason: string | null;
}

/** A peer is heard again that was down, or out of hearing; `startedAt` names the trouble. */
export interface PeerRecoveredEvent extends Moment {
  readonly kind: 'peer_recovered';
  readonly peer: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface PeerLinkDegradedEvent extends Moment {
  readonly kind: 'peer_link_degraded';
  readonly peer: string;
  readonly startedAt: number;
  readonly lastHeardAt: number | null;
  readonly seenBy: readonly string[];
  readonly reason: string | null;
}

/**
 * This node reaches nothing. It lost its network, or everything it watches is down at once: the message goes out if it
 * can, so that the second is told too.
 */
export interface NodeBlindEvent extends Moment {
  readonly kind: 'node_blind';
  readonly startedAt: number;
  readonly reason: string | null;
  /** The ids of all monitors of which nothing is known meanwhile. */
  readonly monitors: readonly string[];
  /** It goes on with an episode that seemed to be over, and whose end was perhaps not sent yet. */
  readonly isContinued: boolean;
}

export interface NodeSightedEvent extends Moment {
  readonly kind: 'node_sighted';
  readonly startedAt: number;
  readonly endedAt: number;
  readonly reason: string | null;
  /** The ids of all monitors of which nothing was known meanwhile. */
  readonly monitors: readonly string[];
}

interface StorageFailing extends Moment {
  readonly kind: 'storage_failing';
  readonly startedAt: number;
  readonly error: string | null;
}

/** A digest is due; `slotAt` is the instant of the schedule it is for. */
interface DigestDue extends Moment {
  readonly kind: 'digest_due';
  readonly slotAt: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly summary: string;
  readonly lines: readonly string[];
}

/** What is told as it is, without a beginning and an end to wait for. */
export type ImmediateEvent =
  | ProducerAlert
  | CertExpiring
  | CertChanged
  | CertUnreadable
  | DomainExpiring
  | BudgetBurn
  | PeerDownEvent
  | PeerRecoveredEvent
  | PeerLinkDegradedEvent
  | NodeBlindEvent
  | NodeSightedEvent
  | StorageFailing
  | DigestDue;

export type AlertEvent = BegunEvent | EndedEvent | ImmediateEvent;

export type BegunEvent = IncidentOpened | UnknownConfirmed | DegradedConfirmed;
export type EndedEvent = IncidentClosed | UnknownEnded | DegradedEnded;
