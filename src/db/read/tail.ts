/** The time since a monitor's latest sample, which no rollup holds yet. */
import type { Owner } from '../samples/owner.ts';
import type { Span } from '../samples/stored.ts';
import type { ByStatus } from '../samples/tally.ts';

/** Credits the seconds of `span` that the owner's latest sample speaks for. The span must end by now. */
export function addTail(secs: ByStatus, tail: Owner['tail'], span: Span): void {
  if (tail === null) return;
  const from = Math.max(span.fromSecs, tail.at / 1000);
  const to = Math.min(span.toSecs, tail.at / 1000 + tail.holdSecs);
  if (to > from) secs[tail.status] += to - from;
}
