/** Words the transitions of monitors for the log. */
import { durationText, latencyText, shownSpanSecs } from '../core/duration.ts';
import type { Transition } from './confirm/transition.ts';
import type { LogEntry } from '../core/log.ts';
import { problemOf, remedyOf } from '../core/own-fault.ts';
import { cleanLine } from '../core/text.ts';
import { counted } from '../core/words.ts';
import { instabilityText, type UnstableConfirmed, type UnstableEnded } from '../alerting/events/outage.ts';
import type { Observation } from './observation.ts';
import type { WatchedMonitor } from './watched-monitor.ts';

/** The line of a transition. */
export function logLineOf(
  transition: Exclude<Transition, { readonly kind: 'status_changed' }>,
  { watched, seen }: { readonly watched: WatchedMonitor; readonly seen: Observation },
): LogEntry {
  const { id } = watched;
  const reason = seen.reason === null ? null : cleanLine(seen.reason.message);
  switch (transition.kind) {
    case 'incident_opened':
      return {
        level: 'warning',
        event: 'monitor.down',
        message: `${id} is down${reason === null ? '' : `: ${reason}`}`,
        fields: { monitor: id, category: seen.reason?.category ?? null, reason },
      };
    case 'incident_closed': {
      const downSecs = secsBetween(transition);
      return {
        level: 'info',
        event: 'monitor.recovered',
        message: `${id} is up again after ${durationText(downSecs * 1000)}`,
        fields: { monitor: id, down_secs: downSecs },
      };
    }
    case 'unknown_confirmed': {
      const { ownFault } = transition;
      return {
        level: 'error',
        event: 'monitor.unchecked',
        message: `${id} cannot be checked, ${problemOf(ownFault)}. ${remedyOf(ownFault)}.`,
        fields: { monitor: id, own_fault: ownFault, reason },
      };
    }
    case 'unknown_ended': {
      const uncheckedSecs = secsBetween(transition);
      return {
        level: 'info',
        event: 'monitor.checked_again',
        message: `${id} can be checked again after ${durationText(uncheckedSecs * 1000)}`,
        fields: { monitor: id, unchecked_secs: uncheckedSecs },
      };
    }
    case 'degraded_confirmed': {
      const { latencyMs } = seen;
      const why = reason ?? (latencyMs === null ? null : `it took ${latencyText(latencyMs)}`);
      return {
        level: 'info',
        event: 'monitor.degraded',
        message: `${id} is degraded${why === null ? '' : `: ${why}`}`,
        fields: { monitor: id, latency_ms: latencyMs === null ? null : Math.round(latencyMs), reason },
      };
    }
    case 'degraded_ended': {
      const degradedSecs = secsBetween(transition);
      return {
        level: 'info',
        event: 'monitor.degraded_ended',
        message: `${id} is no longer degraded after ${durationText(degradedSecs * 1000)}`,
        fields: { monitor: id, degraded_secs: degradedSecs, by: transition.by },
      };
    }
  }
}

/** The line of what becomes unstable, or is stable again. */
export function stabilityLineOf(id: string, event: UnstableConfirmed | UnstableEnded): LogEntry {
  if (event.kind === 'unstable_confirmed')
    return {
      level: 'warning',
      event: 'monitor.unstable',
      message: `${id} is unstable: ${instabilityText(event)}`,
      fields: { monitor: id, outages: event.outages, down_percent: event.downPercent },
    };
  const unstableSecs = secsBetween(event);
  return {
    level: 'info',
    event: 'monitor.stable',
    message: `${id} is stable again after ${durationText(unstableSecs * 1000)} with ${counted(event.outages, 'outage')}`,
    fields: { monitor: id, unstable_secs: unstableSecs, outages: event.outages },
  };
}

/** A monitor that has another id since the last start or reload. */
export function renamedLine(from: string, to: string): LogEntry {
  return {
    level: 'info',
    event: 'monitor.renamed',
    message: `${from} was renamed to ${to}: its history and its incident are kept`,
    fields: { monitor: to, from },
  };
}

function secsBetween({ startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number }) {
  return shownSpanSecs(startedAt, endedAt);
}
