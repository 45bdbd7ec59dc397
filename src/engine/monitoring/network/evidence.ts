/** What the result of a check proves about the network between this node and the target. */
import type { Category, ProbeResult } from '../../core/probe.ts';

/** `answered`: something was there, whatever it said, a refusal included. `failed`: nothing came back. */
export type Evidence = 'answered' | 'failed';

/** How a proxy puts it that it did not reach the target. */
const transport: readonly Category[] = ['timeout', 'dns', 'connection'];

/**
 * Null when it says nothing: a fault of this host. A failure after the connection stood is the target's own: a
 * server that hangs was reached. `isProxied`: the connection is one to a proxy, so that it says nothing of what lies
 * beyond; and what a proxy on this machine says of the target, it says from here.
 */
export function evidenceOf(
  { outcome, reason, timings, isSilence = false, isOwnAddress = false }: ProbeResult,
  { isProxied }: { readonly isProxied: boolean },
): Evidence | null {
  const wasReached = timings.connectMs !== null && !isProxied;
  switch (outcome) {
    case 'unknown':
      return isSilence && !wasReached ? 'failed' : null;
    case 'healthy':
    case 'degraded':
      return 'answered';
    case 'failed': {
      const isSaidFromHere =
        isProxied && isOwnAddress && reason !== null && transport.includes(reason.category);
      return isSaidFromHere || (isSilence && !wasReached) ? 'failed' : 'answered';
    }
  }
}
