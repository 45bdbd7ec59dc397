/** The links in a message: the page of its subject, and the one to acknowledge it. */
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import { type EventName, eventRow } from '../../engine/alerting/events/catalogue.ts';
import { ackTokenOf } from '../../engine/operations/acknowledge.ts';
import type { DeliveryContext } from './context.ts';

interface LinkedDelivery {
  readonly row: DeliveryRow;
  readonly event: EventName;
}

/** The page of the incident; without one that of the monitor; of what is neither, the whole page. Null: no base_url. */
export function linkOf(
  { row, event }: LinkedDelivery,
  { settings, incident }: DeliveryContext,
): string | null {
  const base = settings.config.server.base_url;
  if (base === null) return null;
  const isIncident = row.incident !== null && (event === 'incident' || incident(row.incident) !== null);
  const isOfMonitor = eventRow(event).subject === 'monitor' && row.monitor !== null;
  if (isIncident && (isOfMonitor || event === 'incident'))
    return `${base}/incidents/${encodeURIComponent(row.incident)}`;
  return isOfMonitor && settings.monitors.has(row.monitor)
    ? `${base}/monitor/${encodeURIComponent(row.monitor)}`
    : base;
}

/** Null: there is nothing to acknowledge, or no address that leads here. */
export function ackLinkOf(
  { row }: Pick<LinkedDelivery, 'row'>,
  { settings, incident, linkKey, nowAt }: DeliveryContext,
): string | null {
  const { base_url } = settings.config.server;
  if (base_url === null || row.incident === null) return null;
  const about = incident(row.incident);
  const key = linkKey();
  if (about === null || about.endedAt !== null || about.acknowledged !== null || key === null) return null;
  return `${base_url}/ack/${ackTokenOf(key, row.deliveryId, nowAt)}`;
}
