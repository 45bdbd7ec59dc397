/** Reads what is known of the watched peers. */
import type { SqlReader } from '../../db/store/sql.ts';
import { peers } from '../../db/tables/peers.ts';
import type { Config } from '../../engine/config/config.ts';
import { type PeerView, peerViews } from '../../engine/views/peers.ts';

/** In the order of the configuration. */
export function readPeers(sql: SqlReader, config: Pick<Config, 'peers'>, nowAt: number): readonly PeerView[] {
  if (config.peers.every(({ expect_every_secs }) => expect_every_secs === null)) return [];
  return peerViews(config.peers, { rows: peers.list(sql), skews: peers.listSkews(sql) }, nowAt);
}
