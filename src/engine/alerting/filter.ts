/** Decides what a channel takes of what notify leads to it, and what passes its quiet hours. */
import type { Channel, Monitor } from '../config/config.ts';
import { type Severity, severities } from '../core/alert-names.ts';
import { quietUntil } from '../core/quiet-hours.ts';
import { type AlertEvent, type EventName, eventRow, queuedNoticeOf, severityOf } from './events/catalogue.ts';
import { outageEventOf } from './events/outage.ts';
import type { Decide } from './intent.ts';
import { because } from './reasons.ts';
import { type Roster, routeOf } from './route.ts';

/** What is to be said, as far as a filter looks at it. */
export interface Said {
  readonly event: EventName;
  readonly severity: Severity;
  /** Null: it is about no monitor. */
  readonly monitor: Pick<Monitor, 'id' | 'group' | 'critical'> | null;
}

type Filter = Pick<Channel, 'name' | 'events' | 'min_severity' | 'monitors' | 'groups'>;

/** Whether a channel takes it. What is about no monitor passes `monitors` and `groups`. */
export function takes({ events, min_severity, monitors, groups }: Filter, said: Said): boolean {
  const { event, monitor } = said;
  if (events !== null && !events.includes(event)) return false;
  if (severities.indexOf(gradeOf(said)) < severities.indexOf(min_severity)) return false;
  if (monitor === null || (monitors === null && groups === null)) return true;
  const { id, group } = monitor;
  return monitors?.includes(id) === true || (group !== null && groups?.includes(group) === true);
}

/** The severity that counts: what is about the outage of a critical monitor is critical. */
function gradeOf({ event, severity, monitor }: Said): Severity {
  const isOutage = event === 'down' || event === 'reminder' || event === 'recovered';
  return isOutage && monitor?.critical === true ? 'critical' : severity;
}

export interface Routed {
  readonly channels: readonly string[];
  /** Those that notify leads to, and that do not take it. */
  readonly filtered: readonly string[];
}

/** The channels that something goes to at an instant (epoch ms), by `notify` (null: all) and their filters. */
export function routed(
  notify: readonly string[] | null,
  roster: Roster<Filter>,
  { at, ...said }: Said & { readonly at: number },
): Routed {
  const names = routeOf(notify, roster, at);
  const all = roster.channels.filter(({ name }) => names.includes(name));
  return {
    channels: all.flatMap((channel) => (takes(channel, said) ? [channel.name] : [])),
    filtered: all.flatMap((channel) => (takes(channel, said) ? [] : [channel.name])),
  };
}

/** A decision for each channel that does not take it. */
export function filteredDecisions(
  filtered: readonly string[],
  about: Pick<Decide, 'monitor' | 'incident' | 'event'>,
): readonly Decide[] {
  return filtered.map((channel) => ({
    kind: 'decide',
    ...about,
    channel,
    verdict: 'spared',
    ...because('filtered'),
  }));
}

/** The event and the severity of what begins, or is sent as it is. */
export function saidOf(event: AlertEvent): Pick<Said, 'event' | 'severity'> {
  if (event.kind in outageEventOf) {
    const name = outageEventOf[event.kind as keyof typeof outageEventOf];
    return { event: name, severity: severityOf(name, null) };
  }
  const notice = queuedNoticeOf(event as Parameters<typeof queuedNoticeOf>[0]);
  return { event: notice.event, severity: severityOf(notice.event, notice.payload) };
}

export type Quieted =
  | { readonly kind: 'open' }
  /** `isDropping`: it is dropped where it is over by then. */
  | { readonly kind: 'hold'; readonly untilAt: number; readonly isDropping: boolean }
  | { readonly kind: 'drop' };

/**
 * Whether the quiet hours of a channel keep a message back. What is critical passes. With `drop` what outlasts them is
 * held, too; an outage is dropped when it is over by the end of them.
 */
export function quieted(
  { quiet_hours, timezone, quiet }: Pick<Channel, 'quiet_hours' | 'timezone' | 'quiet'>,
  said: Said,
  nowAt: number,
): Quieted {
  const untilAt = quiet_hours === null ? null : quietUntil(quiet_hours, timezone, nowAt);
  if (untilAt === null || gradeOf(said) === 'critical') return { kind: 'open' };
  const isHeld = quiet === 'hold' || eventRow(said.event).outlastsQuietHours === true;
  return isHeld ? { kind: 'hold', untilAt, isDropping: quiet === 'drop' } : { kind: 'drop' };
}
