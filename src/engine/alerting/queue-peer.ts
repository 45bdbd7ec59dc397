/** Decides what is queued, and what is dropped, when heartbeats of a peer stop or come again. */
import { copiesOf } from './copies.ts';
import type { EventName } from './events/catalogue.ts';
import {
  type PeerDownEvent,
  peerKeyOf,
  type PeerLinkDegradedEvent,
  type PeerRecoveredEvent,
} from './events/peer.ts';
import { holdOf } from './events/stored.ts';
import type { Decide, Intent, QueuedRow } from './intent.ts';
import { queueNotice } from './queue-notice.ts';
import { because, type ReasonWord } from './reasons.ts';

/** What the deliveries that were made of the beginning of a trouble are named after, whatever their channels are called now. */
export function peerKeys({
  peer,
  startedAt,
}: Pick<PeerRecoveredEvent, 'peer' | 'startedAt'>): readonly string[] {
  return (['peer_down', 'peer_link_degraded'] as const).map((kind) => peerKeyOf({ kind, peer, startedAt }));
}

/** One delivery a channel. A message about its broken link that still waits is dropped. */
export function queuePeerTrouble(
  fact: PeerDownEvent | PeerLinkDegradedEvent,
  { rows, channels }: { readonly rows: readonly QueuedRow[]; readonly channels: readonly string[] },
): Intent[] {
  const overtaken = rows.filter(({ event, state }) => event === 'peer_link_degraded' && state === 'waiting');
  return [
    ...overtaken.flatMap((row) => dropped(fact.peer, row, 'became_down')),
    ...queueNotice(fact, channels),
  ];
}

/**
 * Channels that received the alert get the recovery; where the alert still waits, one late message replaces both. Of a peer
 * that is no longer watched nothing is said where the alert waits and cannot be on its way.
 */
export function queuePeerRecovered(fact: PeerRecoveredEvent, rows: readonly QueuedRow[]): Intent[] {
  return rows.flatMap((row): Intent[] => {
    if (row.event === 'peer_link_degraded') {
      return row.state === 'waiting' ? dropped(fact.peer, row, 'over') : [];
    }
    switch (row.state) {
      case 'sent':
        return queueNotice(fact, [row.channel]);
      case 'waiting':
        if (fact.by === 'removal' && copiesOf(row.payload) === null && fact.at < row.nextAt)
          return dropped(fact.peer, row, 'peer_removed');
        // Dropped, not replaced: it may be on its way at this moment, and then the channel needs the end as well.
        return isMutedStill(row, fact.at)
          ? dropped(fact.peer, row, 'muted')
          : [
              ...dropped(fact.peer, row, fact.by === 'removal' ? 'peer_removed' : 'late'),
              ...queueNotice(fact, [row.channel]),
            ];
      case 'given_up':
        if (copiesOf(row.payload) !== null) return queueNotice(fact, [row.channel]);
        return [suppressed(fact.peer, row, 'never_told')];
      case 'dropped':
        return [];
    }
  });
}

function dropped(peer: string, row: QueuedRow, reason: ReasonWord): [Intent, Decide] {
  return [{ kind: 'drop', deliveryId: row.deliveryId }, suppressed(peer, row, reason)];
}

function suppressed(peer: string, { channel, event }: QueuedRow, reason: ReasonWord): Decide {
  return {
    kind: 'decide',
    monitor: peer,
    incident: null,
    channel,
    event: event as EventName,
    verdict: 'spared',
    ...because(reason),
  };
}

function isMutedStill({ payload, nextAt, attempts }: QueuedRow, at: number): boolean {
  return holdOf(payload)?.reason === 'muted' && attempts === 0 && at < nextAt;
}
