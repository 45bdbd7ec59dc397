/** Whether windows of time are the right way round. */
import type { ConfigDraft } from '../draft.ts';
import { failure, type ConfigFinding } from '../finding.ts';

export function* checkTime({ maintenance }: ConfigDraft): Generator<ConfigFinding> {
  for (const [index, { start, end }] of maintenance.entries()) {
    if (start !== undefined && end !== undefined && start >= end) {
      yield failure(['maintenance', index, 'end'], 'must be after start', 'swap the two, or mend the day');
    }
  }
}
