/** Holds back the alerts of some monitors for a while: checked the same way for commands, HTTP and the live view. */
import { silences } from '../../db/tables/silences.ts';
import type { NumberedWrite } from '../../db/tables/numbered.ts';
import { StatusdError } from '../core/errors.ts';
import { boundedText } from '../core/text.ts';
import { durationArgument } from './arguments.ts';
import { limits } from './limits.ts';
import { namedMonitors, type Selectable } from './select-monitors.ts';

export interface SilenceRequest {
  /**
   * As typed: ids, separated by commas, or the word `all`. A list: these ids, whatever they are called. May be empty where
   * groups are named.
   */
  readonly monitors: string | readonly string[];
  readonly groups?: readonly string[];
  readonly duration: string;
  /** Empty: none. */
  readonly reason: string;
}

/** A request that is right in itself. */
export interface CheckedSilence {
  /** Null: all. */
  readonly ids: readonly string[] | null;
  /** `all` is among the ids: everything, unless something is called that. */
  readonly isAllUnlessKnown: boolean;
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
  const isTyped = typeof monitors === 'string';
  const ids = (isTyped ? monitors.split(',') : monitors).map((id) => id.trim()).filter((id) => id !== '');
  if (ids.length + groups.length === 0) {
    throw new StatusdError('usage', 'no monitor is named', {
      hint: 'Name ids of monitors or peers, a group, or all.',
    });
  }
  const isAll = isTyped && ids.length === 1 && ids[0] === 'all';
  const isAllUnlessKnown = isTyped && ids.includes('all');
  return { ids: isAll ? null : ids, isAllUnlessKnown, groups, spanMs, reason };
}

/** Resolves when it is durable. Throws `not_found` for an id that is not known. */
export async function createSilence(
  { ids, isAllUnlessKnown, groups, spanMs, reason: given }: CheckedSilence,
  { known, nowAt, redact, write, identity }: SilenceInputs,
): Promise<StoredSilence> {
  const isAll = ids === null || (isAllUnlessKnown && !known.some(({ id }) => id === 'all'));
  const monitors = isAll ? null : namedMonitors(known, { ids, groups }, redact);
  const reason = boundedText(redact(given), limits.reason, ' ');
  const silence = { monitors, untilAt: nowAt + spanMs, reason: reason === '' ? null : reason };
  const id = await silences.create({ ...silence, createdAt: nowAt }, { write, identity });
  return { id, ...silence };
}
