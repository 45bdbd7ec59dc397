/** The peers: their state, and their last verdict on each monitor. */
import type { Status } from '../../engine/core/status.ts';
import type { Json, Operation } from '../store/operation.ts';
import { statusByCode, statusCodes } from '../samples/sample.ts';
import type { SqlReader } from '../store/sql.ts';
import { document, instant, monitorId, orNull, sentence, whole, status } from './fields.ts';
import { declareWrite } from './write.ts';

export interface PeerRow {
  readonly id: string;
  /** Null: never. */
  readonly heardAt: number | null;
  /** What readPeerState of engine/peers/rules reads. */
  readonly state: Json;
}

export interface PeerVerdictRow {
  readonly peer: string;
  readonly monitor: string;
  readonly at: number;
  readonly status: Status;
  readonly latencyMs: number | null;
  readonly error: string | null;
  /** The peer's clock minus this node's; null: not measured. */
  readonly skewMs: number | null;
}

/** The row of a peer that never sent a heartbeat. */
const never = 0;

/** What is known of a peer now; its state is understood by its owner only. */
export const savePeer = declareWrite(
  'peer.state',
  { id: monitorId, state: document, heardAt: instant },
  (sql, { id, state, heardAt }) => {
    sql.run(
      'INSERT OR REPLACE INTO peers (id, heard_at, state) VALUES (?, ?, ?)',
      id,
      heardAt,
      JSON.stringify(state),
    );
    return null;
  },
);

/** What a peer saw of a monitor, the last time it was asked. */
export const savePeerVerdict = declareWrite(
  'peer.verdict',
  {
    peer: monitorId,
    monitor: monitorId,
    at: instant,
    status,
    latencyMs: orNull(whole(0, 2 ** 31)),
    error: orNull(sentence),
    skewMs: orNull(whole(-(2 ** 52), 2 ** 52)),
  },
  (sql, verdict) => {
    sql.run(
      `INSERT OR REPLACE INTO peer_verdicts (peer, monitor, at, status, latency_ms, error, skew_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      verdict.peer,
      verdict.monitor,
      verdict.at,
      statusCodes[verdict.status],
      verdict.latencyMs,
      verdict.error,
      verdict.skewMs,
    );
    return null;
  },
);

/** Nothing is kept of a peer any more. */
export const forgetPeer = declareWrite('peer.forget', { id: monitorId }, (sql, { id }) => {
  sql.run('DELETE FROM peers WHERE id = ?', id);
  sql.run('DELETE FROM peer_verdicts WHERE peer = ?', id);
  return null;
});

export const peers = {
  save: ({ id, heardAt, state }: PeerRow): Operation => savePeer({ id, heardAt: heardAt ?? never, state }),
  saveVerdict: savePeerVerdict,
  forget: forgetPeer,

  /** Those without a heartbeat or a verdict since an instant. */
  listSilentSince: (sql: SqlReader, at: number): string[] =>
    sql.all(
      `SELECT id FROM (SELECT id, heard_at AS at FROM peers UNION ALL SELECT peer, at FROM peer_verdicts)
       GROUP BY id HAVING max(at) < ? ORDER BY id`,
      [at],
      (row) => row.text('id'),
    ),

  list: (sql: SqlReader): PeerRow[] =>
    sql.all('SELECT id, heard_at, state FROM peers ORDER BY id', [], (row) => ({
      id: row.text('id'),
      heardAt: row.number('heard_at') === never ? null : row.number('heard_at'),
      state: JSON.parse(row.text('state')) as Json,
    })),

  /** How far the clock of each peer was ahead when it last said so, in ms. */
  listSkews: (sql: SqlReader): { readonly peer: string; readonly skewMs: number }[] =>
    sql.all(
      // SQLite takes the other columns of a group from the row that has its maximum.
      'SELECT peer, max(at) AS at, skew_ms FROM peer_verdicts WHERE skew_ms IS NOT NULL GROUP BY peer ORDER BY peer',
      [],
      (row) => ({ peer: row.text('peer'), skewMs: row.number('skew_ms') }),
    ),

  /** The last verdict of every peer on every monitor it was asked about. */
  listVerdicts: (sql: SqlReader): PeerVerdictRow[] =>
    sql.all('SELECT * FROM peer_verdicts ORDER BY monitor, peer', [], (row) => ({
      peer: row.text('peer'),
      monitor: row.text('monitor'),
      at: row.number('at'),
      status: statusByCode[row.number('status')] ?? 'unknown',
      latencyMs: row.numberOrNull('latency_ms'),
      error: row.textOrNull('error'),
      skewMs: row.numberOrNull('skew_ms'),
    })),
};
