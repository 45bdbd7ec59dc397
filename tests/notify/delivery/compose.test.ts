/** What a message says, of one delivery and of several: who is named, with which incidents, since when. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import type { EventName } from '../../../src/engine/alerting/events/catalogue.ts';
import { outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import type { Outage } from '../../../src/engine/alerting/blast.ts';
import { Yielder } from '../../../src/engine/core/yielding.ts';
import { compose } from '../../../src/notify/delivery/compose.ts';
import { composeOne, type Send } from '../../../src/notify/delivery/compose-one.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { ago, begun, config, nowAt, outageOf } from './decided.ts';

const settings = deliverySettings(config);
const uids = ['of-db', 'of-api', 'of-gone'];

interface Scene {
  readonly incidents?: Readonly<Record<string, Partial<IncidentRow> | null>>;
  readonly outages?: readonly Outage[];
  readonly context?: Partial<DeliveryContext>;
}

function contextOf({ incidents = {}, outages = [], context }: Scene = {}): DeliveryContext {
  const incident = (uid: string) =>
    uids.includes(uid) && incidents[uid] !== null
      ? ({
          uid,
          id: uids.indexOf(uid) + 1,
          monitor: uid.replace('of-', ''),
          name: `${uid.replace('of-', '')} then`,
          ...begun,
          endedAt: null,
          acknowledged: null,
          reason: `Reason ${uid}.`,
          category: 'timeout',
          snapshot: null,
          impacted: [],
          vantage: null,
          ...incidents[uid],
        } as unknown as IncidentRow)
      : null;
  const open = new Map(outages.map((each) => [each.monitor, each]));
  return {
    nowAt,
    settings,
    incident,
    outages: () => open,
    incidentById: (id: number) => incident(uids[id - 1] ?? ''),
    outageOf: (monitor: string) => open.get(monitor)?.uid ?? null,
    linkKey: () => null,
    closedOf: () => [],
    look: () => ({ failingSinceAt: null, lookedAt: nowAt, isUp: true }),
    ...context,
  } as unknown as DeliveryContext;
}

/** `more`: what its payload has beside what all have; null: it has none. */
function sendOf(event: EventName, monitor: string, more: object | null = {}): Send {
  const payload = more && {
    ...outagePayload({ ...begun, ownFault: null }),
    endedAt: nowAt,
    dueAt: nowAt,
    number: 2,
    repeatMs: 60_000,
    ...more,
  };
  const delivery = {
    deliveryId: `${event}-${monitor}`,
    channel: 'ops',
    event,
    monitor,
    incident: `of-${monitor}`,
    createdAt: ago(90),
    payload,
  };
  return { row: delivery as unknown as DeliveryRow, event, cause: null };
}

async function composed(sends: readonly [Send, ...Send[]], scene: Scene = {}) {
  const all = await compose(sends, contextOf(scene), new Yielder(() => 0));
  assert.ok(all !== null);
  return all;
}

const copies = (lead: string) => ({ copies: { as: 'm', lead, count: 2 } });
const both = [outageOf('db'), outageOf('api')];

describe('the message about an outage', () => {
  it('has what the record and the configuration know of it', () => {
    const message = composeOne({ ...sendOf('down', 'api'), cause: 'db' }, contextOf());
    assert.ok(message?.event === 'down');
    const { monitor, at, startedAt, confirmedAt, reason, category, cause, confirmation } = message;
    assert.deepEqual(
      { monitor, at, startedAt, confirmedAt, reason, category, cause, confirmation },
      {
        monitor: { id: 'api', name: 'api' },
        at: begun.confirmedAt,
        startedAt: begun.startedAt,
        confirmedAt: begun.confirmedAt,
        reason: 'Reason of-api.',
        category: 'timeout',
        cause: { id: 'db', name: 'Database' },
        confirmation: null,
      },
    );
    assert.equal(message.repeat, undefined);
    const other = composeOne(sendOf('down', 'gone', { confirmation: 'Twice.' }), contextOf());
    assert.ok(other?.event === 'down');
    assert.deepEqual([other.monitor.name, other.cause, other.confirmation], ['gone then', null, 'Twice.']);
  });

  it('names the dependents that are down with it, unless nothing is folded', () => {
    const about = (scene: Scene) => {
      const message = composeOne(sendOf('down', 'db'), contextOf(scene));
      assert.ok(message?.event === 'down');
      return [message.impacted.map(({ id }) => id).join(), ...message.grouping.incidentIds];
    };
    assert.deepEqual(about({ outages: both }), ['api', 1, 2]);
    assert.deepEqual(about({ outages: both, incidents: { 'of-api': null } }), ['api', 1]);
    assert.deepEqual(about({ outages: [outageOf('db')] }), ['', 1]);
    assert.deepEqual(about({ outages: [outageOf('api')] }), ['', 1]);
    const context = { settings: { ...settings, windowMs: 0 } };
    assert.deepEqual(about({ outages: both, context }), ['', 1]);
  });

  it('keeps its group when it is sent again, and counts the copies', () => {
    const again = composeOne(sendOf('down', 'db', { ...copies('x'), groupId: 'g' }), contextOf());
    assert.ok(again?.event === 'down');
    assert.deepEqual([again.repeat, again.grouping.groupId], [2, 'g']);
    const first = composeOne(sendOf('down', 'db', { groupId: 'g' }), contextOf());
    assert.ok(first?.event === 'down');
    assert.equal(first.grouping.groupId, first.deliveryId, 'others depend on it');
  });

  it('of what is slow has its confirmation, where there is one', () => {
    const slow = (confirmation: string) => {
      const message = composeOne(sendOf('degraded', 'api', { confirmation, limitMs: 5 }), contextOf());
      assert.ok(message?.event === 'degraded');
      return [message.at, message.limitMs, message.confirmation];
    };
    assert.deepEqual(slow(''), [begun.confirmedAt, 5, null]);
    assert.deepEqual(slow('Twice.'), [begun.confirmedAt, 5, 'Twice.']);
  });
});

describe('one message about several outages', () => {
  it('names each once after the first, and is the group of all', async () => {
    const { message, contents } = await composed([sendOf('down', 'db'), sendOf('down', 'gone')], {
      outages: both,
    });
    assert.ok(message.event === 'down');
    assert.deepEqual(
      message.impacted.map(({ id }) => id),
      ['gone', 'api'],
    );
    assert.deepEqual(message.grouping, {
      groupId: 'down-db',
      incidentIds: [1, 2, 3],
      incidentUids: ['of-db', 'of-api', 'of-gone'],
    });
    assert.equal(contents.groupId, 'down-db');
    // What has a delivery of its own in the message is not named by another one.
    assert.deepEqual(
      [...contents.dependents],
      [
        ['down-gone', []],
        ['down-db', ['of-api']],
      ],
    );
    const own = await composed([sendOf('down', 'db'), sendOf('down', 'api')], { outages: both });
    assert.deepEqual(
      [...own.contents.dependents.values()].flatMap((each) => each),
      [],
    );
    assert.ok(own.message.event === 'down');
    assert.deepEqual(
      own.message.impacted.map(({ id }) => id),
      ['api'],
    );
  });

  it('is the group of what led it before, and no group when it is about one', async () => {
    const again = await composed(
      [sendOf('down', 'db', copies('down-gone')), sendOf('down', 'gone', copies('down-gone'))],
      {},
    );
    assert.equal(again.contents.groupId, 'down-gone');
    const alone = await composed([sendOf('down', 'gone')]);
    assert.equal(alone.contents.groupId, null);
    const recoveries = await composed([sendOf('recovered', 'db'), sendOf('recovered', 'gone')]);
    assert.equal(recoveries.contents.groupId, null);
    const grouped = await composed([sendOf('recovered', 'db', { groupId: 'g' })]);
    assert.equal(grouped.contents.groupId, 'g');
  });

  it('says what changed before, of the first that knows', async () => {
    const change = (title: string | null) => ({ changeTitle: title, changeAt: title === null ? null : 1 });
    const titleOf = async (...titles: readonly (string | null)[]) => {
      const [first, ...others] = titles.map((title, index) =>
        sendOf('down', ['db', 'gone'][index] ?? '', change(title)),
      );
      const { message } = await composed([first as Send, ...others]);
      assert.ok(message.event === 'down');
      return message.change?.title ?? null;
    };
    assert.equal(await titleOf('deploy', 'other'), 'deploy');
    assert.equal(await titleOf(null, 'other'), 'other');
    assert.equal(await titleOf(null, null), null);
  });

  it('reminds of all that can be read', async () => {
    const unreadable = sendOf('reminder', 'api', null);
    const { message, contents } = await composed(
      [sendOf('reminder', 'db'), unreadable, sendOf('reminder', 'gone')],
      { outages: both },
    );
    assert.ok(message.event === 'reminder');
    assert.deepEqual(
      [message.impacted.map(({ id }) => id).join(' '), ...message.incidentIds],
      ['api gone', 1, 2, 3],
    );
    assert.deepEqual([message.number, message.at, contents.groupId], [2, nowAt, null]);
    assert.equal(contents.dependents.size, 0);
  });
});

describe('the message that an outage is over', () => {
  const over = (payload: object, scene: Scene = {}) => {
    const message = composeOne(sendOf('recovered', 'db', payload), contextOf(scene));
    assert.ok(message?.event === 'recovered');
    return [message.impacted.map(({ id }) => id).join(' '), ...message.grouping.incidentIds].join(' ');
  };
  const ended = { 'of-api': { endedAt: nowAt }, 'of-gone': { endedAt: nowAt } };

  it('names what it was decided to end, each monitor once', () => {
    assert.equal(over({ ends: ['of-api', 'of-gone'] }), 'api gone 1 2 3');
    assert.equal(over({ ends: [2, 2, 9] }), 'api 1 2 2');
    assert.equal(over({ ends: ['of-db'] }), ' 1 1');
    assert.equal(over({ ends: [] }), ' 1');
  });

  it('leaves out what is down again when it is sent again', () => {
    const ends = ['of-api', 'of-gone'];
    assert.equal(over({ ends, ...copies('x') }, { incidents: ended }), 'api gone 1 2 3');
    assert.equal(over({ ends, ...copies('x') }, { incidents: ended, outages: both }), 'gone 1 3');
    assert.equal(over({ ends }, { incidents: ended, outages: both }), 'api gone 1 2 3');
  });

  it('names what was part of its outage and is up, where nothing was written of what its alert named', () => {
    const incidents = { 'of-db': { impacted: ['api', 'gone'] } };
    assert.equal(over({}, { incidents }), 'api gone 1');
    assert.equal(over({}, { incidents, outages: both }), 'gone 1');
    assert.equal(over({ named: [] }, { incidents }), ' 1');
    assert.equal(over({ from: 'degraded' }, { incidents }), '');
  });

  it('names nothing that has a message of its own on the channel, sent or waiting', () => {
    const incidents = { 'of-db': { impacted: ['api', 'gone'] } };
    const api = { uid: 'of-api', monitor: 'api', startedAt: 0, endedAt: nowAt } as IncidentRow;
    const names = (event: string, state: string, channel = 'ops') => {
      const alertsOf = (_: string, asked: string) =>
        asked === event ? [{ channel, state } as DeliveryRow] : [];
      return over({}, { incidents, context: { closedOf: () => [api], alertsOf } });
    };
    assert.equal(names('recovered', 'waiting'), 'gone 1');
    assert.equal(names('recovered', 'sent'), 'gone 1');
    assert.equal(names('down', 'waiting'), 'gone 1');
    for (const [event, state, channel] of [
      ['recovered', 'dropped', 'ops'],
      ['down', 'dropped', 'ops'],
      ['recovered', 'waiting', 'sms'],
    ] as const)
      assert.equal(names(event, state, channel), 'api gone 1');
  });
});

describe('a notice', () => {
  it('is of when it was written, where it does not say', () => {
    const peer = (payload: object) => composeOne(sendOf('peer_down', 'db', payload), contextOf());
    assert.equal(peer({})?.at, ago(90));
    assert.equal(peer({ at: ago(5) })?.at, ago(5));
  });
});
