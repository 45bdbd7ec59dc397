/** Reads and writes what the store keeps of peers. */
import { type PeerState, readPeerState } from './rules/state.ts';
import { unwatched } from './rules/transitions.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { peers } from '../../db/tables/peers.ts';

/** The state of every peer that was ever stored, by id. */
export function recallPeers(sql: SqlReader): Map<string, PeerState> {
  return new Map(peers.list(sql).map(({ id, state }) => [id, readPeerState(state)]));
}

export function savePeer(id: string, state: PeerState): Operation {
  return peers.save({ id, heardAt: state.heardAt, state: { ...state } });
}

/** What is to be written so that nobody takes up one day what was known of peers that are watched no more. */
export function forgetting(sql: SqlReader, isWatched: (id: string) => boolean): Operation[] {
  return [...recallPeers(sql)].flatMap(([id, state]) =>
    isWatched(id) || state.state === 'unknown' ? [] : [savePeer(id, unwatched(state))],
  );
}
