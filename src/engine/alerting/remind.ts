/** Decides when a channel is reminded of an outage that it was alerted of. Instants are epoch ms. */
import { durationText } from '../core/duration.ts';
import { copiesOf } from './copies.ts';
import { readReminder, type ReminderPayload } from './events/reminder.ts';
import { holdOf } from './events/stored.ts';
import { namedByOf } from './group.ts';
import { freeIdOf } from './ids.ts';
import type { Decide, FinishedRow, Intent, QueuedRow } from './intent.ts';

/** An outage that is open and that nobody acknowledged. */
export interface Unacknowledged {
  readonly uid: string;
  readonly monitor: string;
  readonly startedAt: number;
}

/**
 * The next reminder for a channel, after one message or another that it took at `fromAt`, or may have. `rows`: the
 * deliveries about the outage, so that it has a name that none of them has.
 */
export function reminderAfter(
  { uid, monitor, startedAt }: Unacknowledged,
  given: {
    readonly channel: string;
    readonly number: number;
    readonly repeatMs: number;
    readonly fromAt: number;
    readonly rows: readonly QueuedRow[];
  },
): readonly Intent[] {
  const { channel, number, repeatMs, fromAt, rows } = given;
  const dueAt = fromAt + repeatMs;
  const payload: ReminderPayload = { startedAt, dueAt, number, repeatMs };
  const decide: Decide = {
    kind: 'decide',
    monitor,
    incident: uid,
    channel,
    event: 'reminder',
    verdict: 'queued',
    reason: 'reminder',
    detail: `${channel} is reminded in ${durationText(repeatMs)}, unless it is over or acknowledged by then.`,
  };
  const put: Intent = {
    kind: 'put',
    deliveryId: freeIdOf(`${uid}.reminder.${number}`, channel, rows),
    channel,
    event: 'reminder',
    monitor,
    incident: uid,
    payload: { ...payload, hold: { reason: 'reminder', by: null } },
    nextAt: dueAt,
  };
  return [put, decide];
}

/**
 * What is missing or wrong after a change of the configuration or an acknowledgement that was taken back: one reminder
 * waits on each channel that was alerted, as long after its last message as the channel says. `repeatMsOf` null: none.
 */
export function alignReminders(
  outage: Unacknowledged,
  rows: readonly FinishedRow[],
  repeatMsOf: (channel: string) => number | null,
): readonly Intent[] {
  return rows.filter(isAlertTaken).flatMap(({ channel, finishedAt }): readonly Intent[] => {
    const repeatMs = repeatMsOf(channel);
    if (repeatMs === null) return [];
    const reminders = rows.filter((row) => row.event === 'reminder' && row.channel === channel);
    const lastAt = reminders.reduce(
      (last, row) => (isTaken(row) ? Math.max(last, row.finishedAt ?? 0) : last),
      finishedAt ?? outage.startedAt,
    );
    const waiting = reminders.find(({ state }) => state === 'waiting');
    if (waiting === undefined)
      return reminderAfter(outage, { channel, number: reminders.length + 1, repeatMs, fromAt: lastAt, rows });
    const payload = readReminder(waiting.payload);
    // A message that is held for another reason, or failed, is past its time: it stays unchanged.
    const isHeld = holdOf(waiting.payload)?.reason !== 'reminder';
    if (payload === null || payload.repeatMs === repeatMs || isHeld) return [];
    const dueAt = payload.dueAt - payload.repeatMs + repeatMs;
    const { deliveryId } = waiting;
    const changes = { dueAt, repeatMs, hold: { reason: 'reminder', by: null } };
    return [{ kind: 'change', deliveryId, changes, nextAt: dueAt }];
  });
}

/** Whether its channel knows of the outage by a message about it, not as part of another one. */
function isAlertTaken(row: FinishedRow): boolean {
  return row.event === 'down' && isTaken(row) && namedByOf(row.payload) === null;
}

/** What went out whole without an answer may have been received. */
function isTaken({ state, payload }: QueuedRow): boolean {
  return state === 'sent' || (state === 'given_up' && copiesOf(payload) !== null);
}
