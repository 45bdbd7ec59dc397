/** Every statement for the tables that nodes share. Plain SQL: no extension, trigger, sequence or notification. */
import type { Statement } from './link.ts';

/** How a record of the log is stored: `kind` is 2 for a transaction, 3 for samples; `payload` is JSON. */
interface StoredLine {
  readonly writer: string;
  readonly counter: number;
  readonly kind: number;
  readonly payload: string;
}

/** A node as it describes itself to the others: `config` is a digest of what its monitors and channels are. */
export interface NodeRow {
  readonly id: string;
  /** Where the others reach it. */
  readonly url: string;
  readonly version: string;
  readonly config: string;
  /** Whether it makes checks. */
  readonly isProbing: boolean;
  /** Probes a second that it makes. */
  readonly probesPerSec: number;
}

/** By whom a record is appended. Only the leader is fenced: the others only ever say what an operator wants. */
export type Fence = { readonly epoch: number; readonly leaseMs: number } | null;

/** An hour (since the epoch) of a monitor, by key. */
interface HistoryKey {
  readonly monitor: number;
  readonly hour: number;
}

/** A row of `history`; `remarks` is JSON, or null. */
interface HistoryRow extends HistoryKey {
  readonly block: Uint8Array | null;
  readonly rollup: Uint8Array | null;
  readonly remarks: string | null;
}

/** The hours of a monitor, by key, from `from` until before `to`. */
interface HistorySpan {
  readonly monitor: number;
  readonly from: number;
  readonly to: number;
}

export interface Statements {
  /** A row when there is the schema: who may not make one may have one all the same. */
  readonly hasSchema: Statement;
  readonly createSchema: Statement;
  /** Makes the tables where there are none. `databaseId` is a UUID for a new database: one that has a log is being restored. */
  readonly create: (databaseId: string) => readonly Statement[];
  /** Makes the table of history, which early databases did not have. */
  readonly createHistory: Statement;
  /** One row, `bytes`: how large it is; null: it has not been made. */
  readonly hasHistory: Statement;
  /** One row, `done`, when `epoch` leads: then `rows` are there, and `without` are not. None is among both. */
  readonly putHistory: (
    rows: readonly HistoryRow[],
    without: readonly HistoryKey[],
    epoch: number,
  ) => Statement;
  readonly readHistory: (span: HistorySpan) => Statement;
  /** One row, `gone`: how many rows of monitors were deleted that are before an hour, at most `limit`, if `epoch` leads. */
  readonly pruneHistory: (
    before: readonly Omit<HistorySpan, 'from'>[],
    limit: number,
    epoch: number,
  ) => Statement;
  /** One row: see `placeOf`. */
  readonly place: Statement;
  /**
   * The end of the log after the append; no row when the fence, or the schema of the writer, is not that of the place, or
   * when the log ends before `known`.
   */
  readonly append: (lines: readonly StoredLine[], fence: Fence, known: number) => Statement;
  /** The record at `seq` without its payload, if it is there, and those behind it, in their order. */
  readonly read: (seq: number, limit: number) => Statement;
  /**
   * The new epoch; no row when the lease is not as it was when it was last looked at (`renewed` of the place). A leader of a
   * later version migrates the database. Epochs are times, in ms: one that was lost in a failover of the server never comes
   * again, so a leader that had it leads no more. Refused (55P03) while another session has the place locked.
   */
  readonly take: (holder: string, leaseMs: number, renewed: string) => Statement;
  /** Whether the lease can be written at the moment: refused (55P03) while another session has the place locked. */
  readonly mayTake: Statement;
  /** The time of the server while it leads; no row afterwards, nor once it was released. */
  readonly renew: (epoch: number, leaseMs: number) => Statement;
  /** Nobody holds it, and the next node leads at once. */
  readonly release: (epoch: number) => Statement;
  /** What a node says of itself, and that it was there now. */
  readonly announce: (node: NodeRow) => Statement;
  /** Every node of the last day: `NodeRow` and `age` in ms. */
  readonly nodes: Statement;
  /** Those of the hashes whose chunks are not there, each once. */
  readonly missingChunks: (hashes: readonly Buffer[]) => Statement;
  readonly addChunks: (chunks: readonly { readonly hash: Buffer; readonly bytes: Buffer }[]) => Statement;
  readonly readChunks: (hashes: readonly Buffer[]) => Statement;
  /** A row when it was added: by the leader of `epoch` alone. */
  readonly addSnapshot: (seq: number, hashes: readonly Buffer[], epoch: number) => Statement;
  /** The snapshots, the newest first. */
  readonly snapshots: Statement;
  /**
   * Deletes what the newest `kept` snapshots make needless, in this order, and nodes that were not there for 30 days; nothing
   * unless `epoch` leads.
   */
  readonly compact: (kept: number, epoch: number) => readonly Statement[];
}

/** `name` is the PostgreSQL schema; `version` that of the tables which the records build. */
export function statementsOf(name: string, version: number): Statements {
  const schema = `"${name.replaceAll('"', '""')}"`;
  const now = 'extract(epoch FROM clock_timestamp()) * 1000';
  const until = (parameter: string) => `clock_timestamp() + ${parameter}::bigint * interval '1 millisecond'`;
  // Differs after each renewal: clock_timestamp() has microseconds.
  const renewed = "epoch || ' ' || extract(epoch FROM until)";
  // Locked: who leads next begins when this is done.
  const leads = (parameter: string) =>
    `EXISTS (SELECT 1 FROM ${schema}.place WHERE epoch = ${parameter} FOR SHARE)`;
  const createHistory: Statement = {
    text: `CREATE TABLE IF NOT EXISTS ${schema}.history (
      monitor int, hour int, block bytea, rollup bytea, remarks text, PRIMARY KEY (monitor, hour))`,
  };
  return {
    createHistory,
    hasHistory: {
      text: 'SELECT pg_total_relation_size(to_regclass($1)) AS bytes',
      values: [`${schema}.history`],
    },
    putHistory: (rows, without, epoch) => ({
      // By whole keys: a join by monitors reads all of the table, where the server has not counted it yet.
      text: `WITH leader AS (SELECT 1 FROM ${schema}.place WHERE epoch = $6 FOR SHARE),
        gone AS (
          DELETE FROM ${schema}.history USING leader, unnest($7::int[], $8::int[]) AS old (monitor, hour)
          WHERE history.monitor = old.monitor AND history.hour = old.hour),
        put AS (
          INSERT INTO ${schema}.history (monitor, hour, block, rollup, remarks)
          SELECT monitor, hour, nullif(block, ''), nullif(rollup, ''), nullif(remarks, '') FROM leader,
            unnest($1::int[], $2::int[], $3::bytea[], $4::bytea[], $5::text[])
              AS moved (monitor, hour, block, rollup, remarks)
          ON CONFLICT (monitor, hour) DO UPDATE
          SET block = excluded.block, rollup = excluded.rollup, remarks = excluded.remarks)
        SELECT true AS done FROM leader`,
      values: [
        rows.map(({ monitor }) => monitor),
        rows.map(({ hour }) => hour),
        // An array of a user with array_nulls off has no NULL, and none of them is ever empty.
        rows.map(({ block }) => block ?? Buffer.alloc(0)),
        rows.map(({ rollup }) => rollup ?? Buffer.alloc(0)),
        rows.map(({ remarks }) => remarks ?? ''),
        epoch,
        without.map(({ monitor }) => monitor),
        without.map(({ hour }) => hour),
      ],
    }),
    readHistory: ({ monitor, from, to }) => ({
      text: `SELECT hour, block, rollup, remarks FROM ${schema}.history
        WHERE monitor = $1 AND hour >= $2 AND hour < $3 ORDER BY hour`,
      values: [monitor, from, to],
    }),
    pruneHistory: (before, limit, epoch) => ({
      text: `WITH gone AS (
          DELETE FROM ${schema}.history USING (
            SELECT old.monitor, old.hour
            FROM unnest($1::int[], $2::int[]) AS kept (monitor, first), ${schema}.history AS old
            WHERE old.monitor = kept.monitor AND old.hour < kept.first LIMIT $3) AS due
          WHERE history.monitor = due.monitor AND history.hour = due.hour AND ${leads('$4')} RETURNING 1)
        SELECT count(*) AS gone FROM gone`,
      values: [before.map(({ monitor }) => monitor), before.map(({ to }) => to), limit, epoch],
    }),
    hasSchema: { text: 'SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1', values: [name] },
    createSchema: { text: `CREATE SCHEMA IF NOT EXISTS ${schema}` },
    create: (databaseId) => [
      {
        text: `CREATE TABLE IF NOT EXISTS ${schema}.place (
          one boolean PRIMARY KEY DEFAULT true CHECK (one), database_id uuid NOT NULL, schema int NOT NULL,
          seq bigint NOT NULL, epoch bigint NOT NULL, holder text, until timestamptz NOT NULL) WITH (fillfactor = 10)`,
      },
      {
        text: `CREATE TABLE IF NOT EXISTS ${schema}.log (
          seq bigint PRIMARY KEY, writer text NOT NULL, counter bigint NOT NULL, kind smallint NOT NULL,
          payload text NOT NULL)`,
      },
      {
        text: `CREATE TABLE IF NOT EXISTS ${schema}.chunk (hash bytea PRIMARY KEY, bytes bytea NOT NULL)`,
      },
      // They are compressed already, or change as a whole.
      { text: `ALTER TABLE ${schema}.chunk ALTER COLUMN bytes SET STORAGE EXTERNAL` },
      {
        text: `CREATE TABLE IF NOT EXISTS ${schema}.snapshot (
          seq bigint PRIMARY KEY, hashes bytea[] NOT NULL, made_at timestamptz NOT NULL)`,
      },
      {
        text: `CREATE TABLE IF NOT EXISTS ${schema}.node (
          id text PRIMARY KEY, url text NOT NULL, version text NOT NULL, config text NOT NULL,
          seen timestamptz NOT NULL)`,
      },
      createHistory,
      {
        text: `ALTER TABLE ${schema}.node ADD COLUMN IF NOT EXISTS is_probing boolean NOT NULL DEFAULT false,
          ADD COLUMN IF NOT EXISTS probes_per_sec real NOT NULL DEFAULT 0`,
      },
      {
        text: `INSERT INTO ${schema}.place (database_id, schema, seq, epoch, until)
          SELECT $1, $2, 0, 0, clock_timestamp() - interval '1 second'
          WHERE NOT EXISTS (SELECT 1 FROM ${schema}.log) AND NOT EXISTS (SELECT 1 FROM ${schema}.snapshot)
          ON CONFLICT DO NOTHING`,
        values: [databaseId, version],
      },
    ],
    place: {
      text: `SELECT database_id, schema, seq, epoch, holder, ${renewed} AS renewed, 
        holder IS NULL OR until < clock_timestamp() AS is_free,
        extract(epoch FROM until - clock_timestamp()) * 1000 AS left_ms, ${now} AS now,
        current_setting('transaction_read_only') = 'on' AS is_read_only FROM ${schema}.place`,
      isPrepared: true,
    },
    append: (lines, fence, known) => {
      const values = [
        lines.length,
        version,
        known,
        lines.map(({ writer }) => writer),
        lines.map(({ counter }) => counter),
        lines.map(({ kind }) => kind),
        lines.map(({ payload }) => payload),
      ];
      const [renewed, fenced, more] =
        fence === null
          ? ['', '', []]
          : [
              `, until = ${until('$9')}`,
              'AND epoch = $8 AND holder IS NOT NULL',
              [fence.epoch, fence.leaseMs],
            ];
      return {
        text: `WITH place AS (
            UPDATE ${schema}.place SET seq = seq + $1${renewed} WHERE one AND schema = $2 AND seq >= $3 ${fenced}
            RETURNING seq),
          written AS (
            INSERT INTO ${schema}.log (seq, writer, counter, kind, payload)
            SELECT place.seq - $1 + line.number, line.writer, line.counter, line.kind, line.payload
            FROM place, unnest($4::text[], $5::bigint[], $6::smallint[], $7::text[])
              WITH ORDINALITY AS line (writer, counter, kind, payload, number))
          SELECT seq FROM place`,
        values: [...values, ...more],
        isPrepared: true,
      };
    },
    read: (seq, limit) => ({
      text: `SELECT seq, writer, counter, kind, CASE WHEN seq > $1 THEN payload END AS payload
        FROM ${schema}.log WHERE seq >= $1 ORDER BY seq LIMIT $2`,
      values: [seq, limit + 1],
      isPrepared: true,
    }),
    take: (holder, leaseMs, asRenewed) => ({
      text: `WITH unlocked AS (SELECT 1 FROM ${schema}.place FOR UPDATE NOWAIT)
        UPDATE ${schema}.place 
        SET epoch = greatest(epoch + 1, (${now})::bigint), holder = $1, until = ${until('$2')}, schema = $3
        FROM unlocked WHERE one AND schema <= $3 AND ${renewed} = $4 RETURNING epoch`,
      values: [holder, leaseMs, version, asRenewed],
    }),
    mayTake: { text: `SELECT 1 FROM ${schema}.place FOR UPDATE NOWAIT` },
    renew: (epoch, leaseMs) => ({
      text: `UPDATE ${schema}.place SET until = ${until('$2')} WHERE one AND epoch = $1 AND holder IS NOT NULL
        RETURNING ${now} AS now`,
      values: [epoch, leaseMs],
      isPrepared: true,
    }),
    release: (epoch) => ({
      text: `UPDATE ${schema}.place SET holder = NULL, until = clock_timestamp() - interval '1 second'
        WHERE one AND epoch = $1`,
      values: [epoch],
    }),
    announce: ({ id, url, version: ofProgram, config, isProbing, probesPerSec }) => ({
      text: `INSERT INTO ${schema}.node (id, url, version, config, is_probing, probes_per_sec, seen)
        VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
        ON CONFLICT (id) DO UPDATE
        SET url = excluded.url, version = excluded.version, config = excluded.config,
          is_probing = excluded.is_probing, probes_per_sec = excluded.probes_per_sec, seen = excluded.seen`,
      values: [id, url, ofProgram, config, isProbing, probesPerSec],
    }),
    nodes: {
      text: `SELECT id, url, version, config, is_probing, probes_per_sec, extract(epoch FROM clock_timestamp() - seen) * 1000 AS age
        FROM ${schema}.node WHERE seen > clock_timestamp() - interval '1 day' ORDER BY id`,
    },
    missingChunks: (hashes) => ({
      text: `SELECT unnest($1::bytea[]) AS hash EXCEPT SELECT hash FROM ${schema}.chunk`,
      values: [hashes],
    }),
    addChunks: (chunks) => ({
      text: `INSERT INTO ${schema}.chunk (hash, bytes) SELECT * FROM unnest($1::bytea[], $2::bytea[])
        ON CONFLICT DO NOTHING`,
      values: [chunks.map(({ hash }) => hash), chunks.map(({ bytes }) => bytes)],
    }),
    readChunks: (hashes) => ({
      text: `SELECT hash, bytes FROM ${schema}.chunk WHERE hash = ANY ($1::bytea[])`,
      values: [hashes],
    }),
    addSnapshot: (seq, hashes, epoch) => ({
      text: `INSERT INTO ${schema}.snapshot (seq, hashes, made_at)
        SELECT $1, $2::bytea[], clock_timestamp() FROM ${schema}.place WHERE epoch = $3
        ON CONFLICT (seq) DO UPDATE SET hashes = excluded.hashes, made_at = excluded.made_at RETURNING seq`,
      values: [seq, hashes, epoch],
    }),
    snapshots: { text: `SELECT seq, hashes FROM ${schema}.snapshot ORDER BY seq DESC` },
    compact: (kept, epoch) => {
      // Who leads next finds every chunk that it counts on.
      const fence = leads('$2');
      const oldest = `(SELECT seq FROM ${schema}.snapshot ORDER BY seq DESC OFFSET $1 - 1 LIMIT 1)`;
      const statement = (text: string): Statement => ({ text, values: [kept, epoch] });
      return [
        statement(`DELETE FROM ${schema}.snapshot WHERE ${fence} AND seq < ${oldest}`),
        statement(`DELETE FROM ${schema}.log WHERE ${fence} AND seq <= ${oldest}`),
        // However many there are: an EXCEPT is never worked out by comparing each with each.
        statement(`DELETE FROM ${schema}.chunk WHERE ${fence} AND $1::int > 0 AND hash IN (
          SELECT hash FROM ${schema}.chunk EXCEPT SELECT unnest(hashes) FROM ${schema}.snapshot)`),
        {
          text: `DELETE FROM ${schema}.node WHERE ${leads('$1')} AND seen < clock_timestamp() - interval '30 days'`,
          values: [epoch],
        },
      ];
    },
  };
}
