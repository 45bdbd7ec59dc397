import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { announcements } from '../../../src/db/tables/announcements.ts';
import { channels } from '../../../src/db/tables/channels.ts';
import { clockRecord } from '../../../src/db/tables/clock.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { peers } from '../../../src/db/tables/peers.ts';
import { producerAlerts } from '../../../src/db/tables/producer-alerts.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { dump, type Facts, openFacts } from '../../support/facts.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = 20_400 * day;

function open(uid: string, startedAt: number, monitor = uid) {
  return incidents.open({
    uid,
    monitor,
    name: monitor,
    startedAt,
    confirmedAt: startedAt + minute,
    category: 'timeout',
    reason: null,
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  });
}

function put(
  deliveryId: string,
  more: { readonly incident?: string; readonly event?: string; readonly monitor?: string } = {},
) {
  return outbox.put({
    deliveryId,
    channel: 'ops',
    event: more.event ?? 'down',
    monitor: more.monitor ?? 'web',
    incident: more.incident ?? null,
    payload: {
      startedAt: now - 2 * minute,
      confirmedAt: now - minute,
      windowEndsAt: now + minute,
      expiresAt: now + 90 * day,
      hold: { reason: 'window', by: null },
    },
    createdAt: now - minute,
    nextAt: now + minute,
  });
}

const shift = (byMs: number, sinceAt = 0) => clockRecord.shift({ byMs, sinceAt, at: now + byMs });

async function filled(): Promise<Facts> {
  const facts = await openFacts();
  facts.apply(
    open('web', now - 2 * minute),
    open('over', now - day),
    incidents.close({ uid: 'over', endedAt: now - hour }),
    put('waits', { incident: 'web' }),
    put('sent', { incident: 'web' }),
    outbox.sent({ deliveryId: 'sent', at: now }),
    put('old', { incident: 'over' }),
    outbox.sent({ deliveryId: 'old', at: now - day }),
    silences.add({ monitors: null, untilAt: now + hour, reason: null, createdAt: now - hour }),
    announcements.add({ title: 'works', body: null, severity: 'info', untilAt: null, createdAt: now - hour }),
    channels.failed({ channel: 'ops', at: now - hour, error: 'It was refused.' }),
  );
  return facts;
}

describe('a clock that was set', () => {
  for (const byMs of [-hour, hour, 400 * day, -400 * day]) {
    it(`moves what is open or waits, and nothing that is over: by ${byMs / hour} h`, async () => {
      const facts = await filled();
      const { sql } = facts;
      const past = incidents.find(sql, 'over');
      const old = outbox.find(sql, 'old');
      facts.apply(shift(byMs));
      const web = incidents.find(sql, 'web');
      assert.deepEqual([web?.startedAt, web?.confirmedAt], [now - 2 * minute + byMs, now - minute + byMs]);
      for (const id of ['waits', 'sent']) {
        const row = outbox.find(sql, id);
        assert.equal(row?.nextAt, now + minute + byMs, id);
        assert.deepEqual(row.payload, {
          startedAt: now - 2 * minute + byMs,
          confirmedAt: now - minute + byMs,
          windowEndsAt: now + minute + byMs,
          expiresAt: now + 90 * day,
          hold: { reason: 'window', by: null },
        });
      }
      assert.equal(silences.find(sql, 1)?.untilAt, now + hour + byMs);
      assert.equal(channels.list(sql)[0]?.failingSinceAt, now - hour + byMs);
      assert.deepEqual(incidents.find(sql, 'over'), past);
      assert.deepEqual(outbox.find(sql, 'old'), old);
    });

    it(`and set right again leaves what it found: by ${byMs / hour} h`, async () => {
      const facts = await filled();
      const before = dump(facts.sql);
      facts.apply(shift(byMs));
      facts.apply(clockRecord.shift({ byMs: -byMs, sinceAt: 0, at: now }));
      assert.equal(dump(facts.sql), before);
    });
  }

  it('leaves what was measured on another clock before, unless it lies in the future', async () => {
    const facts = await openFacts();
    const { sql } = facts;
    // Written by the right clock; then the daemon started under one that is 400 days ahead.
    facts.apply(open('before', now - hour), put('before.down', { incident: 'before' }));
    const startedAt = now + 400 * day;
    facts.apply(
      open('during', startedAt + minute),
      silences.add({ monitors: null, untilAt: startedAt + hour, reason: null, createdAt: startedAt }),
    );
    facts.apply(clockRecord.shift({ byMs: -400 * day, sinceAt: startedAt, at: now + hour }));
    assert.equal(incidents.find(sql, 'before')?.startedAt, now - hour);
    assert.equal(outbox.find(sql, 'before.down')?.nextAt, now + minute);
    assert.equal(incidents.find(sql, 'during')?.startedAt, now + minute);
    assert.equal(silences.find(sql, 1)?.untilAt, now + hour);
  });

  it('moves to now what a clock that was ahead wrote, when nothing is known of that', async () => {
    const facts = await filled();
    const at = now - 30 * day;
    assert.equal(clockRecord.isAnyAhead(facts.sql, at), true);
    facts.apply(clockRecord.shift({ byMs: 0, sinceAt: 0, at }));
    assert.equal(clockRecord.isAnyAhead(facts.sql, at), false);
    assert.equal(incidents.find(facts.sql, 'web')?.startedAt, at);
    assert.equal(
      outbox.find(facts.sql, 'waits')?.nextAt,
      at + 2 * minute,
      'as far ahead as when it was written',
    );
    assert.equal(silences.find(facts.sql, 1)?.untilAt, at + 2 * hour);
  });

  it('keeps the name of a degradation and of its deliveries the same', async () => {
    const facts = await openFacts();
    const degradation = { startedAt: now - hour, confirmedAt: now - hour };
    facts.apply(
      alertStates.save({ monitor: 'web', state: { version: 1, degradation, knownAt: now }, at: now }),
      put('web.degraded', { incident: `web.degraded.${now - hour}`, event: 'degraded' }),
    );
    facts.apply(shift(-hour));
    const state = alertStates.find(facts.sql, 'web') as { degradation: { startedAt: number } };
    const name = `web.degraded.${state.degradation.startedAt}`;
    assert.equal(state.degradation.startedAt, now - 2 * hour);
    assert.equal(outbox.ofIncident(facts.sql, name).length, 1);
  });

  it('keeps the name of an episode of this node, and of the trouble of a peer', async () => {
    const facts = await openFacts();
    facts.apply(
      meta.set({ name: 'network', value: { state: 'lost', sinceAt: now - hour, reason: 'x', by: 'hosts' } }),
      put('node.blind', { incident: `node.blind.${now - hour}`, event: 'node_blind' }),
      peers.save({
        id: 'paris',
        state: { state: 'down', troubleAt: now - hour, heardAt: now - hour },
        heardAt: now - hour,
      }),
      put(`paris.peer_down.${now - hour}.abc`, { event: 'peer_down', monitor: 'paris' }),
    );
    facts.apply(shift(-hour));
    assert.equal(outbox.ofIncident(facts.sql, `node.blind.${now - 2 * hour}`).length, 1);
    assert.notEqual(outbox.find(facts.sql, `paris.peer_down.${now - 2 * hour}.abc`), null);
    assert.deepEqual((meta.get(facts.sql, 'network') as { sinceAt: number }).sinceAt, now - 2 * hour);
  });

  it('lets repeats of an alert fall into the window they would have fallen into', async () => {
    for (const byMs of [-hour, hour]) {
      const facts = await openFacts();
      const alert = (at: number) =>
        producerAlerts.raise({
          monitor: 'web',
          at,
          severity: 'error',
          title: 'disk',
          message: null,
          tags: {},
          dedupKey: 'disk',
          windowSecs: 600,
          deliveries: [],
        });
      facts.apply(alert(now - minute));
      facts.apply(shift(byMs));
      const [within] = facts.apply(alert(now + byMs));
      assert.equal(producerAlerts.raised(within).status, 'coalesced');
      const [after] = facts.apply(alert(now + byMs + 10 * minute));
      assert.equal(producerAlerts.raised(after).status, 'dispatched');
    }
  });

  it('has samples taken in that were refused, because their hours had been pruned in the future', async () => {
    const facts = await openFacts();
    const sample = {
      monitor: 'web',
      at: now,
      status: 'up',
      latencyMs: 1,
      holdSecs: 60,
      isHeartbeat: false,
      category: null,
      message: null,
    } as const;
    facts.apply(samples.add(sample));
    facts.sql.run('UPDATE monitors SET pruned_before = ?', now / hour + 9600);
    assert.deepEqual(facts.apply(samples.add(sample)), [false]);
    assert.equal(clockRecord.isAnyAhead(facts.sql, now), true);
    facts.apply(clockRecord.shift({ byMs: 0, sinceAt: 0, at: now }));
    assert.deepEqual(facts.apply(samples.add(sample)), [true]);
  });
});
