/** An outage lasts that a channel was alerted of: nobody acknowledged it, or its reason changed. Instants are epoch ms. */
import { timestampText } from '../../core/instant.ts';
import { latestJson, type LatestReason } from '../../core/latest-reason.ts';
import { categories, type Category } from '../../core/probe.ts';
import { oneOf, readAs } from '../../core/decode.ts';
import type { Envelope, EventRow, Named } from './event.ts';
import { fieldsOf, namesJson, numberIn, type PayloadJson } from './stored.ts';

/** A reminder as the outbox keeps it. */
export interface ReminderPayload {
  readonly startedAt: number;
  /** When it is to be sent. */
  readonly dueAt: number;
  /** Of this outage, on this channel: 1 is the first. */
  readonly number: number;
  /** How long after the message before it that is. */
  readonly repeatMs: number;
  /** Why the outage lasts by now, where it reminds because that changed; absent: it reminds every `repeatMs`. */
  readonly category?: Category;
}

/** The payload of a `reminder` delivery; null when it is none. */
export function readReminder(payload: PayloadJson): ReminderPayload | null {
  const fields = fieldsOf(payload);
  const [startedAt, dueAt] = [numberIn(fields, 'startedAt'), numberIn(fields, 'dueAt')];
  const [number, repeatMs] = [numberIn(fields, 'number'), numberIn(fields, 'repeatMs')];
  if (startedAt === null || dueAt === null || number === null || repeatMs === null) return null;
  const category = readAs(fields['category'], oneOf(categories));
  return { startedAt, dueAt, number, repeatMs, ...(category !== null && { category }) };
}

/** Whether a delivery is sent because the reason of an acknowledged outage changed. */
export function isOfReason({
  event,
  payload,
}: {
  readonly event: string;
  readonly payload: PayloadJson;
}): boolean {
  return event === 'reminder' && readReminder(payload)?.category !== undefined;
}

export interface Reminder extends Envelope {
  readonly event: 'reminder';
  readonly monitor: Named;
  readonly startedAt: number;
  readonly reason: string | null;
  /** Null, or absent: its checks fail for that reason still. */
  readonly latest?: LatestReason | null;
  /** Why it is sent: nobody acknowledged the outage, or its reason is of another category since it was. */
  readonly because: 'unacknowledged' | 'reason_changed';
  readonly number: number;
  /** Everything else that is down with it, or that it reminds of as well. */
  readonly impacted: readonly Named[];
  readonly incidentId: number;
  readonly incidentIds: readonly number[];
}

export const reminder: EventRow<Reminder> = {
  event: 'reminder',
  outlastsQuietHours: true,
  severity: 'error',
  trouble: 'error',
  subject: 'monitor',
  isMutable: true,
  // It is dropped when the outage is over or acknowledged.
  givenUp: 'never',
  withoutChannel: 'dropped',
  withoutMonitor: 'dropped_when_over',
  webhook: (message) => ({
    ...(message.reason !== null && { message: message.reason }),
    ...latestJson(message.latest),
    because: message.because,
    started_at: timestampText(message.startedAt),
    number: message.number,
    impacted: namesJson(message.impacted),
    incident_id: message.incidentId,
    incident_ids: message.incidentIds,
  }),
};
