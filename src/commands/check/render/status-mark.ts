/** Gives a status its shape, word and colour, so that none of the three is needed alone. */
import type { Paint } from '../../terminal/colour.ts';
import type { CheckStatus } from '../report.ts';

export function paintStatus(status: CheckStatus, paint: Paint): (text: string) => string {
  switch (status) {
    case 'up':
      return paint.green;
    case 'degraded':
      return paint.yellow;
    case 'down':
      return paint.red;
    case 'unknown':
      return paint.cyan;
    case 'skipped':
      return paint.dim;
    default:
      return paint.dim;
  }
}
