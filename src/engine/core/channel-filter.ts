/** What a channel takes of what `notify` leads to it, by its filters. */
import { type Severity, severities } from './alert-names.ts';
import { inWords } from './words.ts';

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
export function takes(filter: ChannelFilter, said: FilteredMessage): boolean {
  return refusalOf(filter, said) === null;
}

/** Which filter of a channel leaves a message out, as the end of a sentence about the channel; null: none does. */
export function refusalOf(
  { events, min_severity, monitors, groups }: ChannelFilter,
  said: FilteredMessage,
): string | null {
  const { event, monitor } = said;
  if (events !== null && !events.includes(event))
    return `takes ${inWords(events)} (events); this is ${event}`;
  const grade = gradeOf(said);
  if (severities.indexOf(grade) < severities.indexOf(min_severity)) {
    const least = min_severity === 'critical' ? 'critical only' : `${min_severity} and above`;
    return `takes ${least} (min_severity); this is ${grade}`;
  }
  if (monitor === null || (monitors === null && groups === null)) return null;
  const { id, group } = monitor;
  if (monitors?.includes(id) === true || (group !== null && groups?.includes(group) === true)) return null;
  const lists = [...(monitors === null ? [] : ['monitors']), ...(groups === null ? [] : ['groups'])];
  return `takes what its ${lists.join(' and ')} list; ${id} is not among that`;
}

/** Events about an outage, or about a time without checks, which of a critical monitor are critical. */
const lifted: ReadonlySet<string> = new Set(['down', 'unstable', 'reminder', 'recovered', 'unknown']);

/** The severity that counts: a message about the outage of a critical monitor is critical. */
export function gradeOf({ event, severity, monitor }: FilteredMessage): Severity {
  return lifted.has(event) && monitor?.critical === true ? 'critical' : severity;
}
