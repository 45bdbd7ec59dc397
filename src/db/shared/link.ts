/** The connection to the database server: one statement after the other, each with a deadline. */
import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import type { Client as PgClient } from 'pg';
import type { Clock } from '../../engine/core/clock.ts';

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** It runs often, so the server keeps its plan, which takes longer to make than to carry out. */
  readonly isPrepared?: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Why a statement did not succeed. `refused`: it did not happen; `sqlState` says why, null when the server was not
 * reached. `unknown`: the connection ended, or the deadline passed, before the answer; it may have happened, and may yet.
 */
export class LinkError extends Error {
  readonly outcome: 'refused' | 'unknown';
  readonly sqlState: string | null;

  constructor(outcome: LinkError['outcome'], sqlState: string | null, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.outcome = outcome;
    this.sqlState = sqlState;
  }
}

export interface DatabaseLink {
  /** Runs one statement; waits for those before it. Rejects with LinkError, after `deadlineMs` at the latest. */
  readonly run: (statement: Statement, deadlineMs: number) => Promise<readonly Row[]>;
  readonly close: () => Promise<void>;
}

/** Conflicts that the server asks to repeat: a serialization failure, a deadlock. */
const repeatable = new Set(['40001', '40P01']);

/**
 * The server has no such prepared statement, has one of that name, or has a plan for tables that were changed: behind a
 * pooler, which hands connections from one client to another, or after an upgrade. The statement did not happen.
 */
const unprepared = new Set(['26000', '42P05', '0A000']);

/** `socket` carries the connection, encrypted or not. */
interface Connection {
  readonly client: PgClient;
  readonly socket: Socket;
}

/** A link that connects when it is needed, and anew after each failure. `url` is a secret. */
export function createLink(url: string, clock: Pick<Clock, 'monotonic' | 'sleep'>): DatabaseLink {
  const open: { connection: Connection | null } = { connection: null };
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let canPrepare = true;

  const discard = (broken: Connection) => {
    if (open.connection === broken) open.connection = null;
    // An orderly end would wait for the answer that did not come.
    broken.socket.destroy();
  };
  const connect = async (): Promise<PgClient> => {
    if (open.connection !== null) return open.connection.client;
    const { default: pg } = await import('pg');
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: url,
      application_name: 'statusd',
      keepAlive: true,
      stream: () => socket,
    });
    const fresh = { client, socket };
    // What happens to a connection between two statements is found by the next one.
    client.on('error', () => {
      discard(fresh);
    });
    open.connection = fresh;
    await client.connect();
    return client;
  };
  const attempt = async (statement: Statement, deadlineMs: number): Promise<readonly Row[]> => {
    const { text, values = [], isPrepared = false } = statement;
    const deadline = new AbortController();
    const progress = { isSent: false };
    const work = async () => {
      const connected = await connect();
      progress.isSent = true;
      const named = isPrepared && canPrepare ? { name: nameOf(text) } : {};
      const { rows } = await connected.query<Record<string, unknown>>({
        ...named,
        text,
        values: [...values],
      });
      return rows;
    };
    const late = clock.sleep(deadlineMs, deadline.signal).then(() => {
      throw new Error(`no answer within ${deadlineMs} ms`);
    });
    const working = work();
    try {
      return await Promise.race([working, late]);
    } catch (error) {
      const sqlState = sqlStateOf(error);
      // One that was not let in is of no use for the next statement.
      if (sqlState !== null && !progress.isSent && open.connection !== null) discard(open.connection);
      if (sqlState !== null) throw new LinkError('refused', sqlState, error);
      working.catch(() => undefined);
      if (open.connection !== null) discard(open.connection);
      throw new LinkError(progress.isSent ? 'unknown' : 'refused', null, error);
    } finally {
      late.catch(() => undefined);
      deadline.abort(new Error('answered'));
    }
  };
  const run = async (statement: Statement, deadlineMs: number): Promise<readonly Row[]> => {
    const endMs = clock.monotonic() + deadlineMs;
    for (;;) {
      const leftMs = endMs - clock.monotonic();
      if (isClosed || leftMs <= 0)
        throw new LinkError('refused', null, new Error(isClosed ? 'closed' : 'no time is left'));
      try {
        return await attempt(statement, leftMs);
      } catch (error) {
        const sqlState = error instanceof LinkError ? (error.sqlState ?? '') : '';
        if (canPrepare && statement.isPrepared === true && unprepared.has(sqlState)) canPrepare = false;
        else if (!repeatable.has(sqlState)) throw error;
      }
    }
  };
  return {
    run: (statement, deadlineMs) => {
      const result = turn.then(() => run(statement, deadlineMs));
      turn = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      isClosed = true;
      await turn;
      await open.connection?.client.end().catch(() => undefined);
    },
  };
}

const names = new Map<string, string>();

/** Of what a statement says: whoever has prepared one of that name, it is this one. */
function nameOf(text: string): string {
  const known = names.get(text) ?? `statusd ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, known);
  return known;
}

/** What the server says of a statement that it undid; null: it said nothing, or ended the connection. */
function sqlStateOf(error: unknown): string | null {
  // The codes of the system, as ECONNRESET, come without a severity.
  const code = error instanceof Error && 'severity' in error && 'code' in error ? error.code : null;
  if (typeof code !== 'string' || /^(08|57P)/.test(code)) return null;
  return code;
}
