/** One event for one channel as plain facts, before it is put into words. */
import type { Answer, Category } from '../engine/core/probe.ts';
import type { EventName, Severity } from '../engine/alerting/event-names.ts';
import type { SeenFrom } from '../engine/views/vantage.ts';

/** Who an event is about: the config id and the display name of a monitor or of a watched peer. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** What another node saw of the same target. */
export type VantageView = SeenFrom;

/** Which outages a message is about, and which other messages belong to it. */
export interface Grouping {
  /** What a down about several monitors and its recoveries have in common; null: it is about one. */
  readonly groupId: string | null;
  /** Of everything that is named and has an incident, that of the monitor first. */
  readonly incidentIds: readonly number[];
}

interface Envelope {
  /** Stable over every attempt and restart: `[A-Za-z0-9_.:-]`, 1 to 200 characters. */
  readonly deliveryId: string;
  /** When the event happened (not when it is told), in epoch ms. */
  readonly at: number;
  readonly severity: Severity;
  /** It only looks like the event: somebody tries the channels out. */
  readonly isTest: boolean;
  /** How many copies went out whole without an answer, so that this one may be a repeat; none without it. */
  readonly repeat?: number;
  /** The page to look at, as a whole URL. */
  readonly link: string | null;
}

/** A monitor's outage, confirmed. */
export interface Down extends Envelope {
  readonly event: 'down';
  readonly monitor: Named;
  /** The first failure. */
  readonly startedAt: number;
  readonly confirmedAt: number;
  readonly reason: string | null;
  readonly category: Category | null;
  readonly snapshot: Answer | null;
  /** How it was confirmed: `3 failed checks in a row`. */
  readonly confirmation: string | null;
  /** The upstream that is to blame, when it is known. */
  readonly cause: Named | null;
  /** Everything else that failed with it and is told of here alone. */
  readonly impacted: readonly Named[];
  readonly grouping: Grouping;
  /** What the peers saw; null when none was asked. */
  readonly vantage: readonly VantageView[] | null;
  /** Null only in a test. */
  readonly incidentId: number | null;
}

/** Monitors that cannot be checked, for one cause. */
export interface Unknown extends Envelope {
  readonly event: 'unknown';
  /** One of them. */
  readonly monitor: Named;
  /** The others, some of which were not confirmed yet. */
  readonly impacted: readonly Named[];
  /** The cause (ownFaultKey). */
  readonly ownFault: string;
  /** The first check of any of them that could not be made. */
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** What the first check said. */
  readonly reason: string | null;
  readonly confirmation: string | null;
  readonly incidentId: number | null;
  /** Of all that were confirmed. */
  readonly incidentIds: readonly number[];
}

/** What a monitor was like when it could be checked again; `failing`: it fails, and is not confirmed down yet. */
export interface FoundState extends Named {
  readonly state: 'up' | 'degraded' | 'failing' | 'down' | 'unknown';
}

export interface Degraded extends Envelope {
  readonly event: 'degraded';
  readonly monitor: Named;
  readonly startedAt: number;
  readonly latencyMs: number | null;
  /** `degraded_over_ms` of the monitor. */
  readonly limitMs: number | null;
  /** Null when it is only slow. */
  readonly reason: string | null;
  readonly confirmation: string | null;
}

export interface Recovered extends Envelope {
  readonly event: 'recovered';
  readonly monitor: Named;
  /** What it recovered from. */
  readonly from: 'down' | 'degraded' | 'unknown';
  readonly startedAt: number;
  readonly endedAt: number;
  /** What it was down for. */
  readonly reason: string | null;
  /** Everything else that was named with it and is up again. */
  readonly impacted: readonly Named[];
  readonly grouping: Grouping;
  /** After a time without checks: what was found then, and what had prevented them (ownFaultKey). */
  readonly found?: readonly FoundState[];
  readonly ownFault?: string | null;
  /** Nobody could be told while it was down: this is the only message about it, and `severity` is info. */
  readonly isLate: boolean;
  /** The monitor left the configuration: it ended for that, and whether it recovered is not known. */
  readonly isRemoved: boolean;
  /** Null in a test, and when it was only degraded. */
  readonly incidentId: number | null;
}

/** A producer says something. */
export interface ProducerAlert extends Envelope {
  readonly event: 'alert';
  readonly monitor: Named;
  readonly title: string;
  readonly message: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

/** Told to the other channels. */
export interface ChannelFailing extends Envelope {
  readonly event: 'channel_failing';
  readonly channel: string;
  readonly consecutiveFailures: number;
  readonly failingSinceAt: number;
  readonly error: string | null;
}

export interface CertExpiring extends Envelope {
  readonly event: 'cert_expiring';
  readonly monitor: Named;
  readonly expiresAt: number;
  /** Whole days; 0 is today, negative is over. */
  readonly daysLeft: number;
  readonly subject: string | null;
  readonly issuer: string | null;
}

/** The key behind the certificate is another one. */
export interface CertChanged extends Envelope {
  readonly event: 'cert_changed';
  readonly monitor: Named;
  readonly expiresAt: number;
  readonly subject: string | null;
  readonly issuer: string | null;
  /** Lower-case hex of the SHA-256 of the public key. */
  readonly spkiSha256: string;
  readonly previousSpkiSha256: string | null;
}

/** The expiry of the certificate can no longer be watched. */
export interface CertUnreadable extends Envelope {
  readonly event: 'cert_unreadable';
  readonly monitor: Named;
  /** The first check that found no certificate it can read. */
  readonly sinceAt: number;
  /** Until when the one that was read last is valid; null: not known. */
  readonly lastExpiresAt: number | null;
  readonly reason: string | null;
}

export interface DomainExpiring extends Envelope {
  readonly event: 'domain_expiring';
  readonly monitor: Named;
  readonly domain: string;
  readonly expiresAt: number;
  readonly daysLeft: number;
}

export interface BudgetBurn extends Envelope {
  readonly event: 'budget_burn';
  readonly monitor: Named;
  readonly pace: 'fast' | 'slow';
  /** How many times faster than the promise allows. */
  readonly rate: number;
  /** The long window of the rule. */
  readonly windowSecs: number;
  readonly uptimePercent: number;
  readonly sloWindowDays: number;
  /** Of the error budget; negative when the promise is broken. */
  readonly leftMinutes: number | null;
  readonly totalMinutes: number | null;
}

export interface PeerDown extends Envelope {
  readonly event: 'peer_down';
  readonly peer: Named;
  /** When it was last heard; null: never. */
  readonly lastHeardAt: number | null;
  readonly reason: string | null;
}

export interface PeerRecovered extends Envelope {
  readonly event: 'peer_recovered';
  readonly peer: Named;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** This node does not hear a peer that others still do. */
export interface PeerLinkDegraded extends Envelope {
  readonly event: 'peer_link_degraded';
  readonly peer: Named;
  readonly lastHeardAt: number | null;
  /** The peers that still see it up. */
  readonly seenBy: readonly string[];
  readonly reason: string | null;
}

/** This node lost its own network, and held back what it saw meanwhile. */
export interface NodeBlind extends Envelope {
  readonly event: 'node_blind';
  /** `health.id`. */
  readonly node: string | null;
  readonly startedAt: number;
  /** Null while it lasts. */
  readonly endedAt: number | null;
  readonly reason: string | null;
  /** The monitors of which nothing is known meanwhile: the first of them, in the order of the configuration. */
  readonly monitors: readonly Named[];
  /** How many there are, those that are not named included. */
  readonly monitorCount: number;
}

export interface StorageFailing extends Envelope {
  readonly event: 'storage_failing';
  readonly startedAt: number;
  readonly error: string | null;
}

export interface DigestMessage extends Envelope {
  readonly event: 'digest';
  readonly fromAt: number;
  readonly toAt: number;
  /** One line about everything. */
  readonly summary: string;
  /** One line a monitor. */
  readonly lines: readonly string[];
}

/** Says nothing but that the channel works. A down or recovered message that is a test has `isTest` instead. */
export interface TestMessage extends Envelope {
  readonly event: 'test';
}

export type Message =
  | Down
  | Unknown
  | Degraded
  | Recovered
  | ProducerAlert
  | ChannelFailing
  | CertExpiring
  | CertChanged
  | CertUnreadable
  | DomainExpiring
  | BudgetBurn
  | PeerDown
  | PeerRecovered
  | PeerLinkDegraded
  | NodeBlind
  | StorageFailing
  | DigestMessage
  | TestMessage;

/** The one variant of an event. */
export type MessageOf<Event extends EventName> = Extract<Message, { readonly event: Event }>;

/** How a delivery, all its attempts, ended. */
export type Delivered =
  | { readonly kind: 'sent'; readonly attempts: number }
  | {
      readonly kind: 'failed';
      readonly attempts: number;
      /** One sentence: what the vendor answered, then what to check. Holds no secret. */
      readonly error: string;
      /** Trying the same again later cannot help. */
      readonly isPermanent: boolean;
      /** How long the vendor asked to be left alone; null when it said nothing. */
      readonly retryAfterMs: number | null;
      /** All of it went out and no answer came in time: it may have been received. Trying again makes a copy. */
      readonly mayBeReceived?: true;
    };
