/** Which recoveries follow when an alert goes out while its outage ends, and neither side saw what the other wrote. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { type IncidentRow, incidents } from '../../../src/db/tables/incidents.ts';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import { outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import { Yielder } from '../../../src/engine/core/yielding.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import type { OutboxCache } from '../../../src/notify/delivery/outbox-cache.ts';
import type { Ready } from '../../../src/notify/delivery/plan.ts';
import { recoveryAfter, Settlement } from '../../../src/notify/delivery/recoveries.ts';
import { openFacts } from '../../support/facts.ts';
import { ago, begun, config, nowAt } from './decided.ts';

const day = 86_400_000;
type Incidents = Readonly<Record<string, Partial<IncidentRow> | null>>;
type Row = Partial<Omit<DeliveryRow, 'payload'>> & { readonly payload?: object };

function contextOf(change: Incidents = {}, more: Partial<DeliveryContext> = {}): DeliveryContext {
  const ids = ['db', 'api', 'gone'];
  const incident = (uid: string) => {
    const monitor = uid.replace('of-', '');
    const found = change[monitor];
    if (found === null || !ids.includes(monitor)) return null;
    return { uid, id: ids.indexOf(monitor), monitor, ...begun, endedAt: ago(5), ownFault: null, ...found };
  };
  return {
    nowAt,
    settings: deliverySettings(config),
    incident,
    incidentById: (id: number) => incident(`of-${ids[id]}`),
    stateOf: () => null,
    ...more,
  } as unknown as DeliveryContext;
}

const payload = outagePayload({ ...begun, ownFault: null });

const rowsOf = (uid: string, rows: readonly Row[]) =>
  rows.map((row, index) => ({
    deliveryId: `${uid}.${index}`,
    channel: 'ops',
    event: 'down',
    state: 'sent',
    monitor: uid.replace('of-', ''),
    incident: uid,
    finishedAt: ago(50),
    ...row,
    payload: { ...payload, ...row.payload },
  })) as unknown as DeliveryRow[];

/** What is queued when the incident of `api` is settled, as `event channel`. */
async function settled(rows: readonly Row[], change: Incidents = {}, roots: readonly Row[] = []) {
  const { sql } = await openFacts();
  const operations: Operation[] = [];
  const forgotten: string[] = [];
  const ofIncident = (uid: string) => rowsOf(uid, uid === 'of-api' ? rows : roots);
  const settlement = new Settlement({
    sql,
    nowAt,
    cache: { ofIncident } as unknown as OutboxCache,
    confirmation: {
      forget: (uid: string, ids: readonly string[]) => forgotten.push(`${uid} ${ids.length}`),
    } as never,
    yielder: new Yielder(() => 0),
    write: (part) => {
      operations.push(...part);
      return Promise.resolve();
    },
  });
  settlement.add('of-api');
  settlement.add('of-later');
  await settlement.go(['of-api'], contextOf(change));
  assert.deepEqual(settlement.open(), ['of-later']);
  assert.deepEqual(forgotten, [`of-api ${rows.length}`]);
  return operations.flatMap(([name, ...values]) => {
    const [, channel, event] = values as readonly string[];
    return name === 'outbox.put' ? `${event} ${channel}` : [];
  });
}

const namedBy = { namedBy: { groupId: 'g', root: 'of-db' } };
const copies = { copies: { as: 'm', lead: 'x', count: 1 } };

describe('an outage that ended while its alert was sent', () => {
  it('has a recovery on each channel that was alerted, or may have been, and none there yet', async () => {
    assert.deepEqual(await settled([{}]), ['recovered ops']);
    assert.deepEqual(await settled([{}, { channel: 'sms' }]), ['recovered ops', 'recovered sms']);
    assert.deepEqual(await settled([{}, { event: 'recovered', state: 'waiting' }]), []);
    assert.deepEqual(await settled([{}, { event: 'recovered', channel: 'sms' }]), ['recovered ops']);
    assert.deepEqual(await settled([{ state: 'waiting' }]), []);
    assert.deepEqual(await settled([{ state: 'given_up', payload: copies }]), ['recovered ops']);
    assert.deepEqual(await settled([]), []);
  });

  it('has none while it lasts, or when it is not in the record', async () => {
    assert.deepEqual(await settled([{}], { api: { endedAt: null } }), []);
    assert.deepEqual(await settled([{}], { api: null }), []);
  });

  it('that was only named has one when the recovery of its upstream leaves it out', async () => {
    const named: readonly Row[] = [{ payload: namedBy }];
    const recovery = (more: Row) => [{ event: 'recovered', ...more }];
    // The upstream is not in the record: nothing will name it.
    assert.deepEqual(await settled(named, { db: null }), ['recovered ops']);
    assert.deepEqual(await settled(named, { db: { endedAt: null } }), []);
    assert.deepEqual(await settled(named), []);
    assert.deepEqual(await settled(named, {}, recovery({ payload: { ends: ['of-api'] } })), []);
    assert.deepEqual(await settled(named, {}, recovery({ payload: { ends: ['of-gone'] } })), [
      'recovered ops',
    ]);
    const elsewhere = recovery({ channel: 'sms', payload: { ends: [] } });
    assert.deepEqual(await settled(named, {}, elsewhere), []);
  });

  it('that was only named has one when the recovery of its upstream went without naming anything', async () => {
    const named: readonly Row[] = [{ payload: namedBy }];
    const recovery = (more: Row) => [{ event: 'recovered', ...more }];
    for (const finishedAt of [ago(6), ago(5)])
      assert.deepEqual(await settled(named, {}, recovery({ finishedAt })), ['recovered ops']);
    // As an earlier version wrote what it named.
    assert.deepEqual(await settled(named, {}, recovery({ payload: { named: ['of-api'] } })), []);
    assert.deepEqual(await settled(named, {}, recovery({ state: 'waiting', finishedAt: null })), []);
    assert.deepEqual(await settled(named, {}, recovery({ state: 'given_up', finishedAt: ago(6) })), [
      'recovered ops',
    ]);
  });
});

describe('the end of an outage that only the alert about its upstream named', () => {
  const wrote: string[] = [];
  const begin = async (duringWrite: () => void = () => undefined) => {
    const { sql } = await openFacts();
    wrote.length = 0;
    let recovery: Row = { event: 'recovered', state: 'waiting', finishedAt: null };
    const ofIncident = (uid: string) =>
      rowsOf(uid, uid === 'of-api' ? [{ payload: namedBy }] : [{}, recovery]);
    const settlement = new Settlement({
      sql,
      nowAt,
      cache: { ofIncident } as unknown as OutboxCache,
      confirmation: null,
      yielder: new Yielder(() => 0),
      write: (part) => {
        wrote.push(...part.map(([name]) => name));
        duringWrite();
        return Promise.resolve();
      },
    });
    const change = (to: Row) => (recovery = { ...recovery, ...to });
    const go = async () => {
      wrote.length = 0;
      await settlement.go(settlement.open(), contextOf());
      return wrote;
    };
    const finished = (deliveryId: string) => {
      settlement.note([['outbox.sent', deliveryId, nowAt]]);
    };
    settlement.note([['incident.close', 'of-api', nowAt]]);
    return { settlement, change, finished, go };
  };

  it('is decided when the recovery of that one is sent, and not before', async () => {
    const { settlement, change, finished, go } = await begin();
    assert.deepEqual(await go(), []);
    finished('of-mail.recovered.x');
    finished('of-db.down.x');
    assert.deepEqual(settlement.open(), []);
    change({ state: 'sent', finishedAt: nowAt });
    finished('of-db.recovered.x');
    assert.deepEqual(settlement.open(), ['of-api']);
    assert.deepEqual(await go(), ['outbox.put', 'decision']);
    finished('of-db.recovered.x');
    assert.deepEqual(settlement.open(), []);
  });

  it('is nothing more where that recovery names it after all', async () => {
    const { change, finished, go } = await begin();
    await go();
    change({ state: 'sent', finishedAt: nowAt, payload: { ends: ['of-api'] } });
    finished('of-db.recovered.x');
    assert.deepEqual(await go(), []);
  });

  it('is looked at again where something changed while it was written', async () => {
    const { settlement, change, go } = await begin(() => {
      settlement.add('of-api');
    });
    change({ state: 'sent', finishedAt: nowAt });
    await go();
    assert.deepEqual(settlement.open(), ['of-api']);
  });

  it('is not forgotten where it cannot be written', async () => {
    const { settlement, change, go } = await begin(() => {
      throw new Error('no space left');
    });
    change({ state: 'sent', finishedAt: nowAt });
    await assert.rejects(go(), /no space left/);
    assert.deepEqual(settlement.open(), ['of-api']);
  });
});

describe('what is settled after a start', () => {
  it('is what ended within the last day', async () => {
    const { sql, apply } = await openFacts();
    const spans = { old: 86_401, young: 86_399, late: 0 };
    for (const [id, endedSecs] of Object.entries(spans))
      apply(
        incidents.open({
          uid: `of-${id}`,
          monitor: id,
          name: id,
          startedAt: ago(endedSecs) - day,
          confirmedAt: ago(endedSecs) - day,
          category: 'timeout',
          reason: null,
        } as never),
        incidents.close({ uid: `of-${id}`, endedAt: ago(endedSecs) }),
      );
    apply(
      incidents.open({
        uid: 'of-open',
        monitor: 'open',
        name: 'open',
        startedAt: ago(9),
        confirmedAt: ago(9),
        category: 'timeout',
        reason: null,
      } as never),
    );
    const found = new Settlement({ sql, nowAt } as never).open().toSorted();
    assert.deepEqual(found, ['of-late', 'of-young']);
  });
});

describe('the recovery of an alert that just went out', () => {
  const sent = (event: string, more: Partial<Ready> = {}, row: Row = {}) =>
    ({
      row: rowsOf('of-api', [{ event, ...row }])[0],
      event,
      outage: payload,
      ...more,
    }) as unknown as Ready;
  const after = (ready: Ready, context: DeliveryContext) =>
    recoveryAfter(ready, { groupId: 'g' }, context).flatMap((intent) =>
      intent.kind === 'put' ? [intent.event, (intent.payload as { groupId?: string }).groupId] : [],
    );

  it('follows when what it is about is over, with the marks of its message', () => {
    assert.deepEqual(after(sent('down'), contextOf()), ['recovered', 'g']);
    assert.deepEqual(after(sent('down'), contextOf({ api: { endedAt: null } })), []);
    assert.deepEqual(after(sent('down'), contextOf({ api: null })), []);
    assert.deepEqual(after(sent('down', {}, { incident: null }), contextOf()), []);
    assert.deepEqual(after(sent('test', { outage: null }), contextOf()), []);
  });

  it('follows a slowness that is over, unless its monitor is down or nothing is known of it', () => {
    const seen = (state: object | null) =>
      after(sent('degraded'), contextOf({}, { stateOf: () => state as never }));
    assert.equal(seen({ degradation: null, incident: null })[0], 'recovered');
    assert.deepEqual(seen({ degradation: {}, incident: null }), []);
    assert.deepEqual(seen({ degradation: null, incident: {} }), []);
    assert.deepEqual(seen(null), []);
  });
});
