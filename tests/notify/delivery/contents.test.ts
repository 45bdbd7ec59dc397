/** What is remembered of the dependents that a message named, and which of them its recovery names. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import { deliveryIdOf } from '../../../src/engine/alerting/ids.ts';
import type { DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { uidsOf } from '../../../src/notify/delivery/context.ts';
import { endedWith, operationsOfNaming, stillOver } from '../../../src/notify/delivery/contents.ts';
import type { Ready } from '../../../src/notify/delivery/plan.ts';

const nowAt = Date.UTC(2026, 0, 1);
const minute = 60_000;

interface Scene {
  /** What differs from incidents that are over, by uid; null: it is not in the record. */
  readonly incidents?: Readonly<Record<string, Partial<IncidentRow> | null>>;
  readonly down?: readonly string[];
  readonly known?: (monitor: string) => number | null | undefined;
}

/** An outage of db named api and mail; all are over. */
function contextOf({ incidents = {}, down = [], known = () => nowAt }: Scene = {}): DeliveryContext {
  const ids = ['db', 'api', 'mail'];
  const all = ids.map((monitor, index) => ({
    uid: `of-${monitor}`,
    id: index + 1,
    monitor,
    startedAt: nowAt - 10 * minute,
    confirmedAt: nowAt - 9 * minute,
    endedAt: nowAt - minute,
    impacted: monitor === 'db' ? ['api'] : [],
    ...incidents[`of-${monitor}`],
  })) as unknown as IncidentRow[];
  const found = (uid: string) => (incidents[uid] === null ? null : all.find((each) => each.uid === uid));
  return {
    nowAt,
    incident: (uid: string) => found(uid) ?? null,
    incidentById: (id: number) => all[id - 1] ?? null,
    outageOf: (monitor: string) => (down.includes(monitor) ? `new-of-${monitor}` : null),
    stateOf: (monitor: string) => {
      const knownAt = known(monitor);
      return knownAt === undefined ? null : { knownAt };
    },
    closedOf: (monitors: readonly string[]) => all.filter(({ monitor }) => monitors.includes(monitor)),
  } as unknown as DeliveryContext;
}

type Row = Partial<Omit<DeliveryRow, 'payload'>> & { readonly payload?: object };

const rowsOf = (uid: string, ...rows: readonly Row[]) => {
  const whole = rows.map((row) => ({
    deliveryId: `${uid}.ops`,
    channel: 'ops',
    event: 'down',
    state: 'waiting',
    nextAt: nowAt,
    payload: {},
    ...row,
  })) as unknown as DeliveryRow[];
  return (other: string) => (other === uid ? whole : []);
};

describe('a dependent that was named', () => {
  const by = { row: { channel: 'ops', incident: 'of-db', monitor: 'db', deliveryId: 'lead' } } as Ready;
  const written = (...rows: readonly Row[]) =>
    operationsOfNaming(
      { incident: 'of-api', by, groupId: 'a group' },
      rowsOf('of-api', ...rows),
      contextOf(),
    ).map(([name]) => name);
  const namedBy = { groupId: 'a group', root: 'of-db' };

  it('is remembered in its own alert for the channel while that waits', () => {
    assert.deepEqual(written({}), ['outbox.change']);
    assert.deepEqual(written({ payload: { namedBy: { ...namedBy, root: 'of-mail' } } }), ['outbox.change']);
    assert.deepEqual(written({ payload: { namedBy: { ...namedBy, groupId: 'another' } } }), [
      'outbox.change',
    ]);
    assert.deepEqual(written({ payload: { namedBy } }), []);
  });

  it('is remembered in one that is made for it where it has none on the channel', () => {
    const made = ['outbox.put', 'outbox.sent'];
    assert.deepEqual(written(), made);
    assert.deepEqual(written({ channel: 'sms' }), made);
    assert.deepEqual(written({ event: 'reminder' }), made);
  });

  it('is remembered in such a one where it ended while the message was on its way, once', () => {
    const dropped = { deliveryId: deliveryIdOf('of-api.down', 'ops'), state: 'dropped' } as const;
    assert.deepEqual(written(dropped), ['outbox.put', 'outbox.sent']);
    assert.deepEqual(written(dropped, { state: 'sent', payload: { namedBy } }), []);
  });

  it('is left to its own recovery when its alert was received, or may have been', () => {
    assert.deepEqual(written({ state: 'sent' }), []);
    const copies = { copies: { as: 'm', lead: 'x', count: 1 } };
    for (const payload of [copies, { namedBy }]) assert.deepEqual(written({ state: 'dropped', payload }), []);
    assert.deepEqual(written({ payload: { copies: { as: 'm', lead: 'x', count: 1 } } }), []);
  });
});

describe('a recovery', () => {
  const root = { channel: 'ops', incident: 'of-db', named: ['of-api'] };
  const ends = (rows: readonly Row[] = [], scene: Scene = {}) =>
    endedWith(root, rowsOf('of-api', ...rows), contextOf(scene));

  it('names what its alert named and is over', () => {
    assert.deepEqual(ends(), ['of-api']);
    assert.deepEqual(ends([], { incidents: { 'of-api': { endedAt: null } } }), []);
    assert.deepEqual(ends([], { incidents: { 'of-api': null } }), []);
    assert.deepEqual(ends([], { down: ['api'] }), []);
    assert.deepEqual(ends([], { down: ['db'] }), ['of-api']);
  });

  it('leaves out what has a recovery of its own on the channel', () => {
    assert.deepEqual(ends([{ event: 'recovered' }]), []);
    assert.deepEqual(ends([{ event: 'recovered', channel: 'sms' }]), ['of-api']);
    assert.deepEqual(ends([{ state: 'sent' }]), []);
    assert.deepEqual(ends([{ state: 'sent', channel: 'sms' }]), ['of-api']);
    assert.deepEqual(ends([{ state: 'waiting' }]), ['of-api']);
  });

  it('names what was only named, when its own alert was the one that named it last', () => {
    const namedBy = (uid: string) => ({ state: 'sent', payload: { namedBy: { groupId: 'g', root: uid } } });
    assert.deepEqual(ends([namedBy('of-db') as Row]), ['of-api']);
    assert.deepEqual(ends([namedBy('of-mail') as Row]), []);
    const dropped = { state: 'dropped', payload: { hold: { reason: 'folded', by: 'db mail' } } } as const;
    assert.deepEqual(ends([dropped, namedBy('of-db') as Row]), ['of-api']);
    // The recovery of the other one ends it, though it was folded into both.
    assert.deepEqual(ends([dropped, namedBy('of-mail') as Row]), []);
  });

  describe('names what was folded into its outage later', () => {
    const folded = { state: 'dropped', payload: { hold: { reason: 'folded', by: 'db' } } } as const;
    const later = (scene: Scene = {}, named: readonly string[] = []) =>
      endedWith({ ...root, named }, rowsOf('of-api', folded), contextOf(scene));

    it('once, and when it is up', () => {
      assert.deepEqual(later(), ['of-api']);
      assert.deepEqual(later({}, ['of-api']), ['of-api']);
      assert.deepEqual(later({ down: ['api'] }), []);
      assert.deepEqual(later({ known: () => null }), []);
      assert.deepEqual(later({ known: () => undefined }), []);
      assert.deepEqual(later({ known: (monitor) => (monitor === 'api' ? nowAt : null) }), ['of-api']);
      assert.deepEqual(later({ incidents: { 'of-db': { impacted: [] } } }), []);
    });

    it('when the two outages have an instant in common', () => {
      const rootEndsAt = nowAt - minute;
      const rootBeginsAt = nowAt - 10 * minute;
      const api = (change: Partial<IncidentRow>) => later({ incidents: { 'of-api': change } });
      assert.deepEqual(api({ startedAt: rootEndsAt, endedAt: nowAt }), ['of-api']);
      assert.deepEqual(api({ startedAt: rootEndsAt + 1, endedAt: nowAt }), []);
      assert.deepEqual(api({ startedAt: 0, endedAt: rootBeginsAt }), ['of-api']);
      assert.deepEqual(api({ startedAt: 0, endedAt: rootBeginsAt - 1 }), []);
      const open = { 'of-db': { endedAt: null }, 'of-api': { startedAt: nowAt, endedAt: nowAt } };
      assert.deepEqual(later({ incidents: open }), ['of-api']);
    });
  });
});

describe('the incidents of a message', () => {
  it('are known by uid, or by the number that earlier versions wrote', () => {
    assert.deepEqual(uidsOf(['of-api', 1, 9, 3], contextOf()), ['of-api', 'of-db', 'of-mail']);
  });

  it('are over when they have an end and their monitor is not down again', () => {
    const uids = ['of-db', 'of-api', 'of-mail', 'of-nothing'];
    assert.deepEqual(stillOver(uids, contextOf()), ['of-db', 'of-api', 'of-mail']);
    const scene = { down: ['mail'], incidents: { 'of-api': { endedAt: null } } };
    assert.deepEqual(stillOver(uids, contextOf(scene)), ['of-db']);
  });
});
