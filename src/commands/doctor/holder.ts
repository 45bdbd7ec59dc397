/** Finds the daemon that uses a database, without disturbing it. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nodeFiles } from '../../db/store/files/node.ts';
import { namesOf } from '../../db/store/files/names.ts';
import { decodeClaim } from '../../db/store/lock/claim.ts';
import { systemProcesses } from '../../db/store/lock/processes.ts';

export interface Holder {
  readonly pid: number;
  readonly sinceAt: number;
  /** It runs in another container or on another host, so whether it lives cannot be seen from here. */
  readonly isElsewhere: boolean;
}

/** Null: no daemon has it. */
export async function holderOf(file: string): Promise<Holder | null> {
  const path = await nodeFiles.resolve(file);
  const names = namesOf(path);
  try {
    const number = names.lockNumbers(await nodeFiles.list(dirname(path))).at(-1);
    if (number === undefined) return null;
    const claim = decodeClaim(await readFile(names.lock(number)));
    if (claim === null || claim.state === 'released') return null;
    const liveness = await systemProcesses.liveness(claim);
    if (liveness === 'dead') return null;
    return { pid: claim.pid, sinceAt: claim.since, isElsewhere: liveness === 'unknown' };
  } catch {
    return null;
  }
}
