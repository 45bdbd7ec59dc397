/** Decides what a channel takes of what notify leads to it, and what passes its quiet hours. */
import type { Channel } from '../config/config.ts';
import type { Severity } from '../core/alert-names.ts';
import {
  type ChannelFilter,
  gradeOf,
  type FilteredMessage as FilteredSaid,
  refusalOf,
  takes,
} from '../core/channel-filter.ts';
import { quietUntil } from '../core/quiet-hours.ts';
import { type AlertEvent, type EventName, eventRow, queuedNoticeOf, severityOf } from './events/catalogue.ts';
import { outageEventOf } from './events/outage.ts';
import type { Decide } from './intent.ts';
import { type NotifyTargets, routeOf } from './route.ts';

type Said = FilteredSaid<EventName>;

type Filter = ChannelFilter & Pick<Channel, 'name'>;

/** A channel that does not take a message, and which filter of it leaves that out. */
interface Refusal {
  readonly channel: string;
  readonly why: string;
}

export interface Routed {
  readonly channels: readonly string[];
  /** Those that notify leads to, and that do not take it. */
  readonly filtered: readonly Refusal[];
}

/** The channels that something goes to at an instant (epoch ms), by `notify` (null: all) and their filters. */
export function routed(
  notify: readonly string[] | null,
  roster: NotifyTargets<Filter>,
  { at, ...said }: Said & { readonly at: number },
): Routed {
  const names = routeOf(notify, roster, at);
  const all = roster.channels.filter(({ name }) => names.includes(name));
  return {
    channels: all.flatMap((channel) => (takes(channel, said) ? [channel.name] : [])),
    filtered: all.flatMap((channel) => {
      const why = refusalOf(channel, said);
      return why === null ? [] : [{ channel: channel.name, why }];
    }),
  };
}

/** A decision for each channel that does not take it. */
export function filteredDecisions(
  filtered: readonly Refusal[],
  about: Pick<Decide, 'monitor' | 'incident' | 'event'>,
): readonly Decide[] {
  return filtered.map(({ channel, why }) => ({
    kind: 'decide',
    ...about,
    channel,
    verdict: 'spared',
    reason: 'filtered',
    detail: `${channel} ${why}.`,
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

function hidesOutages(event: EventName): boolean {
  return eventRow(event).hidesOutages === true;
}

/** The severity of an event: what hides outages is as grave as the gravest outage of any monitor would be. */
export function severityWithHidden(
  event: EventName,
  severity: Severity,
  monitors: readonly { readonly critical: boolean }[],
): Severity {
  if (!hidesOutages(event)) return severity;
  return monitors.some(({ critical }) => critical) ? 'critical' : severityOf('down', null);
}

export type QuietDecision =
  | { readonly kind: 'open' }
  /** `isDropping`: it is dropped where it is over by then. */
  | { readonly kind: 'hold'; readonly untilAt: number; readonly isDropping: boolean }
  | { readonly kind: 'drop' };

/**
 * Whether the quiet hours of a channel keep a message back. Critical messages pass, and those behind which outages may hide. With `drop` what outlasts them is
 * held, too; an outage is dropped when it is over by the end of them.
 */
export function quieted(
  { quiet_hours, timezone, quiet }: Pick<Channel, 'quiet_hours' | 'timezone' | 'quiet'>,
  said: Said,
  nowAt: number,
): QuietDecision {
  const untilAt = quiet_hours === null ? null : quietUntil(quiet_hours, timezone, nowAt);
  if (untilAt === null || gradeOf(said) === 'critical' || hidesOutages(said.event)) return { kind: 'open' };
  const isHeld = quiet === 'hold' || eventRow(said.event).outlastsQuietHours === true;
  return isHeld ? { kind: 'hold', untilAt, isDropping: quiet === 'drop' } : { kind: 'drop' };
}
