/** Finds the daemon, if any, that will act on what a command writes to a database. */
import { namesOf } from '../db/store/files/names.ts';
import { nodeFiles } from '../db/store/files/node.ts';
import { lockHolder, readClaim, refuseHeld } from '../db/store/lock/lock.ts';
import { systemProcesses } from '../db/store/lock/processes.ts';
import type { Config, StorageSettings } from '../engine/config/config.ts';
import { StatusdError } from '../engine/core/errors.ts';
import { systemClock } from './context.ts';
import { askHealth, healthUrlOfBind, readHealth } from './healthcheck/health.ts';
import { dirname } from 'node:path';
import { decodeClaim } from '../db/store/lock/claim.ts';

/** A daemon on this machine answers within it, also when it is busy. */
const patienceMs = 2000;

/**
 * Whether a daemon has the configured database. Throws `store_unusable` when none has it, but one answers at the
 * configured address: it watches another database, and would never see the change.
 */
export async function isDaemonRunning({
  server,
  storage,
}: Pick<Config, 'server' | 'storage'>): Promise<boolean> {
  if (storage !== null) return (await leaderOf(storage)) !== null;
  if ((await knownHolder(server.database_path)) !== 'none') return true;
  const found = await statusdAt(server.bind);
  if (found === null) return false;
  const { url, canWrite } = found;
  throw new StatusdError(
    'store_unusable',
    `the daemon at ${url.origin} does not use the database ${server.database_path}`,
    {
      hint: canWrite
        ? 'Correct server.database_path or server.bind, or change this database anyway with --offline.'
        : 'Its disk takes nothing at the moment: see /healthz. --offline changes this database anyway.',
    },
  );
}

/** The id of the node that leads; null: nobody does. Throws `store_unusable`. */
export async function leaderOf(storage: StorageSettings): Promise<string | null> {
  const { surveyShared } = await import('./shared-database.ts');
  return (await surveyShared(storage, systemClock)).leader;
}

/** Throws `store_in_use` when a daemon on this machine has the configured database. Changes nothing on the disk. */
export async function refuseHeldDatabase({ server }: Pick<Config, 'server'>): Promise<void> {
  try {
    await refuseHeld(await placeOf(server.database_path));
  } catch (error) {
    // A folder that cannot be read names no daemon.
    if (error instanceof StatusdError) throw error;
  }
}

async function placeOf(path: string) {
  const names = namesOf(await nodeFiles.resolve(path));
  return { files: nodeFiles, names, processes: systemProcesses };
}

/** `unknown` for a daemon that cannot be seen from here, in another container say: it is taken to run. */
async function knownHolder(path: string): ReturnType<typeof lockHolder> {
  try {
    return await lockHolder(await placeOf(path));
  } catch {
    // Opening the database reports what is wrong with its folder.
    return 'unknown';
  }
}

interface Found {
  readonly url: URL;
  /** One that cannot write may well mean this database, and not hold it yet. */
  readonly canWrite: boolean;
}

async function statusdAt(bind: string): Promise<Found | null> {
  try {
    const url = healthUrlOfBind(bind);
    const { body } = readHealth(await askHealth(url, patienceMs), url);
    return { url, canWrite: body['db_ok'] !== false };
  } catch (error) {
    if (error instanceof StatusdError && error.code === 'daemon_unreachable') return null;
    throw error;
  }
}

interface Holder {
  readonly pid: number;
  readonly sinceAt: number;
  /** It runs in another container or on another host, so whether it lives cannot be seen from here. */
  readonly isElsewhere: boolean;
}

/** Finds the daemon that uses a database, without disturbing it. Null: no daemon has it. */
export async function holderOf(file: string): Promise<Holder | null> {
  const path = await nodeFiles.resolve(file);
  const names = namesOf(path);
  try {
    const number = names.lockNumbers(await nodeFiles.list(dirname(path))).at(-1);
    if (number === undefined) return null;
    const bytes = await readClaim(nodeFiles, names.lock(number));
    const claim = bytes === null ? null : decodeClaim(bytes);
    if (claim === null || claim.state === 'released') return null;
    const liveness = await systemProcesses.liveness(claim);
    if (liveness === 'dead') return null;
    return { pid: claim.pid, sinceAt: claim.since, isElsewhere: liveness === 'unknown' };
  } catch {
    return null;
  }
}
