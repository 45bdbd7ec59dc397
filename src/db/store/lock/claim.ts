/** What a daemon writes into its lock: enough for another process to find out whether it is alive. */

export interface Claim {
  readonly state: 'held' | 'released';
  /** Distinguishes one start of a daemon from another. */
  readonly token: string;
  readonly pid: number;
  /** One boot of one machine; null where the system does not say. */
  readonly boot: string | null;
  /** The PID namespace in which `pid` means something; null where the system does not say. */
  readonly namespace: string | null;
  /** When the process began, in the system's own count, so that another process with its pid is not taken for it. */
  readonly started: string | null;
  /** When the lock was taken, epoch ms. */
  readonly since: number;
}

export function encodeClaim(claim: Claim): Buffer {
  return Buffer.from(`${JSON.stringify(claim)}\n`, 'utf8');
}

/** Null for anything that is not a whole claim, such as a file that lost its contents with the power. */
export function decodeClaim(bytes: Buffer): Claim | null {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as Partial<Claim> | null;
    if (value?.state !== 'held' && value?.state !== 'released') return null;
    const { state, token, pid, since, boot = null, namespace = null, started = null } = value;
    if (token === undefined || pid === undefined || since === undefined) return null;
    return { state, token, pid, since, boot, namespace, started };
  } catch {
    return null;
  }
}
