/** The database that nodes share: how it is reached, created, and read into memory. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { StoreSchema } from '../store/operation.ts';
import { openReplica, type Replica } from '../store/replica.ts';
import { faultOf, tooManyClients } from './faults.ts';
import {
  createLink,
  type DatabaseLink,
  type DatabaseUrl,
  EmptyPlace,
  LinkError,
  type Statement,
} from './link.ts';
import { type LogPlace, SharedLog, wentBack } from './log.ts';
import { SharedSnapshots } from './snapshots.ts';
import { type Statements, statementsOf } from './statements.ts';

export interface SharedDatabaseOptions {
  readonly url: DatabaseUrl;
  /** The PostgreSQL schema that holds the tables. */
  readonly space: string;
  readonly schema: StoreSchema;
  readonly clock: Clock;
  /** For each statement of the log. */
  readonly deadlineMs: number;
}

export interface SharedDatabase {
  readonly link: DatabaseLink;
  readonly statements: Statements;
  readonly log: SharedLog;
  readonly snapshots: SharedSnapshots;
}

/** One row of the table `place`. */
export interface Standing {
  readonly databaseId: string;
  readonly schema: number;
  /** The end of the log. */
  readonly seq: number;
  /** Who leads; null: nobody. */
  readonly leader: string | null;
  /** Differs after each renewal of the lease. */
  readonly renewed: string;
  /** The server takes no writes. */
  readonly isReadOnly: boolean;
}

export interface LoadedSharedDatabase {
  readonly replica: Replica;
  /** The last record that is in memory. */
  readonly end: LogPlace;
}

/** For a mebibyte of a snapshot. */
const snapshotDeadlineMs = 30_000;

/** A leader may take a snapshot away while it is read. */
const attempts = 5;

/** Connects with the first statement. */
export function sharedDatabaseAt({
  url,
  space,
  schema,
  clock,
  deadlineMs,
}: SharedDatabaseOptions): SharedDatabase {
  const link = createLink(url, clock);
  const statements = statementsOf(space, schema.version);
  return {
    link,
    statements,
    log: new SharedLog({ link, statements, deadlineMs }),
    snapshots: new SharedSnapshots({ link, statements, deadlineMs: snapshotDeadlineMs }),
  };
}

/** Makes the tables where there are none. Throws `store_unusable`. */
export async function createSharedDatabase(
  { link, statements }: SharedDatabase,
  deadlineMs: number,
  databaseId: string = randomUUID(),
): Promise<void> {
  const make = async (statement: Statement) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await link.run(statement, deadlineMs);
        return;
      } catch (error) {
        if (!isRace(error) || attempt === attempts) throw error;
      }
    }
  };
  try {
    // One that is there needs no right to make any.
    const isThere = await link.run(statements.place, deadlineMs).then(
      (rows) => rows.length > 0,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw error;
      },
    );
    if (isThere) {
      const [history] = await link.run(statements.hasHistory, deadlineMs);
      if ((history?.['bytes'] ?? null) === null) await make(statements.createHistory);
      return;
    }
    const [found] = await link.run(statements.hasSchema, deadlineMs);
    if (found === undefined) await make(statements.createSchema);
    for (const statement of statements.create(databaseId)) await make(statement);
  } catch (error) {
    throw openFault(error);
  }
}

/** Throws `store_unusable` when there are no tables, the server cannot be reached, or a newer version made it. */
export async function readStanding(
  { link, statements }: SharedDatabase,
  { schema, deadlineMs }: Pick<SharedDatabaseOptions, 'schema' | 'deadlineMs'>,
): Promise<Standing> {
  const [row] = await link.run(statements.place, deadlineMs).catch((error: unknown) => {
    throw openFault(error);
  });
  if (row === undefined) throw openFault(new EmptyPlace());
  const standing: Standing = {
    databaseId: String(row['database_id']),
    schema: Number(row['schema']),
    seq: Number(row['seq']),
    leader: row['is_free'] === true ? null : String(row['holder']),
    renewed: String(row['renewed']),
    isReadOnly: row['is_read_only'] === true,
  };
  if (standing.schema <= schema.version) return standing;
  throw newerVersion();
}

/** The database in memory: the newest snapshot, and every record after it. Throws `store_unusable`. */
export async function loadSharedDatabase(
  place: SharedDatabase,
  options: Pick<SharedDatabaseOptions, 'schema' | 'deadlineMs'>,
): Promise<LoadedSharedDatabase> {
  const { databaseId } = await readStanding(place, options);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const snapshot = await place.snapshots.load();
      const replica = await openReplica(snapshot?.bytes ?? null, options.schema, databaseId);
      try {
        return { replica, end: await follow(place, replica, snapshot?.seq ?? 0) };
      } catch (error) {
        replica.sql.close();
        throw error;
      }
    } catch (error) {
      if (attempt === attempts || error instanceof LinkError) throw openFault(error);
    }
  }
}

async function follow({ log }: SharedDatabase, replica: Replica, from: number): Promise<LogPlace> {
  let at: LogPlace = { seq: from, last: null };
  for (;;) {
    const { records, end } = await log.readBehind(at);
    at = end;
    if (records.length === 0) return at;
    for (const { operations } of records) {
      const name = replica.unknownName(operations);
      if (name !== null)
        throw unusable(
          `it holds a change '${name}' that this version does not know`,
          'Use the statusd that wrote it, or a later one. Nothing was changed.',
        );
    }
    replica.batch(() => {
      for (const record of records) if (replica.note(record)) replica.apply(record.kind, record.operations);
    });
  }
}

/** What went wrong while it was opened, as `store_unusable`. */
export function openFault(error: unknown): StatusdError {
  if (error instanceof StatusdError) return error;
  if (isMissing(error)) return missing();
  const { is, hint } = faultOf(error);
  return new StatusdError('store_unusable', `cannot use the database of [storage]: ${is}`, {
    hint,
    cause: error,
  });
}

/** A second connection, beside the one that has answered: the pool of a pooler may be too small for it. */
export async function mustAnswer(
  second: DatabaseLink,
  { statements }: Pick<SharedDatabase, 'statements'>,
  deadlineMs: number,
): Promise<void> {
  await second.run(statements.place, deadlineMs).catch((error: unknown) => {
    if (!(error instanceof LinkError) || !error.message.startsWith('no answer')) throw openFault(error);
    throw new StatusdError(
      'store_unusable',
      'cannot use the database of [storage]: a second connection gets no answer while the first one does',
      {
        hint: 'A node needs up to 4 at once: raise the pool of the pooler (default_pool_size), or set pool_mode = transaction there.',
        cause: error,
      },
    );
  });
}

/** What went wrong while it was in use, as `store_failing`; null: there was no answer. */
export function writeFault(error: unknown): StatusdError {
  if (error instanceof StatusdError) return error;
  const { is, hint } = error === null ? silent : faultOf(error);
  return new StatusdError('store_failing', `cannot write to the database of [storage]: ${is}`, {
    hint,
    cause: error,
  });
}

/** Whether it could not be reached, which may be over soon. */
export function isUnreachable(error: unknown): boolean {
  const cause = error instanceof StatusdError ? error.cause : error;
  return cause instanceof LinkError && (cause.sqlState === null || cause.sqlState === tooManyClients);
}

const silent = { is: 'the server does not answer', hint: 'Check the server and the network.' };

/**
 * What PostgreSQL says when another node makes the same table in the same moment: IF NOT EXISTS looks before it waits.
 * The other is done by then, so the next attempt finds it.
 */
function isRace(error: unknown): boolean {
  const states = ['23505', '42P06', '42P07', '42710', 'XX000'];
  return error instanceof LinkError && error.sqlState !== null && states.includes(error.sqlState);
}

/** Whether there is no such table, or no such schema. */
export function isMissing(error: unknown): boolean {
  return error instanceof LinkError && (error.sqlState === '42P01' || error.sqlState === '3F000');
}

function missing(): StatusdError {
  return unusable(
    'statusd has no tables in it',
    'Start `statusd serve` once, or correct storage.url and storage.schema.',
  );
}

function unusable(reason: string, hint: string): StatusdError {
  return new StatusdError('store_unusable', `cannot use the database of [storage]: ${reason}`, { hint });
}

/** What a later version has written is led, and added to, by no earlier one. */
export function newerVersion(): StatusdError {
  return unusable('a newer version of statusd wrote it', 'Use that version, or a later one.');
}

/** Versions share a log in one way only: the newer one reads what the older one writes. */
export function otherVersion(): StatusdError {
  return new StatusdError(
    'store_unusable',
    'the nodes that use the database are another version of statusd',
    {
      hint: 'Run the same version everywhere.',
    },
  );
}

/** Why the server took nothing from who had read the log up to `seq`. */
export async function whyRefused(
  place: SharedDatabase,
  { seq, ...options }: Pick<SharedDatabaseOptions, 'schema' | 'deadlineMs'> & { readonly seq: number },
): Promise<StatusdError> {
  const found = await readStanding(place, options).catch(() => null);
  if (found === null) return ledElsewhere(null);
  if (found.schema !== options.schema.version) return otherVersion();
  return found.seq < seq ? wentBack() : ledElsewhere(found.leader);
}

/** What only the node that leads does is asked of another one. */
export function standsBy(): StatusdError {
  return new StatusdError('store_in_use', 'this node is a standby', {
    hint: 'The node that leads does this.',
  });
}

/** Another node leads, or may. */
export function ledElsewhere(leader: string | null): StatusdError {
  return new StatusdError('store_in_use', leader === null ? 'another node may lead' : `${leader} leads now`);
}
