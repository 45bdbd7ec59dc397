/** Says how everything is, in one word and one phrase. */
import { rfc3339 } from '../core/instant.ts';
import type { Status } from '../core/status.ts';
import { shortTimeText } from './page-wording.ts';

export interface Overall {
  readonly overall: Status;
  readonly overall_label: string;
}

/** Since when the network of this node is doubted, where it is, and the present. Epoch ms. */
export interface NetworkLoss {
  readonly sinceAt: number | null;
  readonly nowAt: number;
}

/**
 * The worst of what is known; `unknown` only when nothing is, or when this node cannot see its targets: what was known
 * before that is no news of today.
 */
export function overallOf(
  statuses: readonly Status[],
  { sinceAt, nowAt }: NetworkLoss = { sinceAt: null, nowAt: 0 },
): Overall {
  const has = (status: Status) => statuses.includes(status);
  if (has('down')) {
    const isAll = statuses.every((status) => status === 'down');
    return { overall: 'down', overall_label: isAll ? 'Major outage' : 'Partial outage' };
  }
  if (sinceAt !== null && has('unknown')) {
    const since = shortTimeText(rfc3339(sinceAt), rfc3339(nowAt));
    return { overall: 'unknown', overall_label: `Unknown: this node cannot see its targets since ${since}` };
  }
  if (has('degraded')) return { overall: 'degraded', overall_label: 'Degraded performance' };
  if (!has('up')) {
    return { overall: 'unknown', overall_label: statuses.length === 0 ? 'No monitors' : 'No data yet' };
  }
  return {
    overall: 'up',
    overall_label: has('unknown') ? 'Operational, as far as is known' : 'All systems operational',
  };
}
