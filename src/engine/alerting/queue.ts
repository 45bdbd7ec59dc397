/** Decides what an event puts into the outbox and drops from it, and the decisions that are logged. */
import { copiesOf } from './copies.ts';
import { deliveryIdOf, episodeOf } from './ids.ts';
import type { Decide, Intent, NewDelivery, QueuedRow } from './intent.ts';
import { queueNodeBlindAgain, queueNodeSighted, queueNotice } from './queue-notice.ts';
import { queuePeerRecovered, queuePeerTrouble } from './queue-peer.ts';
import { about, isEndOfDegradation, recoveryOf } from './queue-recovery.ts';
import { namedByOf } from './group.ts';
import type { Why } from '../monitoring/confirm/transition.ts';
import { durationText } from '../core/duration.ts';
import type { AlertEvent } from './events/catalogue.ts';
import type { EndedEvent, BegunEvent } from './events/outage.ts';
import { outagePayload, readOutage } from './events/outage-payload.ts';
import type { RecentChange } from './events/recent-change.ts';
import { changed, holdOf } from './events/stored.ts';
import { because, type ReasonWord } from './reasons.ts';

export interface QueueFacts {
  /**
   * What the outbox holds of an episode that ends or goes on (`outbox.ofIncident(sql, episodeOf(fact))`), of the degradation
   * that an outage was before, or of the trouble of a peer (by `peerKeys`), and of the monitor's degradations the recoveries
   * that wait; [] for anything else.
   */
  readonly rows: readonly QueuedRow[];
  /** The channels it is routed to: routeOf. */
  readonly channels: readonly string[];
  /** group_window_secs in ms. */
  readonly windowMs: number;
  /** alert_on_degraded. */
  readonly isDegradedNotified: boolean;
  /** What was changed last before an outage began, shortly before it; null: nothing. */
  readonly change?: RecentChange | null;
}

/** What belongs into the same transaction as the event itself. */
export function queue(event: AlertEvent, facts: QueueFacts): readonly Intent[] {
  if (event.kind === 'incident_opened' || event.kind === 'unknown_confirmed')
    return queueOutage(event, facts);
  if (event.kind === 'degraded_confirmed')
    return facts.isDegradedNotified
      ? queueOutage(event, facts)
      : [{ ...about(event), channel: null, verdict: 'spared', ...because('degraded_not_told') }];
  // Its own time of watching is longer than any window.
  if (event.kind === 'unstable_confirmed') return queueOutage(event, { ...facts, windowMs: 0 });
  if (isEnded(event))
    return facts.rows.flatMap((row) =>
      event.kind === 'incident_closed' && (row.event === 'degraded' || isEndOfDegradation(row))
        ? queueEndOfDegradation(event, row, facts)
        : queueEnd(event, row, facts.windowMs),
    );
  if (event.kind === 'node_sighted') return queueNodeSighted(event, facts);
  if (event.kind === 'node_blind' && event.isContinued) return queueNodeBlindAgain(event, facts);
  if (event.kind === 'peer_down' || event.kind === 'peer_link_degraded')
    return queuePeerTrouble(event, facts);
  if (event.kind === 'peer_recovered') return queuePeerRecovered(event, facts.rows);
  return queueNotice(event, facts.channels);
}

function isEnded(event: AlertEvent): event is EndedEvent {
  return ['incident_closed', 'unknown_ended', 'degraded_ended', 'unstable_ended'].includes(event.kind);
}

function queueOutage(fact: BegunEvent, { rows, channels, windowMs, change = null }: QueueFacts): Intent[] {
  const decision = about(fact);
  if (channels.length === 0) {
    return [{ ...decision, channel: null, verdict: 'spared', ...because('nobody_routed') }];
  }
  const nextAt = fact.confirmedAt + windowMs;
  const { startedAt, confirmedAt } = fact;
  const payload = outagePayload({
    ...((fact.kind === 'degraded_confirmed' || fact.kind === 'unstable_confirmed') && fact),
    startedAt,
    confirmedAt,
    confirmation: fact.kind === 'unstable_confirmed' ? '' : confirmationOf(fact.why),
    windowEndsAt: nextAt,
    ownFault: fact.kind === 'unknown_confirmed' ? fact.ownFault : null,
    changeTitle: change?.title ?? null,
    changeAt: change?.at ?? null,
    knownAs: fact.monitor,
    degradation: rows.flatMap(({ event, deliveryId }) => (event === 'degraded' ? [deliveryId] : [])),
  });
  const decided: Pick<Decide, 'reason' | 'detail'> =
    windowMs === 0
      ? because('at_once')
      : {
          reason: 'window',
          detail: `It waits ${durationText(windowMs)}, in case it is a flap or part of a larger outage.`,
        };
  const episode = episodeOf(fact);
  const isKnown = (channel: string) =>
    fact.kind === 'degraded_confirmed' &&
    rows.some((row) => row.channel === channel && isEndOfDegradation(row));
  return channels.flatMap((channel): Intent[] => {
    if (isKnown(channel)) return [{ ...decision, channel, verdict: 'spared', ...because('degraded_known') }];
    const put: NewDelivery = {
      kind: 'put',
      deliveryId: deliveryIdOf(`${episode}.${decision.event}`, channel),
      channel,
      event: decision.event,
      monitor: fact.monitor,
      incident: episode,
      payload: { ...payload },
      nextAt,
    };
    return [put, { ...decision, channel, verdict: 'queued', ...decided }];
  });
}

/**
 * The end of an alert about a degradation that became an outage: the recovery of the outage stands for it, unless that channel
 * was sent nothing about the outage, which was a flap, muted, or led elsewhere. It stands for one that waits, too.
 */
function queueEndOfDegradation(
  { monitor, endedAt, at, by, isDegraded = false }: Extract<EndedEvent, { readonly kind: 'incident_closed' }>,
  row: QueuedRow,
  { rows, windowMs }: QueueFacts,
): readonly Intent[] {
  const mayHave = ({ state, payload }: QueuedRow) =>
    state === 'sent' || copiesOf(payload) !== null || namedByOf(payload) !== null;
  const isNotified = rows.some(
    (other) => other.event === 'down' && other.channel === row.channel && mayHave(other),
  );
  if (isEndOfDegradation(row))
    return isNotified
      ? [
          { kind: 'drop', deliveryId: row.deliveryId },
          {
            kind: 'decide',
            monitor,
            incident: null,
            event: 'recovered',
            channel: row.channel,
            verdict: 'spared',
            ...because('became_down'),
          },
        ]
      : [];
  const startedAt = readOutage(row.payload)?.startedAt ?? null;
  if (!mayHave(row) || isNotified || startedAt === null) return [];
  const over = { kind: 'degraded_ended', monitor, startedAt, endedAt, at } as const;
  const recovery = recoveryOf({ ...over, by: by === 'removal' ? 'removal' : 'recovery' }, row, windowMs);
  return isDegraded && by !== 'removal' ? whileDegraded(recovery) : recovery;
}

/** How often a held recovery is decided again while its monitor is degraded. */
export const lookedAgainMs = 15_000;

/** The same for a monitor that is still degraded: the recovery waits until it is healthy. */
function whileDegraded([put, decided]: ReturnType<typeof recoveryOf>): readonly Intent[] {
  const hold = { reason: 'still_degraded', by: null };
  return [
    { ...put, payload: changed(put.payload, { hold }), nextAt: put.nextAt + lookedAgainMs },
    decided,
    { ...decided, verdict: 'held', ...because('still_degraded') },
  ];
}

function queueEnd(fact: EndedEvent, row: QueuedRow, windowMs: number): Intent[] {
  const decision = about(fact);
  // It reminds of nothing any more, which the recovery says.
  if (row.event === 'reminder' && row.state === 'waiting')
    return [{ kind: 'drop', deliveryId: row.deliveryId }];
  if (row.event !== decision.event) return [];
  switch (row.state) {
    case 'sent':
      if (isReplaced(fact) || isEndedByUpstream(fact, row)) return [];
      return [...recoveryOf(fact, row, windowMs)];
    case 'waiting': {
      if (copiesOf(row.payload) !== null && !isReplaced(fact)) return endOfCopies(fact, row, windowMs);
      if (fact.by === 'removal' && isNamedByOther(row)) return endOfFolded(fact, row, windowMs);
      const undue = suppressReason(fact, row);
      if (undue === null) return [];
      const reason = undue === 'flap' && namedByOf(row.payload) !== null ? 'folded' : undue;
      return [
        { kind: 'drop', deliveryId: row.deliveryId },
        { ...decision, channel: row.channel, verdict: 'spared', ...endedBecause(reason, row) },
      ];
    }
    case 'given_up':
      if (isEndedByUpstream(fact, row)) return [];
      if (isReceivable(row) && !isReplaced(fact)) return [...recoveryOf(fact, row, windowMs)];
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

/**
 * Whether the recovery of its upstream ends it, or delivery does: only the message about that one named it. A monitor
 * that is not watched any more has a message of its own, since nobody knows whether it is up.
 */
function isEndedByUpstream(fact: EndedEvent, { payload }: QueuedRow): boolean {
  return namedByOf(payload) !== null && fact.by !== 'removal';
}

/** Whether a channel may know of an outage whose message was given up. */
function isReceivable({ payload }: QueuedRow): boolean {
  return copiesOf(payload) !== null || namedByOf(payload) !== null;
}

/** The message about its upstream names it, or did before its channel was taken out of its route. */
function isNamedByOther({ payload }: QueuedRow): boolean {
  const reason = holdOf(payload)?.reason;
  return reason === 'folded' || (reason === 'not_routed' && namedByOf(payload) !== null);
}

/** Its monitor was removed, so the recovery of its upstream must not name it any more. */
function endOfFolded(fact: EndedEvent, row: QueuedRow, windowMs: number): Intent[] {
  const { deliveryId } = row;
  return [
    { kind: 'change', deliveryId, changes: { hold: null }, nextAt: null },
    { kind: 'drop', deliveryId },
    { ...about(fact), channel: row.channel, verdict: 'spared', ...because('monitor_removed') },
    ...(namedByOf(row.payload) === null ? [] : recoveryOf(fact, row, windowMs)),
  ];
}

/** It may have been received: no further copy, but a recovery. */
function endOfCopies(fact: EndedEvent, row: QueuedRow, windowMs: number): Intent[] {
  return [
    { kind: 'drop', deliveryId: row.deliveryId },
    { ...about(fact), channel: row.channel, verdict: 'undelivered', ...because('no_answer') },
    ...recoveryOf(fact, row, windowMs),
  ];
}

/** A reason and its sentence; of a message that was held since its channel left the route the sentence names the channel. */
function endedBecause(reason: ReasonWord, { channel }: QueuedRow): ReturnType<typeof because> {
  if (reason !== 'not_routed') return because(reason);
  return { reason, detail: `${channel} had left the route before it was over, and was sent nothing of it.` };
}

/**
 * Why a message that waits need not be sent any more; null: delivery has to decide, because it
 * was due, so it may be on its way at this moment, or an attempt already failed.
 */
function suppressReason(fact: EndedEvent, row: QueuedRow): ReasonWord | null {
  if (isReplaced(fact)) return 'became_down';
  const isUndue = fact.at < row.nextAt && row.attempts === 0;
  if (isUndue && fact.by === 'removal') return 'monitor_removed';
  switch (isUndue ? (holdOf(row.payload)?.reason ?? 'window') : null) {
    case 'window': {
      const payload = readOutage(row.payload);
      if (payload === null || payload.renewedAfter === null) return 'flap';
      // It outlasted its first window: it is sent late, unless a message about its upstream covered it.
      return fact.endedAt < (payload.spokenForUntilAt ?? 0) ? 'folded' : whenOver(fact);
    }
    case 'muted':
      return 'muted';
    case 'folded':
      return 'folded';
    case 'acknowledged':
      return 'acknowledged';
    case 'off_call':
      return 'off_call';
    case 'not_routed':
      return 'not_routed';
    case 'channel_unavailable':
      return 'channel_removed';
    case 'same_cause':
      return 'same_cause';
    case 'unstable':
      return 'unstable';
    case 'node_blind':
      return 'node_blind';
    case 'later_group':
      return 'over';
    case 'coming_back':
    case 'upstream_due':
    case 'upstream_failing':
    case 'channel_failed':
    case 'down_again':
    case 'still_degraded':
    case 'reminder':
    case 'quiet_hours':
    case null:
      return whenOver(fact);
  }
}

/** A degradation is never sent late. */
function whenOver({ kind }: EndedEvent): ReasonWord | null {
  return kind === 'degraded_ended' ? 'over' : null;
}

/** A degradation that became an outage has no recovery of its own. */
function isReplaced(fact: EndedEvent): boolean {
  return fact.kind === 'degraded_ended' && fact.by === 'outage';
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
