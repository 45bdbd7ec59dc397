/** Whether windows of time are the right way round. */
import type { Draft } from '../draft.ts';
import { failure, type Finding } from '../finding.ts';

export function* checkTime({ maintenance }: Draft): Generator<Finding> {
  for (const [index, { start, end }] of maintenance.entries()) {
    if (start !== undefined && end !== undefined && start >= end) {
      yield failure(['maintenance', index, 'end'], 'must be after start', 'swap the two, or mend the day');
    }
  }
}
