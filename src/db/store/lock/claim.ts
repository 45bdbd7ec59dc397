/** What a daemon writes into its lock: enough for another process to find out whether it is alive. */
import {
  aNumber,
  aText,
  document,
  oneOf,
  orAbsent,
  orNull,
  parseJson,
  readAs,
} from '../../../engine/core/decode.ts';

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

/** No claim is longer. */
export const maxClaimBytes = 4096;

export function encodeClaim(claim: Claim): Buffer {
  return Buffer.from(`${JSON.stringify(claim)}\n`, 'utf8');
}

const aName = orAbsent(orNull(aText));
const aClaim = document({
  state: oneOf(['held', 'released']),
  token: aText,
  pid: aNumber,
  boot: aName,
  namespace: aName,
  started: aName,
  since: aNumber,
});

/** Null for anything that is not a whole claim, such as a file that lost its contents with the power. */
export function decodeClaim(bytes: Buffer): Claim | null {
  const claim = readAs(parseJson(bytes.toString('utf8')), aClaim);
  if (claim === null) return null;
  const { state, token, pid, since, boot = null, namespace = null, started = null } = claim;
  return { state, token, pid, since, boot, namespace, started };
}
