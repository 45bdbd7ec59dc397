/** Decides about a reminder: over, acknowledged, not due yet, muted, covered by another message, or sent. */
import { readReminder } from '../../engine/alerting/events/reminder.ts';
import { upstreams } from '../../engine/core/graph.ts';
import { durationText } from '../../engine/core/duration.ts';
import { repeatMsOf } from './context.ts';
import type { DeliveryContext } from './context.ts';
import { overdue } from './decide-outage.ts';
import { alone, type DeliveryDecision, muted, suppress, wait } from './decision.ts';
import { unroutedWhy, relievedBy } from './route-outage.ts';
import type { PendingDelivery } from './outbox-cache.ts';

export function decideReminder(pending: PendingDelivery, context: DeliveryContext): DeliveryDecision {
  const { row } = pending;
  const { nowAt, settings } = context;
  const payload = readReminder(row.payload);
  const incident = row.incident === null ? null : context.incident(row.incident);
  if (payload === null || row.monitor === null) return suppress('unreadable');
  if (incident === null || incident.endedAt !== null) return suppress('over');
  // The reason changed: whoever was sent the outage is told, acknowledged or not.
  const isRepeated = payload.category === undefined;
  if (isRepeated && incident.acknowledged !== null) return suppress('acknowledged');
  if (isRepeated && repeatMsOf({ monitor: row.monitor, channel: row.channel }, settings) === null)
    return suppress('reminders_off');
  if (isRepeated && relievedBy({ channel: row.channel, monitor: row.monitor }, context) !== null)
    return suppress('off_call');
  if (nowAt < payload.dueAt)
    return {
      kind: 'hold',
      untilAt: payload.dueAt,
      hold: { reason: 'reminder', by: null },
      detail: `The next reminder is due in ${durationText(payload.dueAt - nowAt)}.`,
    };
  const about = { row, event: 'reminder', monitor: row.monitor } as const;
  return (
    unrouted({ ...about, incident: incident.uid }, context) ??
    muted(pending, 'reminder', context) ??
    overdue(about, context) ??
    covered(about, context) ??
    alone('reminder')
  );
}

interface About {
  readonly row: PendingDelivery['row'];
  readonly monitor: string;
}

/**
 * The channel left the route, and another one of the route knows of the outage. It waits, for a later load may lead there
 * again while the outage lasts.
 */
function unrouted(
  { row, incident }: About & { readonly incident: string },
  { nowAt, settings, alertsOf }: DeliveryContext,
): DeliveryDecision | null {
  const whyNot = (channel: string) => unroutedWhy({ row: { ...row, channel }, event: 'down' }, settings);
  const why = whyNot(row.channel);
  if (why === null) return null;
  const others = alertsOf(incident, 'down').filter(({ state }) => state === 'sent');
  if (!others.some(({ channel }) => whyNot(channel) === null)) return null;
  return wait({ reason: 'not_routed', by: null }, why, nowAt);
}

/** The channel is reminded of an upstream that is down, and that reminder names this too. */
function covered(
  { row: { channel }, monitor }: About,
  { nowAt, settings, outages, incident }: DeliveryContext,
): DeliveryDecision | null {
  const open = outages();
  const isReminded = (id: string) => {
    const upstream = open.get(id);
    if (upstream?.channels.get(channel)?.isSent !== true) return false;
    const isAcknowledged = (incident(upstream.uid)?.acknowledged ?? null) !== null;
    return !isAcknowledged && repeatMsOf({ monitor: id, channel }, settings) !== null;
  };
  const by = upstreams(settings.graph, monitor).find(isReminded);
  if (by === undefined) return null;
  const name = settings.names.get(by) ?? by;
  const detail = `The reminder of ${name}, which it depends on, names it too.`;
  return wait({ reason: 'folded', by }, detail, nowAt);
}
