/**
 * Leaves out of a history what cannot matter to its outages: the inside of long runs of answers.
 *
 * A month is replayed under a dozen thresholds, and nearly all of it is a monitor that answers. A slow answer counts
 * neither for nor against an outage more than a fast one does. After as many in a row as recover_threshold asks for,
 * nothing is being counted; from there on only the last one before something else happens is needed, because it says
 * when the monitor was last known.
 */
import type { CheckPolicy } from '../../core/sample.ts';
import { marks, type SampleHistory } from '../../core/sample-history.ts';

/**
 * A history with the same outages under every policy of this `forgetAfterMs`, of a `recoverThreshold` up to this
 * one, and without a limit.
 */
export function eventful(
  { ats, latencies, marks: found }: SampleHistory,
  { recoverThreshold, forgetAfterMs }: Pick<CheckPolicy, 'recoverThreshold' | 'forgetAfterMs'>,
): SampleHistory {
  const longestStepMs = forgetAfterMs ?? Infinity;
  const kept: number[] = [];
  let inRow = 0;
  let before = 0;
  for (let index = 0; index < ats.length; index++) {
    const at = ats[index] ?? 0;
    const isAnswer = found[index] === marks.answered;
    const isInRow = isAnswer && at - before <= longestStepMs;
    if (!isInRow && inRow > recoverThreshold) kept.push(index - 1);
    if (isInRow) inRow += 1;
    else inRow = isAnswer ? 1 : 0;
    if (inRow <= recoverThreshold) kept.push(index);
    before = at;
  }
  if (inRow > recoverThreshold) kept.push(ats.length - 1);
  return {
    ats: Float64Array.from(kept, (index) => ats[index] ?? 0),
    latencies: Float64Array.from(kept, (index) => latencies[index] ?? Number.NaN),
    marks: Uint8Array.from(kept, (index) => found[index] ?? marks.unknown),
  };
}
