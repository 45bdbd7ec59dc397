/** What is decided about an alert, at the bounds of each rule: its outage is over, in its window, overdue, or covered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import type { Hold } from '../../../src/engine/alerting/events/stored.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import {
  ago,
  begun,
  config,
  decided,
  hour,
  nowAt,
  outageOf,
  type Scene,
  waitOf,
  message,
} from './decided.ts';

describe('an alert whose outage is over', () => {
  const over = (scene: Scene = {}, endedSecs = 30) =>
    decided({ ...scene, incident: { endedAt: ago(endedSecs) } });

  it('is sent late, and says how long the outage was', () => {
    const detail = 'It was down 1m 10s and could not be sent while it lasted.';
    assert.equal(over(), `late -30: ${detail}`);
    const unchecked = over({ event: 'unknown', payload: { ownFault: 'dns' } });
    assert.equal(unchecked, `late -30: ${detail.replace('was down', 'could not be checked for')}`);
  });

  it('is not sent when it ended in its window, under a mute, or under another message', () => {
    assert.equal(over({}, 60).slice(0, 4), 'late');
    assert.equal(over({}, 60.001), 'suppress flap');
    assert.equal(over({ row: { attempts: 1 } }, 61).slice(0, 4), 'late');
    assert.equal(over({ held: { reason: 'folded', by: 'db' } }), 'suppress folded');
    assert.equal(over({ payload: { spokenForUntilAt: ago(29) } }), 'suppress folded');
    assert.equal(over({ payload: { spokenForUntilAt: ago(30) } }).slice(0, 4), 'late');
    const silence = { id: 1, monitors: ['api'], untilAt: ago(20) };
    const situation = { nowAt, graph: deliverySettings(config).graph };
    const silenced = (untilAt: number) => ({
      context: {
        situation: { ...situation, mutes: { silences: [{ ...silence, untilAt }], maintenances: [] } },
      },
    });
    assert.equal(over(silenced(ago(20))), 'suppress muted');
    assert.equal(over(silenced(ago(30))).slice(0, 4), 'late');
  });

  it('is not sent when another message named it, when it may have come, or when someone else had it', () => {
    const namedBy = { groupId: 'a group', root: 'of-db' };
    assert.equal(over({ row: { payload: { ...begun, namedBy } } }), 'suppress folded');
    const copies = { as: 'm', lead: 'x', count: 1 };
    assert.equal(over({ row: { payload: { ...begun, copies } } }), 'suppress no_answer');
    assert.equal(over({ held: { reason: 'acknowledged', by: null } }), 'suppress acknowledged');
    assert.equal(over({ held: { reason: 'off_call', by: 'sms' } }), 'suppress off_call');
  });

  it('is sent after quiet hours that hold back, and not after those that drop', () => {
    const held: Hold = { reason: 'quiet_hours', by: null };
    assert.equal(over({ held, row: { channel: 'night' } }).slice(0, 4), 'late');
    assert.equal(over({ held, row: { channel: 'never' } }), 'suppress quiet_hours');
    assert.equal(over({ row: { channel: 'never' } }).slice(0, 4), 'late');
  });

  it('is not sent when the record does not know the outage', () => {
    assert.equal(decided({ incident: null }), 'suppress over');
    assert.equal(decided({ row: { incident: null } }), 'suppress over');
    assert.equal(decided({ row: { monitor: null } }), 'suppress unreadable');
  });

  it('that was slow is not sent when another slowness began since, and is while nothing is known', () => {
    const slow = (startedAt: number | null) => {
      const degradation = startedAt === null ? null : { startedAt, confirmedAt: nowAt };
      const state = { degradation } as NonNullable<ReturnType<DeliveryContext['stateOf']>>;
      return decided({ event: 'degraded', context: { stateOf: () => state } });
    };
    assert.equal(slow(null), 'suppress over');
    assert.equal(slow(begun.startedAt + 1), 'suppress over');
    assert.equal(slow(begun.startedAt), 'send degraded sent null');
    assert.equal(decided({ event: 'degraded' }), 'send degraded sent null');
  });
});

describe('an alert about an outage that lasts', () => {
  it('waits for the end of its window, and no longer', () => {
    const ends = (windowEndsAt: number, held?: Hold) =>
      decided({ payload: { windowEndsAt }, ...(held && { held }) });
    assert.equal(ends(nowAt), 'send down sent null');
    assert.equal(ends(nowAt + 1), 'hold window, null: 0.001');
    assert.equal(ends(nowAt + 1, { reason: 'upstream_failing', by: 'db' }), 'send down sent null');
  });

  it('is preceded by a check when it is over a minute late and nobody looked since', () => {
    const waited = (secs: number, lookedSecs: number | null, startedSecs = hour) => {
      const lookedAt = lookedSecs === null ? null : ago(lookedSecs);
      const context = {
        startedAt: ago(startedSecs),
        look: () => ({ failingSinceAt: null, lookedAt, isUp: true }),
      };
      return decided({ row: { nextAt: ago(secs) }, context });
    };
    assert.equal(waited(60, 61), 'send down sent null');
    assert.equal(waited(60.001, 61), 'ask api Infinity');
    assert.equal(waited(60.001, 60.001), 'send down sent null');
    assert.equal(waited(61, null), 'ask api Infinity');
    // What was seen before this process began is not taken for what is.
    assert.equal(waited(1, 61, 60), 'ask api Infinity');
    assert.equal(waited(1, 60, 50), 'send down sent null');
    assert.equal(waited(1, 61, 61), 'send down sent null');
  });

  it('goes to nobody else once it is acknowledged, but to whom it was routed', () => {
    const incident = { acknowledged: { at: nowAt, by: null, note: null } } as unknown as IncidentRow;
    const held = 'hold acknowledged, null: 3600';
    assert.equal(decided({ incident }), 'send down sent null');
    const added = { step: 1 };
    assert.equal(decided({ incident, row: { payload: { ...begun, ...added } } }), held);
    for (const reason of ['off_call', 'acknowledged'] as const)
      assert.equal(decided({ incident, held: { reason, by: null } }), held);
    assert.equal(decided({ held: { reason: 'off_call', by: null } }), 'send down sent null');
    const copies = { as: 'm', lead: 'x', count: 1 };
    assert.equal(
      decided({ incident, row: { payload: { ...begun, ...added, copies } } }),
      'send down sent null',
    );
  });

  it('says what it waits for, and whether that counts against the longest it may wait', () => {
    const acknowledged = { at: nowAt } as unknown as IncidentRow['acknowledged'];
    const held = { reason: 'off_call', by: null } as const;
    assert.deepEqual(waitOf({ incident: { acknowledged }, held }), [
      'The incident is acknowledged, so nobody else is notified.',
      true,
    ]);
    const on = (dueAt: number) => [
      outageOf('db', { channels: new Map([['ops', message({ isSent: false, dueAt })]]) }),
      outageOf('api'),
    ];
    const namedBy = { groupId: 'of-db.down.x', root: 'of-db' };
    assert.deepEqual(waitOf({ outages: on(nowAt), row: { payload: { ...begun, namedBy } } }), [
      'The message about Database, which it depends on, names it.',
      true,
    ]);
    assert.deepEqual(waitOf({ outages: on(nowAt + 1) }), [
      'Database, which it depends on, is down too: it waits for the message about that.',
      false,
    ]);
    const context = {
      look: (id: string) => ({
        failingSinceAt: id === 'db' ? ago(1) : null,
        lookedAt: nowAt,
        isUp: id !== 'db',
      }),
    };
    const recent = { confirmedAt: ago(60) };
    assert.deepEqual(waitOf({ outages: [outageOf('api')], payload: recent, context }), [
      'Database, which it depends on, is failing too: it waits to see whether that is the cause.',
      false,
    ]);
    const recoveredAt = (id: string) => (id === 'db' ? nowAt : null);
    const back = { outages: [outageOf('api')], context: { recoveredAt } };
    assert.deepEqual(waitOf({ ...back, held: { reason: 'folded', by: 'db' } }), [
      'Database recovered; it is still down, and is sent after a window of its own, 30s.',
      false,
    ]);
  });

  it('is sent when its outage is not among the open ones, and below the message about its upstream that left', () => {
    const sent = outageOf('db', { channels: new Map([['ops', message({ isSent: true, dueAt: ago(60) })]]) });
    assert.equal(decided({ outages: [sent] }), 'send down sent null');
    assert.equal(decided({ outages: [sent, outageOf('api')] }), 'send down later_group db');
    assert.equal(decided({ event: 'degraded', outages: [sent] }), 'hold folded, db: 3600');
    assert.equal(
      decided({ event: 'degraded', outages: [sent], row: { attempts: 1 } }),
      'send degraded sent null',
    );
  });

  it('waits for the message about its upstream, and for the look at one that fails', () => {
    const due = outageOf('db', {
      channels: new Map([['ops', message({ isSent: false, dueAt: nowAt + 5000 })]]),
    });
    assert.equal(decided({ outages: [due, outageOf('api')] }), 'hold upstream_due, db: 5');
    const failing = {
      look: (id: string) => ({
        failingSinceAt: id === 'db' ? ago(1) : null,
        lookedAt: nowAt,
        isUp: id !== 'db',
      }),
    };
    const recent = { outages: [outageOf('api')], payload: { confirmedAt: ago(60) }, context: failing };
    assert.equal(decided(recent), 'hold upstream_failing, db: 15');
    // What is only slow does not wait to see what else fails.
    assert.equal(decided({ event: 'degraded', context: failing }), 'send degraded sent null');
  });

  it('has a window of its own once its upstream is back, and names it when no time is left', () => {
    const outages = [outageOf('api')];
    for (const reason of ['folded', 'upstream_due'] as const) {
      const held = { reason, by: 'db cache' };
      const recoveredAt = (id: string) => (id === 'db' ? nowAt : null);
      assert.equal(decided({ outages, held, context: { recoveredAt } }), 'hold window, null: 25');
      const confirmedAt = ago(300);
      assert.equal(decided({ outages, held, payload: { confirmedAt } }), 'send down hold_limit db');
    }
    const late = { confirmedAt: ago(300) };
    assert.equal(decided({ outages, payload: late }), 'send down sent null');
    assert.equal(
      decided({ outages, payload: { ...late, renewedAfter: 'db cache' } }),
      'send down hold_limit db',
    );
    const held = (by: string) => ({ reason: 'muted', by }) as const;
    assert.equal(decided({ outages, held: held('7 1767268800000'), payload: late }), 'send down sent null');
    assert.equal(decided({ outages, held: held('db'), payload: late }), 'send down hold_limit db');
  });
});
