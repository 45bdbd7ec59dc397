/** What the messages about monitors that cannot be checked name, and what they say was found. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import { outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import { freshState, type MonitorState } from '../../../src/engine/monitoring/confirm/state.ts';
import { composeChecksAgain, composeUnknown } from '../../../src/notify/delivery/compose-unknown.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { load } from '../../support/config.ts';
import { ago, begun, nowAt } from './decided.ts';

const channel = (name: string) =>
  `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"`;
const { config } = await load(
  [
    ...['ops', 'sms'].map(channel),
    ...['a', 'b', 'c'].map((id) => `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"`),
    '[[monitors]]\nid = "d"\ntarget = "http://127.0.0.1/"\nnotify = ["sms"]',
  ].join('\n'),
);
const settings = deliverySettings(config);
const head = { deliveryId: 'x', isTest: false, link: null };

interface Scene {
  readonly states?: Readonly<Record<string, Partial<MonitorState> | null>>;
  readonly silenced?: readonly string[];
}

function contextOf({ states = {}, silenced = [] }: Scene = {}): DeliveryContext {
  const silences = silenced.map((id, index) => ({ id: index, monitors: [id], untilAt: nowAt + 1000 }));
  return {
    nowAt,
    settings,
    situation: { nowAt, mutes: { silences, maintenances: [] } },
    incident: (uid: string) => ({ id: uid.charCodeAt(3), reason: `Reason ${uid}.` }),
    stateOf: (id: string) => {
      const state = states[id];
      return state === null || state === undefined ? null : { ...freshState, ...state };
    },
  } as unknown as DeliveryContext;
}

const rowOf = (monitor: string, payload: object = {}) =>
  ({ channel: 'ops', monitor, incident: `of-${monitor}`, payload }) as unknown as DeliveryRow;

describe('the message about what cannot be checked', () => {
  const unchecked = (monitor: string, more: object = {}) =>
    rowOf(monitor, { ...outagePayload({ ...begun, ownFault: 'dns' }), ...more });
  const about = (rows: readonly [DeliveryRow, ...DeliveryRow[]], scene: Scene = {}) => {
    const message = composeUnknown(rows, head, contextOf(scene));
    return message && [message.monitor, ...message.impacted].map(({ id }) => id).join('');
  };
  const blocked = (ownFault = 'dns') => ({
    status: 'unknown' as const,
    blocked: { ownFault } as MonitorState['blocked'],
  });

  it('names what is confirmed, and what fails for the same cause by now', () => {
    assert.equal(about([unchecked('a')]), 'a');
    assert.equal(about([unchecked('b'), unchecked('a')]), 'ba');
    const states = { a: blocked(), b: blocked(), c: blocked('proxy'), d: blocked() };
    assert.equal(about([unchecked('a')], { states }), 'ab');
    assert.equal(about([unchecked('b'), unchecked('a')], { states }), 'ba');
  });

  it('leaves out what is silenced, routed elsewhere, down or not known', () => {
    const states = { b: blocked(), c: blocked() };
    assert.equal(about([unchecked('a')], { states }), 'abc');
    assert.equal(about([unchecked('a')], { states, silenced: ['b'] }), 'ac');
    const down = { ...blocked(), incident: { uid: 'of-b' } as unknown as MonitorState['incident'] };
    assert.equal(about([unchecked('a')], { states: { ...states, b: down } }), 'ac');
    assert.equal(about([unchecked('a')], { states: { b: null, c: blocked() } }), 'ac');
  });

  it('is about the first that can be read, and since the first of them', () => {
    const rows = [rowOf('c'), unchecked('b', { startedAt: ago(5) }), unchecked('a')] as const;
    const message = composeUnknown(rows, head, contextOf());
    assert.ok(message !== null);
    const { monitor, startedAt, at, reason, incidentId, incidentIds, confirmation } = message;
    assert.deepEqual(
      { monitor: monitor.id, startedAt, at, reason, incidentId, incidentIds, confirmation },
      {
        monitor: 'b',
        startedAt: begun.startedAt,
        at: begun.confirmedAt,
        reason: 'Reason of-b.',
        incidentId: 98,
        incidentIds: [98, 97],
        confirmation: null,
      },
    );
    assert.equal(composeUnknown([rowOf('a')], head, contextOf()), null);
    assert.equal(composeUnknown([unchecked('a', { ownFault: null })], head, contextOf()), null);
    const seen = composeUnknown([unchecked('a', { confirmation: 'Twice.' })], head, contextOf());
    assert.equal(seen?.confirmation, 'Twice.');
  });
});

describe('the message that monitors can be checked again', () => {
  const again = (monitor: string, more: object = {}) =>
    rowOf(monitor, { from: 'unknown', startedAt: ago(9), endedAt: ago(5), ownFault: 'dns', ...more });
  const composed = (rows: readonly [DeliveryRow, ...DeliveryRow[]], scene: Scene = {}) => {
    const message = composeChecksAgain(rows, head, contextOf(scene));
    assert.ok(message !== null);
    return message;
  };

  it('says of each that was named what was found', () => {
    const foundAs = (state: Partial<MonitorState> | null) =>
      composed([again('a')], { states: { a: state } }).found?.map((each) => each.state);
    const outage = { uid: 'of-a' } as unknown as MonitorState['incident'];
    const streak = { count: 1, sinceAt: 0 };
    assert.deepEqual(foundAs(null), ['unknown']);
    assert.deepEqual(foundAs({ status: 'up' }), ['up']);
    assert.deepEqual(foundAs({ status: 'degraded' }), ['degraded']);
    assert.deepEqual(foundAs({ status: 'down', failures: streak }), ['failing']);
    assert.deepEqual(foundAs({ status: 'unknown', failures: streak }), ['unknown']);
    assert.deepEqual(foundAs({ status: 'up', incident: outage }), ['down']);
    const unchecked = { uid: 'of-a' } as unknown as MonitorState['unchecked'];
    assert.deepEqual(foundAs({ status: 'up', incident: outage, unchecked }), ['unknown']);
  });

  it('names each once, and of what is not configured only what it is about', () => {
    const { monitor, impacted, found } = composed([
      again('a', { alsoNamed: ['b', 'gone', 'a'] }),
      again('b'),
    ]);
    assert.equal(monitor.id, 'a');
    assert.deepEqual(impacted, [{ id: 'b', name: 'b' }]);
    assert.deepEqual(
      found?.map(({ id }) => id),
      ['a', 'b'],
    );
    assert.deepEqual(
      composed([again('gone')]).found?.map(({ id }) => id),
      ['gone'],
    );
  });

  it('spans all of them, and is a removal when all were removed', () => {
    const rows = [
      again('a', { isRemoved: true }),
      again('b', { startedAt: ago(20), endedAt: ago(2) }),
    ] as const;
    const { startedAt, endedAt, at, isRemoved, grouping } = composed(rows);
    assert.deepEqual([startedAt, endedAt, at, isRemoved], [ago(20), ago(2), ago(2), false]);
    assert.deepEqual(grouping, { groupId: null, incidentIds: [97, 98] });
    const removed = composed([rows[0], again('b', { isRemoved: true, startedAt: ago(7), endedAt: ago(6) })]);
    assert.deepEqual([removed.startedAt, removed.endedAt, removed.isRemoved], [ago(9), ago(5), true]);
  });

  it('leaves out what cannot be read', () => {
    assert.equal(composeChecksAgain([rowOf('a')], head, contextOf()), null);
    assert.equal(composed([rowOf('a'), again('b')]).monitor.id, 'b');
    const late = composed([again('b', { isLate: true, causeGroup: 'first' })]);
    assert.deepEqual([late.isLate, late.grouping.groupId, late.reason], [true, 'first', 'Reason of-b.']);
  });
});
