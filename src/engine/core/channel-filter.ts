/** What a channel takes of what `notify` leads to it, by its filters. */
import { type Severity, severities } from './alert-names.ts';

/** What is to be said, as far as a filter looks at it. */
export interface FilteredMessage<Event extends string = string> {
  readonly event: Event;
  readonly severity: Severity;
  /** Null: it is about no monitor. */
  readonly monitor: {
    readonly id: string;
    readonly group: string | null;
    readonly critical: boolean;
  } | null;
}

export interface ChannelFilter {
  readonly events: readonly string[] | null;
  readonly min_severity: Severity;
  readonly monitors: readonly string[] | null;
  readonly groups: readonly string[] | null;
}

/** Whether a channel takes it. What is about no monitor passes `monitors` and `groups`. */
export function takes(
  { events, min_severity, monitors, groups }: ChannelFilter,
  said: FilteredMessage,
): boolean {
  const { event, monitor } = said;
  if (events !== null && !events.includes(event)) return false;
  if (severities.indexOf(gradeOf(said)) < severities.indexOf(min_severity)) return false;
  if (monitor === null || (monitors === null && groups === null)) return true;
  const { id, group } = monitor;
  return monitors?.includes(id) === true || (group !== null && groups?.includes(group) === true);
}

/** The severity that counts: what is about the outage of a critical monitor is critical. */
export function gradeOf({ event, severity, monitor }: FilteredMessage): Severity {
  const isOutage = event === 'down' || event === 'reminder' || event === 'recovered';
  return isOutage && monitor?.critical === true ? 'critical' : severity;
}
