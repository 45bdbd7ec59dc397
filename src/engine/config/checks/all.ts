/** Everything that must hold between settings. */
import type { ConfigDraft } from '../draft.ts';
import { warning, type ConfigFinding } from '../finding.ts';
import { checkAccess } from './access.ts';
import { checkCycles } from './cycles.ts';
import { checkMonitor } from './monitors.ts';
import { checkNames } from './names.ts';
import { checkPeers } from './peers.ts';
import { checkTime } from './time.ts';

/** The findings of all checks. Settings that are wrong in themselves are missing from the draft, and not judged again. */
export function* checkDraft(draft: ConfigDraft): Generator<ConfigFinding> {
  if (draft.monitors.length === 0)
    yield warning(['monitors'], 'is empty: nothing is watched', 'add a [[monitors]] table');
  for (const [index, monitor] of draft.monitors.entries()) yield* checkMonitor(monitor, ['monitors', index]);
  yield* checkNames(draft);
  yield* checkCycles(draft);
  yield* checkAccess(draft);
  yield* checkTime(draft);
  yield* checkPeers(draft);
}
