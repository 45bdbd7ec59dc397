/** One daemon a database: a numbered claim that survives its holder, and that a dead holder cannot keep. */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Clock } from '../../../engine/core/clock.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { instantText } from '../../../engine/core/instant.ts';
import { systemCode } from '../files/faults.ts';
import type { Files } from '../files/files.ts';
import type { Names } from '../files/names.ts';
import { writeTemporary } from '../files/temporary.ts';
import { decodeClaim, encodeClaim, maxClaimBytes, type Claim } from './claim.ts';
import type { Processes } from './processes.ts';

export interface LockOptions {
  readonly files: Files;
  readonly names: Names;
  readonly clock: Clock;
  readonly processes: Processes;
}

export interface DatabaseLock {
  /**
   * Answers other processes that ask, and returns whether the lock is still ours. To be called within half a second of
   * whatever happens in the folder.
   */
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

/** A lock that this process took itself. */
export interface TakenLock extends DatabaseLock {
  /**
   * Gives it up after a failed start. Of the first claim nothing is left; a later one is released, because a claim
   * whose number comes again could be taken for the one that a slow process looked at before.
   */
  readonly withdraw: () => Promise<void>;
}

/** A holder in another container answers within this time, or is taken for dead. */
const answerMs = 1000;
const lookAgainMs = 50;
/** Each further attempt means that another process took a step meanwhile. */
const attempts = 100;

/**
 * Takes the lock, or throws `store_in_use` naming the daemon that has it.
 *
 * The claim with the highest number counts, and is never deleted: it is superseded by the next number, which only
 * one process can link into place. So two processes that find the same dead holder cannot both take over.
 */
export async function acquireLock(options: LockOptions): Promise<TakenLock> {
  const { files, names, clock, processes } = options;
  const identity = await processes.self();
  const token = randomBytes(8).toString('hex');
  const claim: Claim = { state: 'held', token, ...identity, since: clock.now() };
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const highest = await highestNumber(options);
    if (highest > 0 && !(await isFree(options, highest))) continue;
    const number = highest + 1;
    if (!(await linkClaim(options, claim, number))) continue;
    if (!(await isHighest(options, number))) {
      await files.remove(names.lock(number));
      continue;
    }
    // What is left there no longer counts, and the next holder removes it.
    await removeBelow(options, number).catch(() => undefined);
    return heldLock(options, claim, number);
  }
  throw new StatusdError('store_in_use', `other processes keep taking the database ${names.snapshot}`);
}

type LookOptions = Pick<LockOptions, 'files' | 'names' | 'processes'>;

/**
 * Whether a daemon has the database; `unknown` when its process cannot be seen from here. Changes nothing on the
 * disk. Rejects with a system error when the folder cannot be read.
 */
export async function lockHolder(options: LookOptions): Promise<'alive' | 'none' | 'unknown'> {
  return (await lookAt(options)).holder;
}

/** The same as an error: throws `store_in_use`, naming the daemon, when there is one that is seen to live. */
export async function refuseHeld(options: LookOptions): Promise<void> {
  const { holder, claim } = await lookAt(options);
  if (holder === 'alive') throw inUse(options, claim);
}

async function lookAt(
  options: LookOptions,
): Promise<{ readonly holder: 'alive' | 'none' | 'unknown'; readonly claim: Claim | null }> {
  const number = await highestNumber(options);
  const bytes = number === 0 ? null : await readClaim(options.files, options.names.lock(number));
  if (bytes === null) return { holder: 'none', claim: null };
  const claim = decodeClaim(bytes);
  if (claim === null) return { holder: 'unknown', claim };
  if (claim.state === 'released') return { holder: 'none', claim };
  const liveness = await options.processes.liveness(claim);
  return { holder: liveness === 'dead' ? 'none' : liveness, claim };
}

async function highestNumber({ files, names }: Pick<LockOptions, 'files' | 'names'>): Promise<number> {
  return names.lockNumbers(await files.list(names.directory)).at(-1) ?? 0;
}

/** Whether a claim that was just made counts. One of which that cannot be known is not left behind. */
async function isHighest(options: LockOptions, number: number): Promise<boolean> {
  try {
    return (await highestNumber(options)) === number;
  } catch (error) {
    await options.files.remove(options.names.lock(number)).catch(() => undefined);
    throw error;
  }
}

/** False when the claim vanished meanwhile. Throws when its holder lives. */
async function isFree(options: LockOptions, number: number): Promise<boolean> {
  const path = options.names.lock(number);
  const bytes = await readClaim(options.files, path);
  if (bytes === null) return false;
  const claim = decodeClaim(bytes);
  if (claim?.state === 'released') return true;
  const liveness = claim === null ? 'unknown' : await options.processes.liveness(claim);
  if (liveness === 'dead') return true;
  if (liveness === 'unknown' && !(await answers(options, number))) return true;
  throw inUse(options, claim);
}

function inUse({ names }: Pick<LockOptions, 'names'>, claim: Claim | null): StatusdError {
  const who = claim === null ? '' : ` (pid ${claim.pid}, since ${instantText(claim.since)})`;
  return new StatusdError(
    'store_in_use',
    `the database ${names.snapshot} is in use by another statusd${who}`,
    {
      hint: 'Stop that one first, or give this one a server.database_path of its own.',
    },
  );
}

/**
 * Asks a holder whose process cannot be seen from here: it takes the question away, which also works on a disk
 * without any space left.
 */
async function answers({ files, names, clock }: LockOptions, number: number): Promise<boolean> {
  const question = askPath(names, number);
  try {
    await (await files.open(question, 'create')).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const asked = await files.facts(question);
  const deadline = clock.monotonic() + answerMs;
  while (clock.monotonic() < deadline) {
    await clock.sleep(lookAgainMs);
    const now = await files.facts(question);
    if (now?.inode !== asked?.inode) return true;
  }
  await files.remove(question);
  return false;
}

function askPath(names: Names, number: number): string {
  return `${names.lock(number)}.ask`;
}

/** False when another process was faster. */
async function linkClaim({ files, names }: LockOptions, claim: Claim, number: number): Promise<boolean> {
  const temporary = names.temporary();
  await writeTemporary(files, temporary, { parts: [encodeClaim(claim)], isDurable: false });
  try {
    await files.link(temporary, names.lock(number));
    return true;
  } catch (error) {
    // A daemon that just took the lock sweeps temporary files away, ours included.
    if (systemCode(error) === 'EEXIST' || systemCode(error) === 'ENOENT') return false;
    throw error;
  } finally {
    await files.remove(temporary);
  }
}

async function removeBelow({ files, names }: LockOptions, number: number): Promise<void> {
  for (const lower of names.lockNumbers(await files.list(names.directory))) {
    if (lower >= number) continue;
    await files.remove(names.lock(lower));
    await files.remove(askPath(names, lower));
  }
}

function heldLock(options: LockOptions, claim: Claim, number: number): TakenLock {
  const { files, names } = options;
  const path = names.lock(number);
  const release = async () => {
    const temporary = names.temporary();
    await writeTemporary(files, temporary, {
      parts: [encodeClaim({ ...claim, state: 'released' })],
      isDurable: false,
    });
    if ((await highestNumber(options)) === number) await files.rename(temporary, path);
    else await files.remove(temporary);
  };
  return {
    renew: async () => {
      const entries = await files.list(names.directory);
      const highest = names.lockNumbers(entries).at(-1) ?? 0;
      if (highest > number) return false;
      if (entries.includes(basename(askPath(names, number)))) await files.remove(askPath(names, number));
      if (highest === number) return true;
      // It was deleted by hand, or by a later holder.
      return highest === 0 && linkClaim(options, claim, number);
    },
    release,
    withdraw: () => (number === 1 ? files.remove(path) : release()),
  };
}

/** The bytes of the claim at `path`; null when there is none. */
export async function readClaim(files: Files, path: string): Promise<Buffer | null> {
  try {
    const file = await files.open(path, 'read');
    try {
      const bytes = Buffer.alloc(maxClaimBytes);
      return bytes.subarray(0, await file.read(bytes, 0));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
