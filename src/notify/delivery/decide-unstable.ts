/** Decides about the single outages of a monitor that is unstable, and of what depends on it. */
import { copiesOf } from '../../engine/alerting/copies.ts';
import { type OutageEvent, unstableEpisodeOf } from '../../engine/alerting/events/outage.ts';
import type { OutagePayload } from '../../engine/alerting/events/outage-payload.ts';
import { reasons } from '../../engine/alerting/reasons.ts';
import { upstreams } from '../../engine/core/graph.ts';
import { instantText } from '../../engine/core/instant.ts';
import { toldAllTheSameMs } from '../../engine/monitoring/confirm/unstable.ts';
import type { DeliveryContext } from './context.ts';
import type { DeliveryDecision } from './decision.ts';
import { isForNobody } from './open-outages.ts';
import type { PendingDelivery } from './outbox-cache.ts';

interface OutageMessage extends PendingDelivery {
  readonly payload: OutagePayload;
  readonly event: OutageEvent;
  readonly monitor: string;
}

/** Whether the episode that a message is filed under lasts. */
export function isUnstable(
  { incident }: Pick<PendingDelivery['row'], 'incident'>,
  monitor: string,
  { stabilityOf }: Pick<DeliveryContext, 'stabilityOf'>,
): boolean {
  const { unstable } = stabilityOf(monitor);
  return unstable !== null && unstableEpisodeOf(monitor, unstable.startedAt) === incident;
}

/**
 * Single outages of an unstable monitor are gathered in the message that it is unstable, on the channels that have that one
 * or are certain to get it; so are those of its dependents that it may explain, unless they are critical. An outage that
 * lasts is told all the same.
 */
export function gathered(
  { row, payload, event, monitor }: OutageMessage,
  context: DeliveryContext,
): DeliveryDecision | null {
  const { nowAt, settings, recoveredAt } = context;
  const untilAt = payload.startedAt + toldAllTheSameMs;
  const isOn = settings.config.alerts.unstable && settings.windowMs > 0;
  if (event !== 'down' || !isOn || nowAt >= untilAt || copiesOf(row.payload) !== null) return null;
  const isCritical = settings.monitors.get(monitor)?.critical === true;
  const above = isCritical ? [] : upstreams(settings.graph, monitor);
  const mayExplain = (id: string) =>
    context.outages().has(id) || (recoveredAt(id) ?? -Infinity) > payload.startedAt;
  const unstable = [monitor, ...above.filter(mayExplain)].find((id) =>
    isToldUnstable(id, row.channel, context),
  );
  if (unstable === undefined) return null;
  const stands =
    unstable === monitor
      ? reasons.unstable
      : `${settings.names.get(unstable) ?? unstable}, which it depends on, is unstable; the message that says so stands for this.`;
  return {
    kind: 'hold',
    untilAt,
    hold: { reason: 'unstable', by: unstable === monitor ? null : unstable },
    detail: `${stands} It is sent when it lasts until ${instantText(untilAt)}.`,
  };
}

/** Whether a channel has the message that a monitor is unstable, which lasts, or is certain to get it. */
function isToldUnstable(
  monitor: string,
  channel: string,
  { stabilityOf, alertsOf }: DeliveryContext,
): boolean {
  const { unstable } = stabilityOf(monitor);
  if (unstable === null) return false;
  return alertsOf(unstableEpisodeOf(monitor, unstable.startedAt), 'unstable').some(
    (row) =>
      row.channel === channel &&
      (row.state === 'sent' || (row.state === 'waiting' && !isForNobody(row.payload))),
  );
}
