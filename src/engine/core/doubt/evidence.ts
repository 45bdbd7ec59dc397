/** What the result of a check says of the network between here and the target. */
import type { Category, ProbeResult } from '../probe.ts';

/** `answered`: something was there, whatever it said. `failed`: nothing came back. */
export type Evidence = 'answered' | 'failed';

const transport: readonly Category[] = ['timeout', 'dns', 'connection'];

/**
 * Null when it says nothing: a fault of this host. A failure after the connection stood is the target's own: a
 * server that hangs was reached. `isProxied`: the connection is one to a proxy, and says nothing of what lies beyond.
 */
export function evidenceOf(
  { outcome, reason, timings }: ProbeResult,
  { isProxied }: { readonly isProxied: boolean },
): Evidence | null {
  switch (outcome) {
    case 'unknown':
      return null;
    case 'healthy':
    case 'degraded':
      return 'answered';
    case 'failed':
      return reason !== null &&
        transport.includes(reason.category) &&
        (timings.connectMs === null || isProxied)
        ? 'failed'
        : 'answered';
  }
}
