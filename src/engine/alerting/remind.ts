/** Decides when a channel is reminded of an outage that it was alerted of. Instants are epoch ms. */
import { durationText } from '../core/duration.ts';
import type { Category } from '../core/probe.ts';
import { copiesOf } from './copies.ts';
import { isOfReason, readReminder, type ReminderPayload } from './events/reminder.ts';
import { holdOf } from './events/stored.ts';
import { because } from './reasons.ts';
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
    const waiting = reminders.find((row) => row.state === 'waiting' && !isOfReason(row));
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

/** An acknowledged outage, and the category of the reason that it began with. */
interface Acknowledged extends Unacknowledged {
  readonly category: Category | null;
}

/**
 * What an acknowledged outage puts into the outbox when its checks fail for a reason of another category: a reminder on
 * each channel that was alerted. A category is said once on a channel, and no two of them within one group window.
 */
export function remindOfReason(
  { uid, monitor, startedAt, category: first }: Acknowledged,
  category: Category,
  {
    rows,
    windowMs,
    nowAt,
  }: { readonly rows: readonly FinishedRow[]; readonly windowMs: number; readonly nowAt: number },
): readonly Intent[] {
  const channels = new Set(rows.filter(isAlertTaken).map(({ channel }) => channel));
  return [...channels].flatMap((channel): readonly Intent[] => {
    const own = rows.filter((row) => row.channel === channel && row.event === 'reminder');
    const before = own.filter(isOfReason);
    const taken = before.filter(isTaken);
    const known = [first, ...taken.map(({ payload }) => readReminder(payload)?.category ?? null)];
    const waiting = before.find(({ state }) => state === 'waiting') ?? null;
    const about = { monitor, incident: uid, channel, event: 'reminder' } as const;
    if (known.includes(category)) {
      if (waiting === null) return [];
      const { deliveryId } = waiting;
      return [
        { kind: 'drop', deliveryId },
        { kind: 'decide', ...about, verdict: 'spared', ...because('reason_known') },
      ];
    }
    // A waiting message says the latest reason when it is sent.
    if (waiting !== null)
      return [{ kind: 'change', deliveryId: waiting.deliveryId, changes: { category }, nextAt: null }];
    const lastAt = taken.reduce((last, { finishedAt }) => Math.max(last, finishedAt ?? 0), -Infinity);
    const dueAt = Math.max(nowAt, lastAt + windowMs);
    const number = own.length + 1;
    const payload: ReminderPayload = { startedAt, dueAt, number, repeatMs: 0, category };
    return [
      {
        kind: 'put',
        ...about,
        deliveryId: freeIdOf(`${uid}.reminder.${number}`, channel, rows),
        payload: { ...payload, hold: { reason: 'reminder', by: null } },
        nextAt: dueAt,
      },
      { kind: 'decide', ...about, verdict: 'queued', ...because('reason_changed') },
    ];
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
