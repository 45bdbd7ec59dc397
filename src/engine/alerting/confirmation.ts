/** Says how an outage or a degradation was confirmed. */
import type { Why } from '../monitoring/confirm/transition.ts';

/** `3 failed checks in a row`, for people. */
export function confirmationOf(why: Why): string {
  switch (why.kind) {
    case 'failing':
      return why.count === 1 ? 'one failed check' : `${why.count} failed checks in a row`;
    case 'unknown':
      return why.count === 1
        ? 'one check that could not be made'
        : `${why.count} checks in a row that could not be made`;
    case 'missed':
      return 'a heartbeat that did not come in time';
    case 'slow':
      return why.count === 1 ? 'one degraded check' : `${why.count} degraded checks`;
    case 'healthy':
    case 'late':
    case 'recovering':
    case 'down':
    case 'degraded':
      return '';
  }
}
