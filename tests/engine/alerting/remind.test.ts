/** When a channel is reminded of an outage that nobody acknowledged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryIdOf } from '../../../src/engine/alerting/ids.ts';
import type { FinishedRow, Intent } from '../../../src/engine/alerting/intent.ts';
import { alignReminders, reminderAfter } from '../../../src/engine/alerting/remind.ts';

const hour = 3_600_000;
const outage = { uid: 'i1', monitor: 'api', startedAt: 500 };
const copies = { copies: { as: 'i1.down.x', count: 1 } };

const row = (changes: Partial<FinishedRow> = {}): FinishedRow => ({
  deliveryId: 'd',
  channel: 'ops',
  event: 'down',
  state: 'sent',
  attempts: 1,
  nextAt: 0,
  payload: {},
  finishedAt: 1000,
  ...changes,
});
const reminder = (number: number, changes: Partial<FinishedRow> = {}) =>
  row({ deliveryId: `r${number}`, event: 'reminder', ...changes });
const waiting = (changes: object = {}) =>
  reminder(1, {
    state: 'waiting',
    finishedAt: null,
    payload: {
      startedAt: 500,
      dueAt: 1000 + hour,
      number: 1,
      repeatMs: hour,
      hold: { reason: 'reminder', by: null },
      ...changes,
    },
  });
const words = (intents: readonly Intent[]) =>
  intents.map((intent) => {
    switch (intent.kind) {
      case 'put':
      case 'replace':
      case 'change':
        return `${intent.kind} ${intent.deliveryId} ${intent.nextAt}`;
      case 'drop':
        return 'drop';
      case 'decide':
        return `${intent.verdict} ${intent.reason} ${intent.channel ?? ''}`;
    }
  });
const aligned = (rows: readonly FinishedRow[], repeatMs: number | null = hour) =>
  words(alignReminders(outage, rows, (channel) => (channel === 'ops' ? repeatMs : null)));
const nextOf = (number: number, at: number) => [
  `put ${deliveryIdOf(`i1.reminder.${number}`, 'ops')} ${at}`,
  'queued reminder ops',
];

it('a reminder waits so long after the message before it, under a name of its own', () => {
  const given = { channel: 'ops', number: 3, repeatMs: 5_400_000, fromAt: 1000 };
  assert.deepEqual(reminderAfter(outage, { ...given, rows: [] }), [
    {
      kind: 'put',
      deliveryId: deliveryIdOf('i1.reminder.3', 'ops'),
      channel: 'ops',
      event: 'reminder',
      monitor: 'api',
      incident: 'i1',
      payload: {
        startedAt: 500,
        dueAt: 5_401_000,
        number: 3,
        repeatMs: 5_400_000,
        hold: { reason: 'reminder', by: null },
      },
      nextAt: 5_401_000,
    },
    {
      kind: 'decide',
      monitor: 'api',
      incident: 'i1',
      channel: 'ops',
      event: 'reminder',
      verdict: 'queued',
      reason: 'reminder',
      detail: 'ops is reminded in 1h 30m, unless it is over or acknowledged by then.',
    },
  ]);
});

it('a reminder has a name of its own where a channel that was called the same had its reminder before', () => {
  const given = { channel: 'ops', number: 1, repeatMs: hour, fromAt: 1000 };
  const before = reminder(1, { deliveryId: deliveryIdOf('i1.reminder.1', 'ops'), channel: 'ops (removed)' });
  assert.deepEqual(words(reminderAfter(outage, { ...given, rows: [row(), before] })), [
    `put ${deliveryIdOf('i1.reminder.1.2', 'ops')} ${1000 + hour}`,
    'queued reminder ops',
  ]);
  assert.deepEqual(words(reminderAfter(outage, { ...given, rows: [row()] })), nextOf(1, 1000 + hour));
});

describe('reminders after a change of the configuration', () => {
  it('are made for every channel that was alerted and has none that waits', () => {
    assert.deepEqual(aligned([row()]), nextOf(1, 1000 + hour));
    assert.deepEqual(aligned([row(), row({ channel: 'sms' })]), nextOf(1, 1000 + hour), 'sms has none');
    assert.deepEqual(aligned([row()], null), []);
  });

  it('follow the last one that was taken', () => {
    const rows = [
      row(),
      reminder(1, { finishedAt: 9000 }),
      reminder(2, { state: 'given_up', finishedAt: 99_000 }),
    ];
    assert.deepEqual(aligned(rows), nextOf(3, 9000 + hour));
    const received = reminder(1, { state: 'given_up', finishedAt: 9000, payload: copies });
    assert.deepEqual(aligned([row(), received]), nextOf(2, 9000 + hour), 'it may have been received');
    const ofOther = reminder(1, { channel: 'sms', finishedAt: 9000 });
    assert.deepEqual(aligned([row(), ofOther]), nextOf(1, 1000 + hour));
  });

  it('count from the beginning of the outage where it is not known when its alert was taken', () => {
    assert.deepEqual(aligned([row({ finishedAt: null })]), nextOf(1, 500 + hour));
    assert.deepEqual(aligned([row(), reminder(1, { finishedAt: null })]), nextOf(2, 1000 + hour));
  });

  it('are not made where the channel knows nothing of the outage itself', () => {
    for (const state of ['waiting', 'given_up', 'dropped'] as const)
      assert.deepEqual(aligned([row({ state })]), [], state);
    assert.deepEqual(aligned([row({ event: 'degraded' })]), []);
    assert.deepEqual(aligned([row({ payload: { namedBy: { groupId: 'g', root: 'i0' } } })]), []);
    assert.deepEqual(aligned([row({ state: 'given_up', payload: copies })]), nextOf(1, 1000 + hour));
  });

  it('move with the time between two of them', () => {
    assert.deepEqual(aligned([row(), waiting()]), []);
    assert.deepEqual(aligned([row(), waiting()], 2 * hour), [`change r1 ${1000 + 2 * hour}`]);
    const [changed] = alignReminders(outage, [row(), waiting()], () => hour / 2);
    const dueAt = 1000 + hour / 2;
    assert.deepEqual(changed, {
      kind: 'change',
      deliveryId: 'r1',
      changes: { dueAt, repeatMs: hour / 2, hold: { reason: 'reminder', by: null } },
      nextAt: dueAt,
    });
  });

  it('stay as they are where they wait for something else, or cannot be read', () => {
    const muted = waiting({ hold: { reason: 'muted', by: '3' } });
    assert.deepEqual(aligned([row(), muted], 2 * hour), []);
    assert.deepEqual(aligned([row(), waiting({ hold: null })], 2 * hour), []);
    assert.deepEqual(aligned([row(), waiting({ dueAt: null })], 2 * hour), []);
  });
});
