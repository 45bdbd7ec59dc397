import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../../src/db/store/operation.ts';
import { channels } from '../../../src/db/tables/channels.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { producerAlerts, type NewAlert } from '../../../src/db/tables/producer-alerts.ts';
import { openFacts } from '../../support/facts.ts';

const t0 = 1_764_000_000_000;

function delivery(deliveryId: string, nextAt = t0) {
  return {
    deliveryId,
    channel: 'ops',
    event: 'down',
    monitor: 'api',
    incident: 'k3f',
    payload: { event: 'down', impacted: ['web'] },
    createdAt: t0,
    nextAt,
  };
}

describe('the outbox', () => {
  it('returns due messages, the longest due first, until they are sent', async () => {
    const { sql, apply } = await openFacts();
    apply(
      outbox.put(delivery('b', t0 + 10)),
      outbox.put(delivery('a', t0)),
      outbox.put(delivery('c', t0 + 99)),
    );
    assert.equal(outbox.nextDueAt(sql), t0);
    assert.deepEqual(
      outbox.due(sql, t0 + 10, 10).map(({ deliveryId }) => deliveryId),
      ['a', 'b'],
    );
    assert.deepEqual(apply(outbox.sent({ deliveryId: 'a', at: t0 + 11 })), [true]);
    assert.deepEqual(apply(outbox.sent({ deliveryId: 'a', at: t0 + 12 })), [false]);
    assert.deepEqual(
      outbox.due(sql, t0 + 10, 10).map(({ deliveryId }) => deliveryId),
      ['b'],
    );
    assert.deepEqual(outbox.find(sql, 'a'), {
      ...delivery('a'),
      id: 2,
      state: 'sent',
      attempts: 1,
      lastError: null,
      finishedAt: t0 + 11,
    });
    assert.deepEqual(outbox.totals(sql), [{ channel: 'ops', outcome: 'sent', count: 1 }]);
  });

  it('keeps one row a delivery id, as it was first put', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(
      apply(outbox.put(delivery('a')), outbox.put({ ...delivery('a'), event: 'other' })),
      [1, 1],
    );
    assert.equal(outbox.find(sql, 'a')?.event, 'down');
    assert.equal(outbox.ofIncident(sql, 'k3f').length, 1);
  });

  it('is retried at its time, given up, and can be retried or dropped by hand', async () => {
    const { sql, apply } = await openFacts();
    apply(
      outbox.put(delivery('a')),
      outbox.failed({ deliveryId: 'a', at: t0, error: '502', nextAt: t0 + 5000 }),
    );
    assert.deepEqual(outbox.due(sql, t0 + 4999, 10), []);
    apply(outbox.failed({ deliveryId: 'a', at: t0 + 5000, error: '404', nextAt: null }));
    assert.equal(outbox.nextDueAt(sql), null);
    const givenUp = outbox.listTroubled(sql, 10);
    assert.deepEqual(
      givenUp.map(({ state, attempts, lastError }) => [state, attempts, lastError]),
      [['given_up', 2, '404']],
    );
    assert.deepEqual(apply(outbox.retry({ deliveryId: 'a', at: t0 + 9000 })), [true]);
    assert.equal(outbox.due(sql, t0 + 9000, 10).length, 1);
    assert.deepEqual(
      apply(
        outbox.drop({ deliveryId: 'a', at: t0 + 9001 }),
        outbox.drop({ deliveryId: 'a', at: t0 + 9002 }),
        outbox.retry({ deliveryId: 'a', at: t0 + 9003 }),
        outbox.retry({ deliveryId: 'nobody', at: t0 + 9003 }),
      ),
      [true, false, false, false],
    );
    assert.equal(outbox.findById(sql, 1)?.finishedAt, t0 + 9001);
  });

  it('lets a message become another one only while it waits', async () => {
    const { sql, apply } = await openFacts();
    const late = { deliveryId: 'a', event: 'late', payload: { notified: 'late' }, nextAt: t0 + 1 };
    apply(outbox.put(delivery('a')));
    assert.deepEqual(
      apply(
        outbox.replace(late),
        outbox.sent({ deliveryId: 'a', at: t0 }),
        outbox.replace({ ...late, event: 'x' }),
      ),
      [true, true, false],
    );
    assert.deepEqual(outbox.find(sql, 'a')?.payload, { notified: 'late' });
    assert.equal(outbox.find(sql, 'a')?.event, 'late');
  });

  it('has fields changed while it waits, beside what was changed before', async () => {
    const { sql, apply } = await openFacts();
    const change = (changes: object, nextAt: number | null) =>
      outbox.change({ deliveryId: 'a', changes: changes as Json, nextAt });
    apply(outbox.put({ ...delivery('a'), payload: { hold: 'folded', cause: null } }));
    const nextAt = t0 + 7000;
    assert.deepEqual(apply(change({ hold: 'window' }, nextAt), change({ namedBy: 'db' }, null)), [
      true,
      true,
    ]);
    const found = outbox.find(sql, 'a');
    assert.deepEqual(found?.payload, { hold: 'window', cause: null, namedBy: 'db' });
    assert.deepEqual([found.event, found.nextAt], [delivery('a').event, nextAt]);
    assert.deepEqual(apply(change({}, t0)), [true]);
    assert.deepEqual(outbox.find(sql, 'a'), { ...found, nextAt: t0 });
    assert.deepEqual(
      apply(
        outbox.sent({ deliveryId: 'a', at: t0 }),
        change({ hold: null }, t0 + 1),
        outbox.change({ deliveryId: 'nobody', changes: {}, nextAt: t0 }),
      ),
      [true, false, false],
    );
    assert.deepEqual([outbox.find(sql, 'a')?.payload, outbox.find(sql, 'a')?.nextAt], [found.payload, t0]);
  });

  it('finds what is due through an index', async () => {
    const { sql } = await openFacts();
    const plan = sql.all(
      `EXPLAIN QUERY PLAN SELECT * FROM outbox WHERE state = 'waiting' AND next_at <= ? ORDER BY next_at, id LIMIT 5`,
      [],
      (row) => row.text('detail'),
    );
    assert.deepEqual(plan, ['SEARCH outbox USING INDEX outbox_due (next_at<?)']);
  });
});

describe('channel health', () => {
  it('counts failures in a row since the first, is notified once a streak, and is reset by a success', async () => {
    const { sql, apply } = await openFacts();
    const failed = (at: number) => channels.failed({ channel: 'ops', at, error: 'timeout' });
    assert.deepEqual(apply(failed(t0), failed(t0 + 1), failed(t0 + 2)), [1, 2, 3]);
    assert.deepEqual(apply(channels.notified({ channel: 'ops', at: t0 + 3 })), [true]);
    assert.deepEqual(channels.list(sql), [
      {
        channel: 'ops',
        consecutiveFailures: 3,
        failingSinceAt: t0,
        notifiedAt: t0 + 3,
        lastError: 'timeout',
        lastOkAt: null,
        lastFailedAt: t0 + 2,
      },
    ]);
    apply(channels.succeeded({ channel: 'ops', at: t0 + 4 }));
    assert.deepEqual(apply(channels.notified({ channel: 'ops', at: t0 + 5 })), [false]);
    assert.deepEqual(apply(failed(t0 + 6)), [1]);
    const [health] = channels.list(sql);
    assert.deepEqual([health?.failingSinceAt, health?.notifiedAt, health?.lastOkAt], [t0 + 6, null, t0 + 4]);
  });
});

describe('producer alerts', () => {
  const alert: NewAlert = {
    monitor: 'api',
    at: t0,
    severity: 'warning',
    title: 'queue is long',
    message: null,
    tags: { queue: 'mail', '1': 'one' },
    dedupKey: 'queue',
    windowSecs: 300,
    deliveries: [delivery('x')],
  };

  it('are dispatched once a window, which is fixed from the first; repeats are counted', async () => {
    const { sql, apply } = await openFacts();
    const raise = (at: number, over: Partial<NewAlert> = {}) =>
      apply(producerAlerts.raise({ ...alert, at, deliveries: [delivery(`d-${at}`)], ...over }))[0];
    assert.deepEqual(raise(t0), { status: 'dispatched', id: 1 });
    assert.deepEqual(raise(t0 + 1), { status: 'coalesced', suppressed: 1, retry_after_secs: 300 });
    assert.deepEqual(raise(t0 + 299_999), { status: 'coalesced', suppressed: 2, retry_after_secs: 1 });
    assert.deepEqual(raise(t0 + 300_000), { status: 'dispatched', id: 2 });
    assert.deepEqual(raise(t0 + 300_001, { monitor: 'web' }), { status: 'dispatched', id: 3 });
    assert.deepEqual(raise(t0 + 300_002, { dedupKey: 'other' }), { status: 'dispatched', id: 4 });
    assert.deepEqual(raise(t0 + 300_003, { dedupKey: null }), { status: 'dispatched', id: 5 });
    assert.deepEqual(raise(t0 + 300_004, { dedupKey: null }), { status: 'dispatched', id: 6 });
    const due = outbox.due(sql, t0 + 1e6, 10);
    assert.deepEqual(
      due.map(({ deliveryId }) => Number(deliveryId.slice(2)) - t0),
      [0, 300_000, 300_001, 300_002, 300_003, 300_004],
    );
    assert.deepEqual(due[0]?.payload, delivery('x').payload);
  });

  it('are all dispatched when the window is 0, and when the clock stepped back before the first', async () => {
    const { apply } = await openFacts();
    const ids = apply(
      producerAlerts.raise({ ...alert, windowSecs: 0 }),
      producerAlerts.raise({ ...alert, windowSecs: 0 }),
      producerAlerts.raise({ ...alert, at: t0 - 60_000 }),
    );
    assert.deepEqual(
      ids.map((result) => producerAlerts.raised(result).status),
      ['dispatched', 'dispatched', 'dispatched'],
    );
  });

  it('are lines of a timeline, the newest first', async () => {
    const { sql, apply } = await openFacts();
    apply(producerAlerts.raise(alert), producerAlerts.raise({ ...alert, monitor: 'web', at: t0 + 5 }));
    const within = { fromAt: t0, toAt: t0 + 6 };
    assert.deepEqual(
      producerAlerts.listWithin(sql, within).map(({ monitor }) => monitor),
      ['web', 'api'],
    );
    const [line] = producerAlerts.listWithin(sql, within, ['api']);
    assert.deepEqual(line, {
      id: 1,
      monitor: 'api',
      at: t0,
      severity: 'warning',
      title: 'queue is long',
      message: null,
      tags: { queue: 'mail', '1': 'one' },
      dedupKey: 'queue',
      suppressed: 0,
    });
  });

  it('are listed no more than asked for, or than anyone reads', async () => {
    const { sql, apply } = await openFacts();
    const raised = Array.from({ length: 250 }, (_, ms) =>
      producerAlerts.raise({ ...alert, at: t0 + ms, dedupKey: null }),
    );
    apply(...raised);
    const within = { fromAt: t0, toAt: t0 + 1000 };
    assert.equal(producerAlerts.listWithin(sql, within).length, 200);
    const last = producerAlerts.listWithin(sql, { ...within, limit: 2 }, ['api', 'web']);
    assert.deepEqual(
      last.map(({ at }) => at - t0),
      [249, 248],
    );
  });
});
