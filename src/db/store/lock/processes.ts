/** Asks the system who this process is and whether another one lives. */
import { readFile, readlink } from 'node:fs/promises';
import type { Claim } from './claim.ts';

export type ProcessIdentity = Pick<Claim, 'pid' | 'boot' | 'namespace' | 'started'>;

export interface Processes {
  readonly self: () => Promise<ProcessIdentity>;
  /** `unknown`: it was seen from another namespace or machine, or the system does not say. */
  readonly liveness: (identity: ProcessIdentity) => Promise<'alive' | 'dead' | 'unknown'>;
}

/** proc(5) where there is one; elsewhere only that a pid is gone can be known. */
export const systemProcesses: Processes = {
  self,
  liveness: async (identity) => {
    const here = await self();
    if (here.boot === null || identity.boot === null)
      return exists(identity.pid) ? 'unknown' : deadIfLocal(identity);
    // Another boot of this machine is over, but another machine may share the disk.
    if (identity.boot !== here.boot || identity.namespace !== here.namespace) return 'unknown';
    const stat = await processStat(identity.pid);
    if (stat === null) return exists(identity.pid) ? 'unknown' : 'dead';
    if (stat.isDefunct || stat.started !== identity.started) return 'dead';
    return 'alive';
  },
};

async function self(): Promise<ProcessIdentity> {
  const boot = await text('/proc/sys/kernel/random/boot_id');
  const namespace = await readlink('/proc/self/ns/pid').catch(() => null);
  const started = (await processStat(process.pid))?.started ?? null;
  return { pid: process.pid, boot, namespace, started };
}

/** Without a boot id a pid from another machine looks like one of ours, so only the answer to a question counts. */
function deadIfLocal(identity: ProcessIdentity): 'dead' | 'unknown' {
  return identity.boot === null && identity.namespace === null ? 'dead' : 'unknown';
}

interface ProcessStat {
  /** Field 22: clock ticks since boot. */
  readonly started: string;
  /** A process that ended and that its parent has not asked about yet. */
  readonly isDefunct: boolean;
}

async function processStat(pid: number): Promise<ProcessStat | null> {
  const stat = await text(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the program's name in parentheses, and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], fields[19]];
  if (state === undefined || started === undefined) return null;
  return { started, isDefunct: state === 'Z' || state === 'X' };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function text(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return null;
  }
}
