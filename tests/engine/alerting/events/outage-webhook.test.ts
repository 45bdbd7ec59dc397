/** What the webhook says of an outage, its reminders and its end: fields of their own, beside those of every event. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Message,
  type MessageOf,
  webhookFieldsOf,
} from '../../../../src/engine/alerting/events/catalogue.ts';

const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const [startedText, confirmedText] = ['2026-01-02T03:04:05.000Z', '2026-01-02T03:05:05.000Z'];
const envelope = { deliveryId: 'd', at, severity: 'error', isTest: false, link: null } as const;
const named = (id: string) => ({ id, name: id.toUpperCase() });
const fieldsOf = (message: Message) => webhookFieldsOf(message, (text) => text);

const down: MessageOf<'down'> = {
  ...envelope,
  event: 'down',
  monitor: named('web'),
  startedAt: at,
  confirmedAt: at + 60_000,
  reason: null,
  category: null,
  snapshot: null,
  confirmation: null,
  cause: null,
  impacted: [],
  grouping: { groupId: null, incidentIds: [42] },
  vantage: null,
  incidentId: 42,
};
const downFields = {
  category: null,
  started_at: startedText,
  confirmed_at: confirmedText,
  cause: null,
  impacted: [],
  vantage: null,
  incident_id: 42,
  incident_ids: [42],
  group_id: null,
  snapshot: null,
};

describe('the webhook of an outage', () => {
  it('has null where nothing is known', () => {
    assert.deepEqual(fieldsOf(down), downFields);
  });

  it('has the cause, the impact, what others saw, the answer, the change and the step', () => {
    const vantage = [{ peer: 'oslo', verdict: 'up', error: null } as const];
    const snapshot = { statusLine: 'HTTP/1.1 503', headers: [['a', 'b']] as const, body: 'sorry' };
    const whole: MessageOf<'down'> = {
      ...down,
      reason: 'got 503',
      category: 'status',
      snapshot,
      cause: named('db'),
      impacted: [named('api')],
      grouping: { groupId: 'g', incidentIds: [42, 43] },
      vantage,
      change: { title: 'deploy', at },
      step: { number: 2, of: 'on-call', isRelief: false },
    };
    const said = { status_line: 'HTTP/1.1 503', headers: [['a', 'b']], body: 'sorry' };
    const fields = {
      ...downFields,
      message: 'got 503',
      category: 'status',
      cause: 'db',
      impacted: [named('api')],
      vantage,
      incident_ids: [42, 43],
      group_id: 'g',
      snapshot: said,
      recent_change: { title: 'deploy', at: startedText },
      escalation: 'on-call',
      step: 2,
    };
    assert.deepEqual(fieldsOf(whole), fields);
    assert.deepEqual(fieldsOf({ ...whole, snapshot: { ...snapshot, moreHeaders: 3 } }), {
      ...fields,
      snapshot: { ...said, more_headers: 3 },
    });
  });

  it('says how slow a degraded monitor is, in whole milliseconds', () => {
    const slow: MessageOf<'degraded'> = {
      ...envelope,
      event: 'degraded',
      monitor: named('web'),
      startedAt: at,
      latencyMs: 1234.5,
      limitMs: 1000,
      reason: null,
      confirmation: null,
    };
    assert.deepEqual(fieldsOf(slow), { latency_ms: 1235, started_at: startedText });
    assert.deepEqual(fieldsOf({ ...slow, latencyMs: null, reason: 'no AAAA', change: { title: 'x', at } }), {
      message: 'no AAAA',
      latency_ms: null,
      started_at: startedText,
      recent_change: { title: 'x', at: startedText },
    });
  });

  it('says what prevents checks', () => {
    const unknown: MessageOf<'unknown'> = {
      ...envelope,
      event: 'unknown',
      monitor: named('web'),
      impacted: [named('api')],
      ownFault: 'resolver',
      startedAt: at,
      confirmedAt: at + 60_000,
      reason: 'no name server answers',
      confirmation: null,
      incidentId: 42,
      incidentIds: [42, 43],
    };
    assert.deepEqual(fieldsOf(unknown), {
      cause: 'resolver',
      reason: 'no name server answers',
      started_at: startedText,
      confirmed_at: confirmedText,
      impacted: [named('api')],
      incident_id: 42,
      incident_ids: [42, 43],
    });
  });

  it('counts reminders', () => {
    const reminder: MessageOf<'reminder'> = {
      ...envelope,
      event: 'reminder',
      monitor: named('web'),
      startedAt: at,
      reason: null,
      latest: null,
      because: 'unacknowledged',
      number: 3,
      impacted: [named('api')],
      incidentId: 42,
      incidentIds: [42, 43],
    };
    const fields = {
      because: 'unacknowledged',
      started_at: startedText,
      number: 3,
      impacted: [named('api')],
      incident_id: 42,
      incident_ids: [42, 43],
    };
    assert.deepEqual(fieldsOf(reminder), fields);
    assert.deepEqual(fieldsOf({ ...reminder, reason: 'got 503' }), { message: 'got 503', ...fields });
  });

  it('says beside the first reason which other one there is by now, and that a reminder is sent for it', () => {
    const latest = { sinceAt: at, category: 'connection', reason: 'connection refused' } as const;
    const reminder: MessageOf<'reminder'> = {
      ...envelope,
      event: 'reminder',
      monitor: named('web'),
      startedAt: at,
      reason: 'got 503',
      latest,
      because: 'reason_changed',
      number: 1,
      impacted: [],
      incidentId: 42,
      incidentIds: [42],
    };
    const { message, latest_reason: said, because } = fieldsOf(reminder);
    assert.deepEqual(
      [message, said, because],
      [
        'got 503',
        { message: 'connection refused', category: 'connection', since: startedText },
        'reason_changed',
      ],
    );
  });
});

describe('the webhook of a recovery', () => {
  const recovered: MessageOf<'recovered'> = {
    ...envelope,
    event: 'recovered',
    monitor: named('web'),
    from: 'down',
    startedAt: at,
    endedAt: at + 61_900,
    reason: null,
    impacted: [named('api')],
    grouping: { groupId: 'g', incidentIds: [42, 43] },
    isLate: false,
    isRemoved: false,
    incidentId: 42,
  };
  const fields = {
    from: 'down',
    started_at: startedText,
    duration_secs: 61,
    impacted: [named('api')],
    incident_id: 42,
    incident_ids: [42, 43],
    group_id: 'g',
    late: false,
    resolution: 'recovered',
  };

  it('says how long it was, and whether the monitor was removed instead', () => {
    assert.deepEqual(fieldsOf(recovered), fields);
    assert.deepEqual(fieldsOf({ ...recovered, isLate: true, isRemoved: true }), {
      ...fields,
      late: true,
      resolution: 'monitor_removed',
    });
  });

  it('says after a time without checks what had prevented them and what was found', () => {
    const unknown = { ...recovered, from: 'unknown' } as const;
    const found = [
      { ...named('api'), state: 'down' },
      { ...named('web'), state: 'up' },
    ] as const;
    assert.deepEqual(fieldsOf({ ...unknown, ownFault: 'resolver', found }), {
      ...fields,
      from: 'unknown',
      cause: 'resolver',
      found: { api: 'down', web: 'up' },
    });
    assert.deepEqual(fieldsOf(unknown), { ...fields, from: 'unknown', cause: null, found: {} });
  });
});
