/** A record that cannot be read, or is not there, makes no message and stops no other. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import type { EventName } from '../../../src/engine/alerting/events/catalogue.ts';
import { outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import { Yielder } from '../../../src/engine/core/yielding.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { composeOne } from '../../../src/notify/delivery/compose-one.ts';
import { compose } from '../../../src/notify/delivery/compose.ts';
import { endedWith, namingsOf, operationsOfNaming } from '../../../src/notify/delivery/contents.ts';
import type { Ready } from '../../../src/notify/delivery/plan.ts';
import { load } from '../../support/config.ts';

const nowAt = Date.UTC(2026, 0, 1);
const monitor = (id: string, more = '') =>
  `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"\n${more}`;
const { config } = await load(
  [monitor('db'), monitor('api', 'depends_on = ["db"]'), monitor('mail')].join('\n'),
);

/** The record has an incident of each of `uids`, which end with the id of their monitor. */
function contextOf(...uids: string[]): DeliveryContext {
  const incident = (uid: string) =>
    uids.includes(uid)
      ? ({
          uid,
          id: uids.indexOf(uid) + 1,
          monitor: uid.replace('of-', ''),
          name: uid,
          startedAt: nowAt,
          confirmedAt: nowAt,
          endedAt: null,
          acknowledged: null,
          reason: 'It timed out.',
          impacted: [],
          vantage: null,
        } as unknown as IncidentRow)
      : null;
  return {
    nowAt,
    settings: deliverySettings(config),
    incident,
    outages: () => new Map(),
    incidentById: (id: number) => incident(uids[id - 1] ?? ''),
    outageOf: () => null,
    stateOf: () => null,
    closedOf: () => [],
    linkKey: () => null,
  } as unknown as DeliveryContext;
}

const times = { startedAt: nowAt, confirmedAt: nowAt, windowEndsAt: nowAt, confirmation: '', ownFault: null };
const readable: Partial<Record<EventName, Record<string, unknown>>> = {
  down: outagePayload(times) as unknown as Record<string, unknown>,
  degraded: outagePayload(times) as unknown as Record<string, unknown>,
  reminder: { startedAt: nowAt, dueAt: nowAt, number: 1, repeatMs: 1000 },
  recovered: { startedAt: nowAt, endedAt: nowAt },
};

function delivery(event: EventName, change: Partial<DeliveryRow> = {}): Ready {
  const row = {
    deliveryId: `${event} of ${change.monitor ?? 'mail'}`,
    channel: 'ops',
    event,
    monitor: 'mail',
    incident: `of-${change.monitor ?? 'mail'}`,
    payload: readable[event],
    ...change,
  } as unknown as DeliveryRow;
  return { row, event, cause: null, reason: 'sent', outage: null, hold: null } as unknown as Ready;
}

describe('a message', () => {
  for (const event of ['down', 'degraded', 'reminder', 'recovered'] as const)
    it(`that is ${event} is made of what can be read, and of nothing else`, () => {
      const context = contextOf('of-mail');
      assert.equal(composeOne(delivery(event), context)?.event, event);
      assert.equal(composeOne(delivery(event, { payload: null }), context), null);
    });

  it('about an outage needs its incident', () => {
    for (const event of ['down', 'reminder'] as const) {
      assert.equal(composeOne(delivery(event), contextOf()), null);
      assert.equal(composeOne(delivery(event, { incident: null }), contextOf('of-mail')), null);
    }
    const recovered = composeOne(delivery('recovered'), contextOf());
    assert.ok(recovered?.event === 'recovered');
    assert.deepEqual([recovered.reason, recovered.incidentId], [null, null]);
  });

  it('about something that ended needs its monitor', () => {
    for (const event of ['degraded', 'recovered'] as const)
      assert.equal(composeOne(delivery(event, { monitor: null }), contextOf('of-mail')), null);
  });

  it('of a recovery says what it was down for, unless it was only slow', () => {
    const payload = { startedAt: nowAt, endedAt: nowAt, from: 'degraded' };
    const slow = composeOne(delivery('recovered', { payload }), contextOf('of-mail'));
    assert.ok(slow?.event === 'recovered');
    assert.deepEqual([slow.from, slow.reason, slow.incidentId], ['degraded', null, null]);
    const down = composeOne(delivery('recovered'), contextOf('of-mail'));
    assert.ok(down?.event === 'recovered');
    assert.deepEqual([down.from, down.reason, down.incidentId], ['down', 'It timed out.', 1]);
  });

  it('about many names all but those that cannot be read', async () => {
    const others = [delivery('down', { monitor: 'api', payload: null }), delivery('down', { monitor: 'db' })];
    const composed = await compose(
      [delivery('down'), ...others],
      contextOf('of-mail', 'of-db'),
      new Yielder(() => 0),
    );
    assert.ok(composed?.message.event === 'down');
    assert.deepEqual(
      composed.message.impacted.map(({ id }) => id),
      ['db'],
    );
  });
});

describe('what a message named', () => {
  const by = delivery('down', { monitor: 'db' });
  const naming = { incident: 'of-api', by, groupId: 'a group' };

  it('is remembered where it is in the record, and its upstream', () => {
    const written = (uids: readonly string[], how = naming) =>
      operationsOfNaming(how, () => [], contextOf(...uids)).map(([name]) => name);
    assert.deepEqual(written(['of-api', 'of-db']), ['outbox.put', 'outbox.sent']);
    assert.deepEqual(written(['of-db']), []);
    const rootless = delivery('down', { monitor: 'db', incident: null });
    assert.deepEqual(written(['of-api'], { ...naming, by: rootless }), []);
  });

  it('is nothing to remember where it named one monitor', () => {
    const dependents = new Map([[by.row.deliveryId, ['of-api']]]);
    assert.deepEqual(namingsOf([by], { groupId: null, failing: new Map(), dependents }), []);
    assert.deepEqual(namingsOf([by], { groupId: 'a group', failing: new Map(), dependents }), [naming]);
  });

  it('ends with what was folded into it and dropped, and with nothing else that depends on it', () => {
    const context = contextOf('of-db', 'of-api');
    const root = { ...context.incident('of-db'), impacted: ['api'] };
    const api = { ...context.incident('of-api'), endedAt: nowAt };
    const about = {
      ...context,
      incident: (uid: string) => (uid === 'of-db' ? root : api),
      stateOf: () => ({ knownAt: nowAt }),
      closedOf: () => [api],
    } as unknown as DeliveryContext;
    const folded = { hold: { reason: 'folded', by: 'cache db' } };
    const ends = (row: Readonly<Record<string, unknown>>) =>
      endedWith(
        { channel: 'ops', incident: 'of-db', named: [] },
        (uid) =>
          uid === 'of-api'
            ? [
                {
                  channel: 'ops',
                  event: 'down',
                  state: 'dropped',
                  payload: folded,
                  ...row,
                } as unknown as DeliveryRow,
              ]
            : [],
        about,
      );
    assert.deepEqual(ends({}), ['of-api']);
    const namedBy = { groupId: 'a group', root: 'of-cache' };
    assert.deepEqual(ends({ payload: { ...folded, namedBy: { ...namedBy, root: 'of-db' } } }), ['of-api']);
    for (const other of [
      { channel: 'sms' },
      { event: 'recovered' },
      { state: 'sent' },
      { payload: { ...folded, namedBy } },
      { payload: { hold: { reason: 'folded', by: 'cache' } } },
      { payload: { hold: { reason: 'muted', by: 'db' } } },
      { payload: { hold: null } },
    ])
      assert.deepEqual(ends(other), [], JSON.stringify(other));
  });

  it('ends with a recovery also when the incident of that is not in the record', () => {
    const root = { channel: 'ops', incident: 'of-db', named: [] };
    assert.deepEqual(
      endedWith(root, () => [], contextOf()),
      [],
    );
    assert.deepEqual(
      endedWith({ ...root, incident: null }, () => [], contextOf()),
      [],
    );
  });
});
