/** Writes the state of each peer, and closes what is open about a peer that is no longer watched. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { peers } from '../../db/tables/peers.ts';
import { type AlertingInputs, alertOperations } from '../monitoring/alert-operations.ts';
import { type PeerState, readPeerState } from './rules/state.ts';
import { unwatched } from './rules/transitions.ts';

/** The state of every peer that was ever stored, by id. */
export function recallPeers(sql: SqlReader): Map<string, PeerState> {
  return new Map(peers.list(sql).map(({ id, state }) => [id, readPeerState(state)]));
}

export function savePeer(id: string, state: PeerState): Operation {
  return peers.save({ id, heardAt: state.heardAt, state: { ...state } });
}

/**
 * What is to be written so that what was known of peers that are no longer watched is not taken up one day. Who was called
 * for one of them is notified that it is not watched.
 */
export function forgetting(
  isWatched: (id: string) => boolean,
  { at, ...inputs }: AlertingInputs & { readonly at: number },
): Operation[] {
  return [...recallPeers(inputs.sql)].flatMap(([id, state]) => {
    if (isWatched(id) || state.state === 'unknown') return [];
    const { troubleAt: startedAt } = state;
    const ends =
      startedAt === null
        ? []
        : alertOperations(
            {
              kind: 'peer_recovered',
              by: 'removal',
              peer: id,
              at,
              startedAt,
              endedAt: Math.max(at, startedAt),
            },
            inputs,
          );
    return [savePeer(id, unwatched(state)), ...ends];
  });
}
