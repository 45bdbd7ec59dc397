/** Holds back the alerts of some monitors for a while: checked the same way for commands, HTTP and the live view. */
import { silences } from '../../db/tables/silences.ts';
import type { NumberedWrite } from '../../db/tables/numbered.ts';
import { boundedText } from '../core/text.ts';
import { durationArgument } from './arguments.ts';
import { limits } from './limits.ts';
import { namedMonitorsOrAll, refuseNobody, type Selectable } from './select-monitors.ts';

export interface SilenceRequest {
  /**
   * Words as typed: ids, names or groups, several between commas, or the word `all`; `all,all` is the monitor of that id.
   * May be empty where groups are named.
   */
  readonly monitors: readonly string[];
  readonly groups?: readonly string[];
  readonly duration: string;
  /** Empty: none. */
  readonly reason: string;
}

/** A request that is right in itself. */
export interface CheckedSilence {
  /** Words as typed. */
  readonly ids: readonly string[];
  readonly groups: readonly string[];
  readonly spanMs: number;
  readonly reason: string;
}

export interface StoredSilence {
  readonly id: number;
  /** In the order of the configuration; null: all. */
  readonly monitors: readonly string[] | null;
  readonly untilAt: number;
  readonly reason: string | null;
}

export interface SilenceInputs extends NumberedWrite {
  /** The monitors, then the peers by the ids under which they are watched, in the order of the configuration. */
  readonly known: readonly Selectable[];
  readonly nowAt: number;
  readonly redact: (text: string) => string;
}

/** Throws `usage`. */
export function checkSilence({ monitors, groups = [], duration, reason }: SilenceRequest): CheckedSilence {
  const spanMs = durationArgument(duration, {
    maxMs: limits.silenceMs,
    instead: 'What takes longer is maintenance: `statusd maintenance add`.',
  });
  refuseNobody({ ids: monitors, groups });
  return { ids: monitors, groups, spanMs, reason };
}

/** Resolves when it is durable. Throws `not_found` for what names nothing, `usage` for a name of several monitors. */
export async function createSilence(
  { ids, groups, spanMs, reason: given }: CheckedSilence,
  { known, nowAt, redact, write, identity }: SilenceInputs,
): Promise<StoredSilence> {
  const monitors = namedMonitorsOrAll(known, { ids, groups }, redact);
  const reason = boundedText(redact(given), limits.reason, ' ');
  const silence = { monitors, untilAt: nowAt + spanMs, reason: reason === '' ? null : reason };
  const id = await silences.create({ ...silence, createdAt: nowAt }, { write, identity });
  return { id, ...silence };
}
