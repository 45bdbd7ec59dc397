/** Words a standstill of this process for the log. */
import { latencyText } from '../../core/duration.ts';
import type { Standstill } from './standstill.ts';
import type { LogEntry } from '../../core/log.ts';

/** `wasSet`: the clock moved because it was set, not because the machine slept. */
export function gapLine(gap: Exclude<Standstill, { readonly kind: 'none' }>, wasSet: boolean): LogEntry {
  switch (gap.kind) {
    case 'stood_still': {
      const lostSecs = inSecs(gap.lostMs);
      const message = `this process stood still for ${latencyText(gap.lostMs)}; what failed meanwhile is not counted`;
      return { level: 'warning', event: 'node.stood_still', message, fields: { lost_secs: lostSecs } };
    }
    case 'clock_moved': {
      const bySecs = inSecs(gap.byMs);
      const message = wasSet
        ? `the clock was set ${gap.byMs < 0 ? 'back' : 'forward'} by ${latencyText(Math.abs(gap.byMs))}; what waits or is open keeps its time`
        : `the machine slept for ${latencyText(gap.byMs)}; what failed meanwhile is not counted`;
      return { level: 'warning', event: 'node.clock_moved', message, fields: { by_secs: bySecs } };
    }
  }
}

function inSecs(ms: number): number {
  return Math.round(ms / 100) / 10;
}
