/** The other nodes: what is known of them, and what they saw. */
import type { Status } from '../../engine/core/status.ts';
import { savePeer, savePeerVerdict } from '../ops/observed.ts';
import type { Json } from '../operation.ts';
import { statusByCode } from '../samples/sample.ts';
import type { SqlReader } from '../sql.ts';

export interface PeerRow {
  readonly id: string;
  readonly heardAt: number;
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

export const peers = {
  save: savePeer,
  saveVerdict: savePeerVerdict,

  list: (sql: SqlReader): PeerRow[] =>
    sql.all('SELECT id, heard_at, state FROM peers ORDER BY id', [], (row) => ({
      id: row.text('id'),
      heardAt: row.number('heard_at'),
      state: JSON.parse(row.text('state')) as Json,
    })),

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
