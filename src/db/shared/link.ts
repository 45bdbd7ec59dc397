/** The connection to the database server: one statement after the other, each with a deadline. */
import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import type { Client as PgClient } from 'pg';
import { type Clock, waitAtMost } from '../../engine/core/clock.ts';
import { watchReceived } from './watch-received.ts';
import { cancel } from './cancel.ts';

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

/** The connection ended under a statement that changes nothing: perhaps the server, or a pooler, had found it idle. */
class CutReading extends LinkError {
  constructor(cause: unknown) {
    super('unknown', null, cause);
  }
}

/** What a server says that takes no writes. */
export const readOnlyState = '25006';

/** The row is missing that says where the log ends and who leads: the tables are being restored, and it comes with the rest. */
export class EmptyPlace extends LinkError {
  constructor() {
    super('refused', null, new Error('its table "place" is empty'));
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
  readonly sinceMs: number;
  /** Resolves when the server has let it in. */
  readonly admitted: Promise<void>;
  isIn: boolean;
}

/**
 * Letting a connection in takes several times as long as a statement, TLS and passwords included: it goes on while
 * statements give up waiting for it. Not for longer than this, since the server may be another one by then.
 */
const admissionMs = 5000;

/** A server that accepts a login answers within it. */
const plentyMs = 2000;

/** Of a database: a secret. A function where it may change while the process runs; a connection keeps that of its start. */
export type DatabaseUrl = string | (() => string);

export function urlNow(url: DatabaseUrl): string {
  return typeof url === 'string' ? url : url();
}

const mebibyte = 1024 * 1024;

/**
 * Bytes of one answer at most, and of all that is said until a connection is let in. The largest answers are a page of the
 * log and the list of the chunks of a snapshot, some megabytes each.
 */
const mostAnswerBytes = 256 * mebibyte;

/** How long an orderly end of a connection may take: a server that hangs never hangs up. */
const partingMs = 1000;

/** The server sent more than any answer has. The connection is closed. */
class TooMuch extends Error {}

/**
 * Settles as `work` does. Rejects with TooMuch, and closes the connection, when the server sends more than `mostBytes`
 * meanwhile.
 */
function withinBytes<T>(socket: Socket, mostBytes: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = watchReceived(socket, mostBytes, () => {
      reject(new TooMuch(`the server sends more than ${mostBytes / mebibyte} MiB for one answer`));
    });
    work.then(resolve, reject).finally(stop);
  });
}

/** A link that connects when it is needed, and anew after each failure. `mostBytes`: of one answer. */
export function createLink(
  url: DatabaseUrl,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  mostBytes = mostAnswerBytes,
): DatabaseLink {
  const open: { connection: Connection | null } = { connection: null };
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let canPrepare = true;

  const discard = (broken: Connection, { isAtWork = false } = {}) => {
    if (open.connection === broken) open.connection = null;
    broken.socket.unref();
    const ended = isAtWork ? cancel(broken.client, broken.socket) : Promise.resolve();
    // An orderly end would wait for the answer that did not come.
    void ended.then(() => broken.socket.destroy());
  };
  const connect = async (): Promise<Connection> => {
    if (open.connection !== null) {
      const known = open.connection;
      await known.admitted;
      return known;
    }
    const { default: pg } = await import('pg');
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: clientUrl(urlNow(url)),
      application_name: 'statusd',
      keepAlive: true,
      stream: () => socket,
    });
    const admitted = withinBytes(socket, mostBytes, client.connect()).then(() => {
      fresh.isIn = true;
    });
    const fresh = { client, socket, sinceMs: clock.monotonic(), admitted, isIn: false };
    // What happens to a connection between two statements is found by the next one.
    client.on('error', () => {
      discard(fresh);
    });
    open.connection = fresh;
    await fresh.admitted;
    return fresh;
  };
  /** For the next statement, after one that did not succeed. */
  const isOfUse = (
    { sinceMs }: Connection,
    { isSent, isLate }: { readonly isSent: boolean; readonly isLate: boolean },
    sqlState: string | null,
  ): boolean => {
    // One that was not let in is of none.
    if (sqlState !== null) return isSent;
    return !isSent && isLate && clock.monotonic() - sinceMs < admissionMs;
  };
  const attempt = async (statement: Statement, deadlineMs: number): Promise<readonly Row[]> => {
    const { text, values = [], isPrepared = false } = statement;
    const deadline = new AbortController();
    const startedMs = clock.monotonic();
    const progress = { isSent: false, isLate: false };
    const work = async () => {
      const { client, socket } = await connect();
      const tookMs = clock.monotonic() - startedMs;
      // No answer can be counted on in what is left of the time: the next statement has all of its own.
      progress.isLate ||= deadlineMs - tookMs < Math.min(tookMs, plentyMs);
      if (progress.isLate)
        throw new Error(`connected after ${Math.round(tookMs)} of ${Math.round(deadlineMs)} ms`);
      progress.isSent = true;
      const named = isPrepared && canPrepare ? { name: nameOf(text) } : {};
      const query = { ...named, text, values: [...values] };
      const answer = client.query<Record<string, unknown>>(query);
      return (await withinBytes(socket, mostBytes, answer)).rows;
    };
    const late = clock.sleep(deadlineMs, deadline.signal).then(() => {
      progress.isLate = true;
      throw new Error(`no answer within ${Math.round(deadlineMs)} ms`);
    });
    const working = work();
    try {
      return await Promise.race([working, late]);
    } catch (error) {
      const sqlState = sqlStateOf(error);
      const { connection } = open;
      if (connection !== null && !isOfUse(connection, progress, sqlState))
        discard(connection, { isAtWork: progress.isSent && progress.isLate });
      if (sqlState !== null) throw new LinkError('refused', sqlState, error);
      working.catch(() => undefined);
      const isCut = progress.isSent && !progress.isLate && !(error instanceof TooMuch);
      if (isCut && text.startsWith('SELECT ')) throw new CutReading(error);
      throw new LinkError(progress.isSent ? 'unknown' : 'refused', null, error);
    } finally {
      late.catch(() => undefined);
      deadline.abort(new Error('answered'));
    }
  };
  const run = async (statement: Statement, deadlineMs: number): Promise<readonly Row[]> => {
    const endMs = clock.monotonic() + deadlineMs;
    for (let cuts = 0; ; ) {
      const leftMs = endMs - clock.monotonic();
      if (isClosed || leftMs <= 0)
        throw new LinkError('refused', null, new Error(isClosed ? 'closed' : 'no time is left'));
      try {
        return await attempt(statement, leftMs);
      } catch (error) {
        const sqlState = error instanceof LinkError ? (error.sqlState ?? '') : '';
        if (canPrepare && statement.isPrepared === true && unprepared.has(sqlState)) canPrepare = false;
        else if (error instanceof CutReading && cuts === 0) cuts += 1;
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
      const { connection } = open;
      if (connection === null) return;
      // One that is not let in yet would be waited for.
      if (connection.isIn)
        await waitAtMost(
          clock,
          partingMs,
          connection.client.end().catch(() => undefined),
        );
      discard(connection);
    },
  };
}

/** The library says at length that it verifies the server in these modes, too. */
function clientUrl(url: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

const names = new Map<string, string>();

/** Of what a statement says: whichever client prepared a statement of that name, it is this one. */
function nameOf(text: string): string {
  const known = names.get(text) ?? `statusd ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, known);
  return known;
}

/** What the server says of a statement that it undid; null: it said nothing, or ended the connection. */
function sqlStateOf(error: unknown): string | null {
  // The codes of the system, as ECONNRESET, come without a severity.
  const code = error instanceof Error && 'severity' in error && 'code' in error ? error.code : null;
  if (typeof code !== 'string') return isAboutPassword(error) ? '28P01' : null;
  if (/^(08|57P)/.test(code)) return stateOfPooler(error);
  return code;
}

/** The client and the server do not agree on a password, which the client finds out first: it has none, for example. */
function isAboutPassword(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('SASL: ');
}

/** PgBouncer has one code for whatever goes wrong. These stay as they are until somebody corrects them. */
function stateOfPooler(error: unknown): string | null {
  const message = error instanceof Error ? error.message : '';
  return poolerStates.find(([words]) => words.test(message))?.[1] ?? null;
}

const poolerStates: readonly (readonly [RegExp, string])[] = [
  [/^unsupported startup parameter/, '08P01'],
  [/^password authentication failed/, '28P01'],
  [/^no such (?:database|user)/, '3D000'],
];
