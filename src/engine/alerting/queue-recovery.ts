/** Queues the recovery of an alert that a channel received. */
import { type BegunEvent, type EndedEvent, type OutageEvent, outageEventOf } from './events/outage.ts';
import { readOutage } from './events/outage-payload.ts';
import { readRecovery, type RecoveryPayload } from './events/recovered.ts';
import { failingOf, groupOf, namedByOf, namedOf } from './group.ts';
import { deliveryIdOf, episodeOf } from './ids.ts';
import type { Decide, NewDelivery, QueuedRow } from './intent.ts';
import { because } from './reasons.ts';

/** The recoveries of a storm are gathered for this long at most. */
const gatherRecoveriesMs = 10_000;

/** A recovery for the channel that received the alert of `row`. Its delivery has one name, however often it is queued. */
export function recoveryOf(
  fact: EndedEvent,
  row: QueuedRow,
  windowMs: number,
): readonly [NewDelivery, Decide] {
  const episode = episodeOf(fact);
  const namedBy = namedByOf(row.payload);
  const groupId = namedBy?.groupId ?? groupOf(row.payload);
  const named = namedBy === null ? namedOf(row.payload) : [];
  const failing = namedBy === null ? failingOf(row.payload) : [];
  const outage = readOutage(row.payload);
  const isAboutChecks = fact.kind === 'unknown_ended';
  const { startedAt, endedAt, monitor } = fact;
  const from = about(fact).event;
  const payload: RecoveryPayload & { readonly hold: null } = {
    from,
    startedAt,
    endedAt,
    isLate: false,
    isRemoved: fact.by === 'removal',
    ownFault: outage?.ownFault ?? null,
    causeGroup: outage?.causeGroup ?? null,
    alsoNamed: outage?.alsoNamed ?? [],
    outages: 'outages' in fact ? fact.outages : null,
    alertId: row.deliveryId,
    knownAs: outage?.knownAs ?? null,
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
        ...(failing.length > 0 && { failing }),
        ...(namedBy !== null && { wasNamed: true }),
      },
      nextAt:
        fact.at + (isAboutChecks ? Math.min(windowMs, gatherRecoveriesMs) : gatherMs(row, fact.at, windowMs)),
    },
    {
      ...about(fact),
      event: 'recovered',
      channel: row.channel,
      verdict: 'queued',
      ...because(fact.by === 'removal' ? 'no_longer_monitored' : 'recovery'),
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

/** The recovery of a degradation that is not sent yet: its channel takes the monitor for degraded. */
export function isEndOfDegradation({ event, state, payload }: QueuedRow): boolean {
  return event === 'recovered' && state === 'waiting' && readRecovery(payload)?.from === 'degraded';
}

/** What a decision about it says of it. */
export function about(
  event: BegunEvent | EndedEvent,
): Pick<Decide, 'kind' | 'monitor' | 'incident'> & { readonly event: OutageEvent } {
  const incident = 'uid' in event ? event.uid : null;
  return { kind: 'decide', monitor: event.monitor, incident, event: outageEventOf[event.kind] };
}
