/** Explains in a sentence why a setting is recommended, or kept. */
import { durationText, millisecondsText } from '../../core/duration.ts';
import type { MonitorTuning } from './tuning.ts';
import { counted } from '../../core/words.ts';

export function thresholdWhy({ threshold, now, then, outages }: MonitorTuning): string {
  switch (threshold.reason) {
    case 'quieter':
      return `${now.flaps} of ${counted(now.alerts, 'alert')} ${now.flaps === 1 ? 'was a flap' : 'were flaps'}; ${then.flaps === 0 ? 'none' : then.flaps} would be left, and every outage is kept.`;
    case 'keeps_outages':
      return `${now.kept} of ${counted(outages, 'real outage')} ${now.kept === 1 ? 'is' : 'are'} notified now; ${then.kept} would be.`;
    case 'sooner':
      return `Outages would be notified ${durationText(gainOf(now.medianMs, then.medianMs))} sooner, without more flaps.`;
    case 'fits':
      return now.alerts === 0 && outages === 0
        ? 'Nothing happened that another threshold would handle better.'
        : 'It keeps every outage and hardly any flaps.';
    case 'as_good_as_it_gets':
      return 'No other threshold is quieter and keeps every outage in time.';
    case 'push':
      return 'Silence is judged by grace_secs, not by counting.';
    case 'too_little':
      return 'There is too little history for advice.';
  }
}

export function limitWhy({ limit, latency }: MonitorTuning): string {
  const now = limit.trials.find(({ limitMs }) => limitMs === limit.nowMs);
  switch (limit.reason) {
    case 'none_set':
      return `None is set; on a usual day 99.5 % of the answers take at most ${millisecondsText(latency?.usualMs ?? 0)}.`;
    case 'too_tight':
      return `The present limit means ${counted(now?.spells ?? 0, 'degraded spell')}, ${durationText(now?.spellMs ?? 0)} in all.`;
    case 'never_reached':
      return `No answer was ever slower than the present limit; ${millisecondsText(limit.trials.at(-1)?.limitMs ?? 0)} would be exceeded seldom too.`;
    case 'fits':
      return 'The present limit is exceeded seldom enough to mean something.';
    case 'no_latency':
      return 'No latency was measured.';
    case 'too_few':
      return 'Too few latencies were measured.';
    case 'too_erratic':
      return 'Its latency is too erratic for a limit to mean anything.';
    case 'beyond_timeout':
      return 'A limit that is seldom exceeded would lie beyond timeout_secs.';
    case 'too_little':
      return 'There is too little history for advice.';
  }
}

function gainOf(now: number | null, then: number | null): number {
  return (now ?? 0) - (then ?? 0);
}
