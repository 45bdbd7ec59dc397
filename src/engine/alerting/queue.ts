/** Decides what a happening puts into the outbox, takes out of it, and says about it in the decision log. */
import { durationText } from '../core/duration.ts';
import type { AlertEvent, BegunEvent, EndedEvent } from './events.ts';
import { copiesOf } from './copies.ts';
import { deliveryIdOf, episodeOf } from './ids.ts';
import type { Decide, Intent, Put } from './intent.ts';
import { queueNodeBlindAgain, queueNodeSighted, queueNotice } from './queue-notice.ts';
import { queuePeerRecovered, queuePeerTrouble } from './queue-peer.ts';
import { groupOf, namedByOf, namedOf } from './group.ts';
import { holdOf, type OutagePayload, readOutage, type RecoveryPayload } from './payload.ts';
import type { QueuedRow } from './queued-row.ts';
import { reasons, type ReasonWord } from './reasons.ts';
import type { Why } from '../monitoring/confirm/transition.ts';

export type { AlertEvent } from './events.ts';
export { episodeOf } from './ids.ts';
export { peerDeliveryIds } from './queue-peer.ts';
export type { Intent } from './intent.ts';

export interface QueueFacts {
  /**
   * What the outbox holds of an episode that ends or goes on (`outbox.ofIncident(sql, episodeOf(happening))`), or of the trouble of
   * a peer (by `peerDeliveryIds`); [] for anything else.
   */
  readonly rows: readonly QueuedRow[];
  /** The channels that hear of it: routeOf. */
  readonly channels: readonly string[];
  /** group_window_secs in ms. */
  readonly windowMs: number;
  /** alert_on_degraded. */
  readonly isDegradedNotified: boolean;
}

/** The recoveries of a storm are gathered for this long at most. */
const gatherRecoveriesMs = 10_000;

/** What has to stand in the same transaction as the happening itself. */
export function queue(event: AlertEvent, facts: QueueFacts): readonly Intent[] {
  switch (event.kind) {
    case 'incident_opened':
    case 'unknown_confirmed':
      return queueOutage(event, facts);
    case 'degraded_confirmed':
      return facts.isDegradedNotified
        ? queueOutage(event, facts)
        : [{ ...about(event), channel: null, verdict: 'spared', ...because('degraded_not_told') }];
    case 'incident_closed':
    case 'unknown_ended':
    case 'degraded_ended':
      return facts.rows.flatMap((row) => queueEnd(event, row, facts.windowMs));
    case 'node_sighted':
      return queueNodeSighted(event, facts);
    case 'node_blind':
      return event.isContinued ? queueNodeBlindAgain(event, facts) : queueNotice(event, facts.channels);
    case 'peer_down':
    case 'peer_link_degraded':
      return queuePeerTrouble(event, facts);
    case 'peer_recovered':
      return queuePeerRecovered(event, facts.rows);
    case 'producer_alert':
    case 'cert_expiring':
    case 'cert_changed':
    case 'cert_unreadable':
    case 'domain_expiring':
    case 'budget_burn':
    case 'storage_failing':
    case 'digest_due':
      return queueNotice(event, facts.channels);
  }
}

function queueOutage(happening: BegunEvent, { channels, windowMs }: QueueFacts): Intent[] {
  const decision = about(happening);
  if (channels.length === 0) {
    return [{ ...decision, channel: null, verdict: 'spared', ...because('nobody_routed') }];
  }
  const nextAt = happening.confirmedAt + windowMs;
  const payload = outagePayload(happening, nextAt);
  const why: Pick<Decide, 'reason' | 'detail'> =
    windowMs === 0
      ? because('at_once')
      : {
          reason: 'window',
          detail: `It waits ${durationText(windowMs)}, in case it is a flap or part of a larger outage.`,
        };
  const episode = episodeOf(happening);
  return channels.flatMap((channel): Intent[] => [
    {
      kind: 'put',
      deliveryId: deliveryIdOf(`${episode}.${decision.event}`, channel),
      channel,
      event: decision.event,
      monitor: happening.monitor,
      incident: episode,
      payload: { ...payload },
      nextAt,
    },
    { ...decision, channel, verdict: 'queued', ...why },
  ]);
}

function outagePayload(happening: BegunEvent, windowEndsAt: number): OutagePayload & { readonly hold: null } {
  const { startedAt, confirmedAt, why } = happening;
  const { latencyMs, limitMs, reason } =
    happening.kind === 'degraded_confirmed' ? happening : { latencyMs: null, limitMs: null, reason: null };
  return {
    startedAt,
    confirmedAt,
    confirmation: confirmationOf(why),
    windowEndsAt,
    cause: null,
    isGrouped: false,
    latencyMs,
    limitMs,
    reason,
    ownFault: happening.kind === 'unknown_confirmed' ? happening.ownFault : null,
    causeGroup: null,
    alsoNamed: [],
    hold: null,
    coveredMs: 0,
    coveredSinceAt: null,
    renewedAfter: null,
    spokenForUntilAt: null,
    loggedHolds: [],
  };
}

function queueEnd(happening: EndedEvent, row: QueuedRow, windowMs: number): Intent[] {
  const decision = about(happening);
  if (row.event !== decision.event) return [];
  switch (row.state) {
    case 'sent':
      // What only the message about its upstream named is ended by that one's recovery, or by the pipeline.
      if (isReplaced(happening) || namedByOf(row.payload) !== null) return [];
      return [...recoveryOf(happening, row, windowMs)];
    case 'waiting': {
      if (copiesOf(row.payload) !== null && !isReplaced(happening))
        return endOfCopies(happening, row, windowMs);
      const undue = suppressReason(happening, row);
      if (undue === null) return [];
      const reason = undue === 'flap' && namedByOf(row.payload) !== null ? 'folded' : undue;
      return [
        { kind: 'drop', deliveryId: row.deliveryId },
        { ...decision, channel: row.channel, verdict: 'spared', ...because(reason) },
      ];
    }
    case 'given_up':
      if (namedByOf(row.payload) !== null) return [];
      if (copiesOf(row.payload) !== null && !isReplaced(happening))
        return [...recoveryOf(happening, row, windowMs)];
      return [
        {
          ...decision,
          event: 'recovered',
          channel: row.channel,
          verdict: 'spared',
          ...because('never_told'),
        },
      ];
    case 'dropped':
      return [];
  }
}

/** It may have been received: no further copy, but a recovery. */
function endOfCopies(happening: EndedEvent, row: QueuedRow, windowMs: number): Intent[] {
  return [
    { kind: 'drop', deliveryId: row.deliveryId },
    { ...about(happening), channel: row.channel, verdict: 'undelivered', ...because('no_answer') },
    ...recoveryOf(happening, row, windowMs),
  ];
}

/** A recovery for the channel that was told by `row`. Its delivery has one name, however often it is asked for. */
export function recoveryOf(happening: EndedEvent, row: QueuedRow, windowMs: number): readonly [Put, Decide] {
  const episode = episodeOf(happening);
  const namedBy = namedByOf(row.payload);
  const groupId = namedBy?.groupId ?? groupOf(row.payload);
  const named = namedBy === null ? namedOf(row.payload) : [];
  const outage = readOutage(row.payload);
  const isAboutChecks = happening.kind === 'unknown_ended';
  const { startedAt, endedAt, monitor } = happening;
  const from = about(happening).event;
  const payload: RecoveryPayload & { readonly hold: null } = {
    from,
    startedAt,
    endedAt,
    isLate: false,
    isRemoved: happening.by === 'removal',
    ownFault: outage?.ownFault ?? null,
    causeGroup: outage?.causeGroup ?? null,
    alsoNamed: outage?.alsoNamed ?? [],
    hold: null,
  };
  return [
    {
      kind: 'put',
      deliveryId: deliveryIdOf(`${episode}.recovered`, row.channel),
      channel: row.channel,
      event: 'recovered',
      monitor,
      incident: episode,
      payload: {
        ...payload,
        ...(groupId !== null && { groupId, isFirst: row.deliveryId === groupId }),
        ...(named !== null && { named }),
        ...(namedBy !== null && { wasNamed: true }),
      },
      nextAt:
        happening.at +
        (isAboutChecks ? Math.min(windowMs, gatherRecoveriesMs) : gatherMs(row, happening.at, windowMs)),
    },
    {
      ...about(happening),
      event: 'recovered',
      channel: row.channel,
      verdict: 'queued',
      ...because(happening.by === 'removal' ? 'no_longer_monitored' : 'recovery'),
    },
  ];
}

/** How long a recovery waits for others of its group. */
function gatherMs({ payload }: QueuedRow, at: number, windowMs: number): number {
  const outage = readOutage(payload);
  const briefly = Math.min(windowMs, gatherRecoveriesMs);
  if (namedByOf(payload) === null) return outage?.isGrouped === true ? briefly : 0;
  // The dependents of one upstream were given their new windows together, so these end together.
  const leftMs = (outage?.windowEndsAt ?? 0) - at;
  return leftMs > 0 && leftMs <= windowMs ? leftMs : briefly;
}

/**
 * Why a message that waits need not be sent any more; null: it has to be looked at by whoever delivers, because it
 * was due, so it may be on its way at this moment, or an attempt already failed.
 */
function suppressReason(happening: EndedEvent, row: QueuedRow): ReasonWord | null {
  if (isReplaced(happening)) return 'became_down';
  const isUndue = happening.at < row.nextAt && row.attempts === 0;
  if (isUndue && happening.by === 'removal') return 'monitor_removed';
  switch (isUndue ? (holdOf(row.payload)?.reason ?? 'window') : null) {
    case 'window': {
      const payload = readOutage(row.payload);
      if (payload === null || payload.renewedAfter === null) return 'flap';
      // It outlasted its first window: whoever delivers says so late, unless a message about its upstream did.
      return happening.endedAt < (payload.spokenForUntilAt ?? 0) ? 'folded' : whenOver(happening);
    }
    case 'muted':
      return 'muted';
    case 'folded':
      return 'folded';
    case 'channel_unavailable':
      return 'channel_removed';
    case 'same_cause':
      return 'same_cause';
    case 'node_blind':
      return 'node_blind';
    case 'upstream_due':
    case 'upstream_failing':
    case 'channel_failed':
    case 'down_again':
    case null:
      return whenOver(happening);
  }
}

/** A degradation is never told late. */
function whenOver({ kind }: EndedEvent): ReasonWord | null {
  return kind === 'degraded_ended' ? 'over' : null;
}

/** A degradation that became an outage has no recovery of its own. */
function isReplaced(happening: EndedEvent): boolean {
  return happening.kind === 'degraded_ended' && happening.by === 'outage';
}

function about(
  happening: BegunEvent | EndedEvent,
): Pick<Decide, 'kind' | 'monitor' | 'incident'> & { readonly event: 'down' | 'degraded' | 'unknown' } {
  const { monitor } = happening;
  switch (happening.kind) {
    case 'incident_opened':
    case 'incident_closed':
      return { kind: 'decide', monitor, incident: happening.uid, event: 'down' };
    case 'unknown_confirmed':
    case 'unknown_ended':
      return { kind: 'decide', monitor, incident: happening.uid, event: 'unknown' };
    case 'degraded_confirmed':
    case 'degraded_ended':
      return { kind: 'decide', monitor, incident: null, event: 'degraded' };
  }
}

function because(reason: ReasonWord): Pick<Decide, 'reason' | 'detail'> {
  return { reason, detail: reasons[reason] };
}

/** `3 failed checks in a row`, for people. */
function confirmationOf(why: Why): string {
  switch (why.kind) {
    case 'failing':
      return why.count === 1 ? 'one failed check' : `${why.count} failed checks in a row`;
    case 'unknown':
      return why.count === 1
        ? 'one check that could not be made'
        : `${why.count} checks in a row that could not be made`;
    case 'missed':
      return 'a heartbeat that did not come in time';
    case 'slow':
      return why.count === 1 ? 'one degraded check' : `${why.count} degraded checks`;
    case 'healthy':
    case 'late':
    case 'recovering':
    case 'down':
    case 'degraded':
      return '';
  }
}
