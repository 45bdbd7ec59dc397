/** Says how everything is, in one word and one phrase. */
import type { Status } from '../core/status.ts';

export interface Overall {
  readonly overall: Status;
  readonly overall_label: string;
}

/** The worst of what is known; `unknown` only when nothing is. */
export function overallOf(statuses: readonly Status[]): Overall {
  const has = (status: Status) => statuses.includes(status);
  if (has('down')) {
    const isAll = statuses.every((status) => status === 'down');
    return { overall: 'down', overall_label: isAll ? 'Major outage' : 'Partial outage' };
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
