/** Which messages a delivery can share, what a free channel is given, and what is gathered before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import { type OutagePayload, outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import { type Hold, holdOf } from '../../../src/engine/alerting/events/stored.ts';
import { choose, type FreeChannel } from '../../../src/notify/delivery/choose.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { groupKindOf } from '../../../src/notify/delivery/group-kind.ts';
import type { Precedence } from '../../../src/notify/delivery/order.ts';
import type { Ready } from '../../../src/notify/delivery/plan.ts';
import { ago, begun, config, nowAt, outageOf } from './decided.ts';

const second = 1000;

interface Given {
  readonly id?: number;
  readonly event?: string;
  readonly monitor?: string | null;
  readonly payload?: object;
  readonly outage?: Partial<OutagePayload>;
  readonly held?: Hold;
  readonly nextAt?: number;
  readonly attempts?: number;
}

let count = 0;

function given({ event = 'down', outage, held, payload = {}, ...row }: Given = {}): Ready {
  count += 1;
  const id = row.id ?? count;
  const isOutage = event === 'down' || event === 'unknown';
  const hold = held ?? holdOf(payload as never);
  return {
    row: {
      id,
      deliveryId: `${event}-${id}`,
      channel: 'ops',
      event,
      monitor: 'api',
      nextAt: ago(1),
      attempts: 0,
      payload: { startedAt: begun.startedAt, endedAt: nowAt, ...payload },
      ...row,
    } as unknown as DeliveryRow,
    outage: isOutage ? { ...outagePayload({ ...begun, ownFault: null }), ...outage } : null,
    hold,
    event,
    cause: null,
    reason: 'sent',
  } as unknown as Ready;
}

const settings = deliverySettings(config);

function chosen(channel: Partial<FreeChannel>, context: Partial<DeliveryContext> = {}) {
  const choice = choose(
    {
      ready: [],
      waiting: [],
      lastStorms: {},
      precedence: new Map(),
      hasServed: () => false,
      ...channel,
    },
    {
      nowAt,
      settings,
      outages: () => new Map(),
      situation: { nowAt, mutes: { silences: [], maintenances: [] } },
      ...context,
    } as unknown as DeliveryContext,
  );
  const { batch, gathering, intents } = choice;
  return {
    sent: batch === null ? [] : batch.deliveries.map(({ row }) => row.id),
    kind: batch?.kind ?? null,
    held: [...gathering].map(([kind, untilAt]) => `${kind} ${(untilAt - nowAt) / second}`),
    intents,
  };
}

describe('the message that a delivery shares', () => {
  const kindOf = (event: string, payload: object = {}, outage: Partial<OutagePayload> = {}) =>
    groupKindOf(given({ event, payload, outage }));

  it('is one for outages, one for reminders, and one for every group that recovers', () => {
    assert.equal(kindOf('down'), 'down');
    assert.equal(kindOf('reminder'), 'reminder');
    assert.equal(kindOf('recovered'), 'recovered');
    assert.equal(kindOf('recovered', { groupId: 'g' }), 'group g');
    assert.equal(kindOf('recovered', { isRemoved: true, groupId: 'g' }), 'removed');
    assert.equal(kindOf('recovered', { isLate: true, groupId: 'g' }), 'late');
    assert.equal(kindOf('recovered', { isLate: true, isRemoved: true }), 'removed');
    for (const event of ['degraded', 'test', 'budget_burn']) assert.equal(kindOf(event), null);
  });

  it('is the same as before when it may have been received', () => {
    const copies = { as: 'm', lead: 'x', count: 1 };
    assert.equal(kindOf('down', { copies }), 'again m');
    assert.equal(kindOf('recovered', { copies, isLate: true, isRemoved: true }), 'again m');
    assert.equal(kindOf('reminder', { copies }), 'reminder');
  });

  it('is one for each cause that prevents checks', () => {
    assert.equal(kindOf('unknown', {}, { ownFault: 'dns' }), 'unknown dns');
    assert.equal(kindOf('unknown'), 'unknown ');
    const from = { from: 'unknown', ownFault: 'dns' };
    assert.equal(kindOf('recovered', from), 'unknown over dns');
    assert.equal(kindOf('recovered', { ...from, causeGroup: 'first' }), 'unknown over first');
    assert.equal(kindOf('recovered', { ...from, isLate: true }), 'unknown late dns');
    assert.equal(kindOf('recovered', { from: 'unknown' }), 'unknown over ');
    assert.equal(kindOf('recovered', { from: 'unknown', isLate: true }), 'unknown late ');
  });
});

describe('a channel that is free', () => {
  const downs = (amount: number, rest: Given = {}) =>
    Array.from({ length: amount }, (_, index) => given({ id: index + 1, monitor: `m${index}`, ...rest }));

  it('gets what cannot be grouped alone, and nothing when there is nothing', () => {
    assert.deepEqual(chosen({ ready: [given({ id: 7, event: 'degraded' })] }).sent, [7]);
    const ready = [given({ id: 7, event: 'degraded' }), ...downs(5)];
    assert.deepEqual(chosen({ ready }).sent, [1], 'outages go first');
    assert.deepEqual(chosen({}), { sent: [], kind: null, held: [], intents: [] });
  });

  it('gets up to five outages one by one, and more of them as one', () => {
    assert.deepEqual(chosen({ ready: downs(5) }).sent, [1]);
    assert.deepEqual(chosen({ ready: downs(6) }).sent, [1, 2, 3, 4, 5, 6]);
  });

  it('waits for those that are due within five seconds, but for none that an upstream covers', () => {
    const soon = (secs: number, more: Given = {}) => {
      const nextAt = nowAt + secs * second;
      return given({ id: 8, monitor: 'api', held: { reason: 'window', by: null }, nextAt, ...more });
    };
    const ready = downs(5, { outage: { windowEndsAt: nowAt } });
    assert.deepEqual(chosen({ ready, waiting: [soon(5)] }).held, ['down 5']);
    assert.deepEqual(chosen({ ready, waiting: [soon(5.001)] }).sent, [1]);
    assert.deepEqual(chosen({ ready, waiting: [soon(0)] }).sent, [1]);
    assert.deepEqual(chosen({ ready, waiting: [soon(3, { event: 'recovered' })] }).sent, [1]);
    assert.deepEqual(chosen({ ready, waiting: [soon(3, { held: { reason: 'muted', by: '1' } })] }).sent, [1]);
    const covered = new Map([outageOf('db'), outageOf('api')].map((each) => [each.monitor, each]));
    assert.deepEqual(chosen({ ready, waiting: [soon(3)] }, { outages: () => covered }).sent, [1]);
    const alone = new Map([['api', outageOf('api')]]);
    assert.deepEqual(chosen({ ready, waiting: [soon(3)] }, { outages: () => alone }).held, ['down 3']);
    const upstream = new Map([['db', outageOf('db')]]);
    assert.deepEqual(chosen({ ready, waiting: [soon(3)] }, { outages: () => upstream }).held, ['down 3']);
    // A recovery waits for others also while its monitor is part of an outage again.
    const recoveries = downs(5, { event: 'recovered', nextAt: nowAt });
    const back = soon(3, { event: 'recovered' });
    assert.deepEqual(chosen({ ready: recoveries, waiting: [back] }, { outages: () => covered }).held, [
      'recovered 3',
    ]);
  });

  it('waits for the window after a message about many, and for no more once others were asked', () => {
    const ready = downs(6);
    assert.deepEqual(chosen({ ready, lastStorms: { down: ago(29) } }).held, ['down 1']);
    assert.deepEqual(chosen({ ready, lastStorms: { down: ago(30) } }).sent.length, 6);
    assert.deepEqual(chosen({ ready, lastStorms: { recovered: ago(29) } }).sent.length, 6);
    const served = { ready, lastStorms: { down: ago(29) }, hasServed: (id: string) => id !== 'down-6' };
    assert.deepEqual(chosen(served).sent, [1]);
    const all = { ...served, hasServed: () => true };
    assert.deepEqual(chosen(all).sent, [1, 2, 3, 4, 5, 6]);
  });

  it('gets what has waited for as long as it may, whatever else could be gathered', () => {
    const ready = downs(6, { outage: { confirmedAt: ago(300) } });
    assert.deepEqual(chosen({ ready, lastStorms: { down: ago(29) } }).sent.length, 6);
    const [first, ...others] = downs(6, { outage: { confirmedAt: ago(299) } });
    const mixed = [first, given({ id: 9, outage: { confirmedAt: ago(300) } }), ...others] as Ready[];
    assert.deepEqual(chosen({ ready: mixed, lastStorms: { down: ago(29) } }).sent.length, 7);
  });

  it('gets the message of a group led by what its alert named first', () => {
    const ready = downs(3, { event: 'recovered', payload: { groupId: 'g' } });
    assert.deepEqual(chosen({ ready }).sent, [1, 2, 3]);
    const led = given({ id: 4, event: 'recovered', payload: { groupId: 'g', isFirst: true } });
    assert.deepEqual(chosen({ ready: [...ready, led] }).sent, [4, 1, 2, 3]);
    const copies = { as: 'm', lead: 'down-6', count: 1 };
    const again = [5, 6].map((id) => given({ id, payload: { copies } }));
    assert.deepEqual(chosen({ ready: again }).sent, [6, 5]);
  });

  it('gets what of the same cause is over but not due, unless it was refused before or is muted', () => {
    const payload = { from: 'unknown', causeGroup: 'first' };
    const over = (id: number, more: Given = {}) => given({ id, event: 'recovered', payload, ...more });
    const waiting = [
      over(1),
      over(2, { nextAt: nowAt + 5000 }),
      over(3, { attempts: 1 }),
      over(4, { monitor: 'db' }),
      over(5, { payload: { ...payload, causeGroup: 'second' } }),
      over(6, { monitor: null }),
    ];
    const silences = [{ id: 1, monitors: ['db'], untilAt: nowAt + second }];
    const situation = { nowAt, mutes: { silences, maintenances: [] } };
    const noneBelow = { ...situation, graph: { ...settings.graph, above: new Map() } };
    const ready = [over(1, {})];
    assert.deepEqual(chosen({ ready, waiting }, { situation: noneBelow }).sent, [1, 2, 6]);
    const late = { ...payload, isLate: true };
    assert.deepEqual(
      chosen({ ready: [over(1, { payload: late })], waiting: [over(2, { payload: late })] }).sent,
      [1],
    );
  });
});

describe('the recovery that a channel refused', () => {
  const refused = (more: Given = {}) =>
    given({ id: 1, event: 'recovered', held: { reason: 'channel_failed', by: null }, ...more });
  const down = given({ id: 5 });

  it('is tried before the next alert about its monitor, and once only', () => {
    const precedence: Precedence = new Map();
    const waiting = [refused({ id: 2 }), refused(), refused({ id: 3 })];
    assert.deepEqual(chosen({ ready: [down], waiting, precedence }).sent, [1]);
    const after = chosen({ ready: [down], waiting, precedence });
    assert.deepEqual(after.sent, []);
    assert.deepEqual(
      after.intents.map(({ kind }) => kind),
      ['change', 'decide'],
    );
  });

  it('is not waited for by what was put off before, or what failed itself', () => {
    for (const more of [{ attempts: 1 }, { held: { reason: 'channel_failed', by: null } as const }]) {
      const precedence: Precedence = new Map();
      const ready = [given({ id: 5, ...more })];
      assert.deepEqual(chosen({ ready, waiting: [refused()], precedence }).sent, [1]);
      assert.deepEqual(chosen({ ready, waiting: [refused()], precedence }).sent, [5]);
    }
  });

  it('comes first when the monitor was down again meanwhile, unless only another message named it', () => {
    const held = { reason: 'down_again', by: 'of-api' } as const;
    assert.deepEqual(chosen({ ready: [down], waiting: [refused({ held })] }).sent, [1]);
    const named = refused({ held, payload: { wasNamed: true } });
    assert.deepEqual(chosen({ ready: [down], waiting: [named] }).sent, [5]);
    const failed = refused({ payload: { wasNamed: true } });
    assert.deepEqual(chosen({ ready: [down], waiting: [failed] }).sent, [1]);
  });

  it('has no say about others, nor when it may have been received', () => {
    assert.deepEqual(chosen({ ready: [down], waiting: [refused({ monitor: 'db' })] }).sent, [5]);
    assert.deepEqual(
      chosen({ ready: [down], waiting: [refused({ held: { reason: 'window', by: null } })] }).sent,
      [5],
    );
    const copies = { as: 'm', lead: 'x', count: 1 };
    assert.deepEqual(chosen({ ready: [down], waiting: [refused({ payload: { copies } })] }).sent, [5]);
    const reminder = given({ id: 6, event: 'reminder' });
    assert.deepEqual(chosen({ ready: [reminder], waiting: [refused()] }).sent, [6]);
  });
});
