/** Outages: a monitor is down, degraded, or cannot be checked. Instants are epoch ms. */
import { type AddedBy, stepJson } from './added-by.ts';
import { changeJson, type RecentChange } from './recent-change.ts';
import { durationText, wholeSecs } from '../../core/duration.ts';
import { counted } from '../../core/words.ts';
import { timestampText } from '../../core/instant.ts';
import { latestJson, type LatestReason } from '../../core/latest-reason.ts';
import type { Acknowledgement } from '../../core/record.ts';
import type { Answer, Category } from '../../core/probe.ts';
import type { Why } from '../../monitoring/confirm/transition.ts';
import type { Envelope, EventRow, Moment, Named } from './event.ts';
import { namesJson } from './stored.ts';

/** A monitor was confirmed down; `uid` names its incident for ever. */
interface IncidentOpened extends Moment {
  readonly kind: 'incident_opened';
  readonly uid: string;
  readonly monitor: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  readonly why: Why;
  /** Since when it was confirmed degraded, which it became down from; absent: it was not. */
  readonly degradedSince?: number | null;
}

interface IncidentClosed extends Moment {
  readonly kind: 'incident_closed';
  /** The answer that ended it was degraded. */
  readonly isDegraded?: boolean;
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

/** A monitor goes down and comes back again and again. */
export interface UnstableConfirmed extends Moment {
  readonly kind: 'unstable_confirmed';
  readonly monitor: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** The share of failed checks in `spanMs`; null: what counts is how often it was told down. */
  readonly downPercent: number | null;
  readonly outages: number;
  readonly spanMs: number;
  /** Of the latest check that failed; null: not known. Holds no secret. */
  readonly reason: string | null;
}

export interface UnstableEnded extends Moment {
  readonly kind: 'unstable_ended';
  readonly monitor: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** In all of the time. */
  readonly outages: number;
  /** As of IncidentClosed. */
  readonly by: 'recovery' | 'removal';
}

export type BegunEvent = IncidentOpened | UnknownConfirmed | DegradedConfirmed | UnstableConfirmed;
export type EndedEvent = IncidentClosed | UnknownEnded | DegradedEnded | UnstableEnded;

/** The outage that a fact begins or ends. */
export const outageEventOf = {
  incident_opened: 'down',
  incident_closed: 'down',
  unknown_confirmed: 'unknown',
  unknown_ended: 'unknown',
  degraded_confirmed: 'degraded',
  degraded_ended: 'degraded',
  unstable_confirmed: 'unstable',
  unstable_ended: 'unstable',
} as const satisfies Record<(BegunEvent | EndedEvent)['kind'], string>;

/** The episode of a degradation, which has no incident. */
export function degradationOf(monitor: string, startedAt: number): string {
  return `${monitor}.degraded.${startedAt}`;
}

/** The episode of an unstable monitor, which has no incident of its own. */
export function unstableEpisodeOf(monitor: string, startedAt: number): string {
  return `${monitor}.unstable.${startedAt}`;
}

/** The monitor in the name of such an episode; null: it is none. */
export function unstableMonitorIn(episode: string): string | null {
  return /^(.+)\.unstable\.\d+$/.exec(episode)?.[1] ?? null;
}

/** What another node saw of the same target. Null `peer`: the reader may not know its name; null `verdict`: no answer. */
export interface SeenFrom {
  readonly peer: string | null;
  readonly verdict: 'up' | 'down' | null;
  /** Its own words for what it saw, or why there is no answer. */
  readonly error: string | null;
}

/** Which outages a message is about, and which other messages belong to it. */
export interface Grouping {
  /** What a down about several monitors and its recoveries have in common; null: it is about one. */
  readonly groupId: string | null;
  /** Of everything that is named and has an incident, that of the monitor first. */
  readonly incidentIds: readonly number[];
  /** The uids of the same; absent in a test. */
  readonly incidentUids?: readonly string[];
  /** Of a recovery: something that the same message named is still down or cannot be checked, and has a recovery of its own. */
  readonly hasOthersDown?: boolean;
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
  /** Null, or absent: its checks fail for that reason still. */
  readonly latest?: LatestReason | null;
  /** The acknowledgement that was carried over from the outage before; null, or absent: none was. */
  readonly carried?: Pick<Acknowledgement, 'by' | 'reason'> | null;
  readonly snapshot: Answer | null;
  /** How it was confirmed: `3 failed checks in a row`. */
  readonly confirmation: string | null;
  /** The upstream that is the cause, when it is known. */
  readonly cause: Named | null;
  /** Everything else that failed with it and has no message of its own. */
  readonly impacted: readonly Named[];
  /** Ids of those of `impacted` that fail, and are not confirmed down; absent in a test. */
  readonly failing?: readonly string[];
  /** The monitor failed after the message about its cause left. */
  readonly isLater?: boolean;
  readonly grouping: Grouping;
  /** What the peers saw; null when none was asked. */
  readonly vantage: readonly SeenFrom[] | null;
  /** Null only in a test. */
  readonly incidentId: number | null;
  readonly change?: RecentChange | null;
  readonly step?: AddedBy | null;
  /** What its monitor was called when it was queued; absent: as now. */
  readonly knownAs?: string | null;
}

const lasting = {
  severity: 'error',
  trouble: 'error',
  subject: 'monitor',
  isMutable: true,
  givenUp: 'never',
} as const;

const down: EventRow<Down> = {
  event: 'down',
  outlastsQuietHours: true,
  ...lasting,
  withoutChannel: 'kept_while_it_lasts',
  withoutMonitor: 'dropped_when_over',
  webhook: ({ snapshot, vantage, carried = null, ...message }) => ({
    ...(message.reason !== null && { message: message.reason }),
    category: message.category,
    ...latestJson(message.latest),
    ...(carried !== null && { acknowledged: { by: carried.by, reason: carried.reason } }),
    started_at: timestampText(message.startedAt),
    confirmed_at: timestampText(message.confirmedAt),
    cause: message.cause?.id ?? null,
    impacted: namesJson(message.impacted),
    vantage: vantage?.map(({ peer, verdict, error }) => ({ peer, verdict, error })) ?? null,
    incident_id: message.incidentId,
    incident_ids: message.grouping.incidentIds,
    group_id: message.grouping.groupId,
    snapshot: snapshot && {
      status_line: snapshot.statusLine,
      headers: snapshot.headers,
      ...(snapshot.moreHeaders !== undefined && { more_headers: snapshot.moreHeaders }),
      body: snapshot.body,
    },
    ...changeJson(message.change),
    ...stepJson(message.step),
  }),
};

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
  readonly change?: RecentChange | null;
}

const degraded: EventRow<Degraded> = {
  event: 'degraded',
  severity: 'warning',
  trouble: 'warning',
  subject: 'monitor',
  isMutable: true,
  givenUp: 'after_a_day',
  withoutChannel: 'kept_while_it_lasts',
  withoutMonitor: 'dropped',
  isWithoutIncident: () => true,
  webhook: ({ reason, latencyMs, startedAt, change }) => ({
    ...(reason !== null && { message: reason }),
    latency_ms: latencyMs === null ? null : Math.round(latencyMs),
    started_at: timestampText(startedAt),
    ...changeJson(change),
  }),
};

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
  /** The reason of the first check. */
  readonly reason: string | null;
  readonly confirmation: string | null;
  readonly incidentId: number | null;
  /** Of all that were confirmed. */
  readonly incidentIds: readonly number[];
  /** The uids of the same; absent in a test. */
  readonly incidentUids?: readonly string[];
  /** Of a recovery: something that the same message named is still down or cannot be checked, and has a recovery of its own. */
  readonly hasOthersDown?: boolean;
}

const unknown: EventRow<Unknown> = {
  event: 'unknown',
  outlastsQuietHours: true,
  ...lasting,
  withoutChannel: 'kept_while_it_lasts',
  withoutMonitor: 'dropped_when_over',
  webhook: (message) => ({
    cause: message.ownFault,
    reason: message.reason,
    started_at: timestampText(message.startedAt),
    confirmed_at: timestampText(message.confirmedAt),
    impacted: namesJson(message.impacted),
    incident_id: message.incidentId,
    incident_ids: message.incidentIds,
  }),
};

/** `down 67 % of the last 10m, 13 outages`, or `3 outages in the last 30m`. */
export function instabilityText({
  downPercent,
  outages,
  spanMs,
}: Pick<UnstableConfirmed, 'downPercent' | 'outages' | 'spanMs'>): string {
  const last = `the last ${durationText(spanMs)}`;
  const many = counted(outages, 'outage');
  return downPercent === null ? `${many} in ${last}` : `down ${downPercent} % of ${last}, ${many}`;
}

export interface Unstable extends Envelope {
  readonly event: 'unstable';
  readonly monitor: Named;
  readonly startedAt: number;
  /** As of UnstableConfirmed. */
  readonly downPercent: number | null;
  readonly outages: number;
  readonly spanMs: number;
  readonly reason: string | null;
  /** The outages in it that were confirmed by now and are on record, the latest first. */
  readonly incidentIds: readonly number[];
  readonly step?: AddedBy | null;
}

const unstable: EventRow<Unstable> = {
  event: 'unstable',
  outlastsQuietHours: true,
  ...lasting,
  // That of its outages, one lower: what is critical about a critical monitor is seen by the filters.
  severity: ({ isCritical }) => (isCritical === true ? 'error' : 'warning'),
  withoutChannel: 'kept_while_it_lasts',
  withoutMonitor: 'dropped',
  isWithoutIncident: () => true,
  webhook: (message) => ({
    ...(message.reason !== null && { message: message.reason }),
    started_at: timestampText(message.startedAt),
    down_percent: message.downPercent,
    outages: message.outages,
    window_secs: wholeSecs(message.spanMs),
    incident_ids: message.incidentIds,
    group_id: message.deliveryId,
    ...stepJson(message.step),
  }),
};

export const outages = [down, degraded, unknown, unstable] as const;

/** What waits for its window, may be folded, and has a recovery. */
export type OutageEvent = (typeof outages)[number]['event'];

export function isOutageEvent(event: string): event is OutageEvent {
  return outages.some((row) => row.event === event);
}
