/** Decides what goes out, and what is taken back, when a peer falls silent or is heard again. */
import { copiesOf } from './copies.ts';
import type { EventName } from './events/catalogue.ts';
import {
  type PeerDownEvent,
  peerKeyOf,
  type PeerLinkDegradedEvent,
  type PeerRecoveredEvent,
} from './events/peer.ts';
import { holdOf } from './events/stored.ts';
import { deliveryIdOf } from './ids.ts';
import type { Decide, Intent, QueuedRow } from './intent.ts';
import { queueNotice } from './queue-notice.ts';
import { because, type ReasonWord } from './reasons.ts';

/** The names of the deliveries that were made of the beginning of a trouble, for these channels. */
export function peerDeliveryIds(
  { peer, startedAt }: Pick<PeerRecoveredEvent, 'peer' | 'startedAt'>,
  channels: readonly string[],
): string[] {
  return (['peer_down', 'peer_link_degraded'] as const).flatMap((kind) =>
    channels.map((channel) => deliveryIdOf(peerKeyOf({ kind, peer, startedAt }), channel)),
  );
}

/** One delivery a channel. A word about its broken link that still waits is overtaken. */
export function queuePeerTrouble(
  happening: PeerDownEvent | PeerLinkDegradedEvent,
  { rows, channels }: { readonly rows: readonly QueuedRow[]; readonly channels: readonly string[] },
): Intent[] {
  const overtaken = rows.filter(({ event, state }) => event === 'peer_link_degraded' && state === 'waiting');
  return [
    ...overtaken.flatMap((row) => takenBack(happening.peer, row, 'became_down')),
    ...queueNotice(happening, channels),
  ];
}

/** Who was told that it is down hears that it is up again; where that still waits, one message says both. */
export function queuePeerRecovered(happening: PeerRecoveredEvent, rows: readonly QueuedRow[]): Intent[] {
  return rows.flatMap((row): Intent[] => {
    if (row.event === 'peer_link_degraded') {
      return row.state === 'waiting' ? takenBack(happening.peer, row, 'over') : [];
    }
    switch (row.state) {
      case 'sent':
        return queueNotice(happening, [row.channel]);
      case 'waiting':
        // Dropped, not replaced: it may be on its way at this moment, and then the channel is owed the end as well.
        return isMutedStill(row, happening.at)
          ? takenBack(happening.peer, row, 'muted')
          : [...takenBack(happening.peer, row, 'late'), ...queueNotice(happening, [row.channel])];
      case 'given_up':
        if (copiesOf(row.payload) !== null) return queueNotice(happening, [row.channel]);
        return [spared(happening.peer, row, 'never_told')];
      case 'dropped':
        return [];
    }
  });
}

function takenBack(peer: string, row: QueuedRow, reason: ReasonWord): [Intent, Decide] {
  return [{ kind: 'drop', deliveryId: row.deliveryId }, spared(peer, row, reason)];
}

function spared(peer: string, { channel, event }: QueuedRow, reason: ReasonWord): Decide {
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
