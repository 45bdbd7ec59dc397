/** The time since a monitor's latest sample, which no rollup holds yet. */
import type { SampleOwner } from '../samples/owner.ts';
import type { SecondsSpan } from '../samples/stored.ts';
import type { ByStatus } from '../samples/tally.ts';

/** Whether the latest sample covers any of the seconds of `span`. */
export function countsWithin(tail: SampleOwner['tail'], { fromSecs, toSecs }: SecondsSpan): boolean {
  if (tail === null) return false;
  const at = tail.at / 1000;
  return Math.min(toSecs, at + tail.holdSecs) > Math.max(fromSecs, at);
}

/** Credits the seconds of `span` that the owner's latest sample covers. The span must end by now. */
export function addTail(secs: ByStatus, tail: SampleOwner['tail'], span: SecondsSpan): void {
  if (tail === null) return;
  const from = Math.max(span.fromSecs, tail.at / 1000);
  const to = Math.min(span.toSecs, tail.at / 1000 + tail.holdSecs);
  if (to > from) secs[tail.status] += to - from;
}
