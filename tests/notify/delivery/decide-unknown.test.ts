/** What is decided about a message on a monitor that cannot be checked, at the bounds of each rule. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import type { RecoveryPayload } from '../../../src/engine/alerting/events/recovered.ts';
import type { Hold } from '../../../src/engine/alerting/events/stored.ts';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import type { DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { composeChecksAgain, composeUnknown } from '../../../src/notify/delivery/compose-unknown.ts';
import { hasOpenIncident } from '../../../src/notify/delivery/decide-outage.ts';
import { unknownGroups } from '../../../src/notify/delivery/open-outages.ts';
import {
  decideChecksAgain,
  decideUnknown,
  type UnknownMessage,
} from '../../../src/notify/delivery/decide-unknown.ts';

const nowAt = Date.UTC(2026, 0, 1);
const second = 1000;

interface Scene {
  /** When the monitor was last looked at, s before now; null: never. */
  readonly lookedSecs?: number | null;
  /** When it could last be checked; null: never. */
  readonly knownSecs?: number | null;
  readonly held?: Hold['reason'];
  readonly isBlind?: boolean;
  /** When the group of the same cause began, s before now; null: there is none. */
  readonly groupSecs?: number | null;
  readonly ownFault?: string | null;
}

const ago = (secs: number | null) => (secs === null ? null : nowAt - secs * second);

function decided(scene: Scene) {
  const {
    lookedSecs = 0,
    knownSecs = null,
    held,
    isBlind = false,
    groupSecs = null,
    ownFault = 'dns',
  } = scene;
  const groups =
    groupSecs === null ? [] : [{ id: 'first', startedAt: nowAt - groupSecs * second, unchecked: [] }];
  const context = {
    nowAt,
    network: () => ({ state: isBlind ? 'lost' : 'ok' }),
    stateOf: () => (knownSecs === null ? null : { knownAt: ago(knownSecs) }),
    look: () => ({ failingSinceAt: null, lookedAt: ago(lookedSecs) }),
    unknownGroups: () => ({
      of: (channel: string, fault: string) => (channel === 'ops' && fault === 'dns' ? groups : []),
      uncheckedIn: () => [],
      isOngoing: () => false,
    }),
  } as unknown as DeliveryContext;
  const begun = { startedAt: nowAt, confirmedAt: nowAt, confirmation: '', windowEndsAt: nowAt, ownFault };
  const message = {
    row: { channel: 'ops' },
    monitor: 'api',
    payload: outagePayload(begun),
    hold: held === undefined ? null : { reason: held, by: null },
  } as unknown as UnknownMessage;
  const decision = decideUnknown(message, context);
  if (decision?.kind === 'hold') return `${decision.hold.reason} ${(decision.untilAt - nowAt) / second} s`;
  return decision?.kind === 'ask' ? `ask ${decision.ids.join(' ')} ${decision.untilAt}` : 'send';
}

describe('a message about what cannot be checked', () => {
  it('waits ten seconds at a time while this node suspects its own network', () => {
    assert.equal(decided({ isBlind: true }), 'node_blind 10 s');
    assert.equal(decided({ isBlind: true, groupSecs: 0 }), 'node_blind 10 s');
    assert.equal(decided({}), 'send');
  });

  it('waits five minutes at a time while another one says the same of its cause', () => {
    assert.equal(decided({ groupSecs: 100 }), 'same_cause 300 s');
    assert.equal(decided({ groupSecs: 100, ownFault: 'proxy' }), 'send');
    assert.equal(decided({ groupSecs: 100, ownFault: null }), 'send');
  });

  it('is sent beside that one when its monitor could be checked more than a minute after that began', () => {
    assert.equal(decided({ groupSecs: 100, knownSecs: 40 }), 'same_cause 300 s');
    assert.equal(decided({ groupSecs: 100, knownSecs: 39 }), 'send');
  });

  it('that waited for another one is sent after a look of the last minute', () => {
    const ask = 'ask api Infinity';
    assert.equal(decided({ held: 'same_cause', lookedSecs: 60 }), 'send');
    assert.equal(decided({ held: 'same_cause', lookedSecs: 61 }), ask);
    assert.equal(decided({ held: 'same_cause', lookedSecs: null }), ask);
    assert.equal(decided({ held: 'window', lookedSecs: 3600 }), 'send');
  });

  it('that waited for the network of this node is sent after a look of the last second', () => {
    assert.equal(decided({ held: 'node_blind', lookedSecs: 1 }), 'send');
    assert.equal(decided({ held: 'node_blind', lookedSecs: 2 }), 'ask api Infinity');
  });
});

describe('the recovery of what could not be checked', () => {
  const endedAt = nowAt;
  const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

  function checked(
    unchecked: readonly string[],
    lookedAt: number | null,
    causeGroup: string | null = 'first',
  ) {
    const context = {
      unknownGroups: () => ({
        of: () => [],
        uncheckedIn: (group: string) => (group === 'first' ? unchecked : []),
      }),
      look: () => ({ failingSinceAt: null, lookedAt }),
    } as unknown as DeliveryContext;
    const decision = decideChecksAgain({ endedAt, causeGroup } as RecoveryPayload, context);
    return decision?.kind === 'ask' ? [decision.ids.length, decision.untilAt] : decision;
  }

  it('waits for a check of the others of its group that were not looked at since, 200 of them at once', () => {
    assert.deepEqual(checked(idsOf(3), endedAt - 1), [3, Infinity]);
    assert.deepEqual(checked(idsOf(3), null), [3, Infinity]);
    assert.deepEqual(checked(idsOf(201), null), [200, Infinity]);
  });

  it('waits for nothing when all were looked at since, or none is left', () => {
    assert.equal(checked(idsOf(3), endedAt), null);
    assert.equal(checked([], null), null);
    assert.equal(checked(idsOf(3), null, null), null);
    assert.equal(checked(idsOf(3), null, 'another'), null);
  });
});

describe('the messages about what cannot be checked', () => {
  /** Incidents of one cause whose delivery was sent, or waits for the one that is named. */
  function groupsOf(
    deliveries: Readonly<Record<string, 'sent' | { readonly by: string; readonly state?: string }>>,
    recoveries: readonly Readonly<Record<string, string | null>>[] = [],
  ) {
    const rowOf = (uid: string) => {
      const found = deliveries[uid] ?? assert.fail();
      const hold = found === 'sent' ? null : { reason: 'same_cause', by: found.by };
      const times = { startedAt: nowAt, confirmedAt: nowAt, windowEndsAt: nowAt, confirmation: '' };
      return {
        deliveryId: uid,
        channel: 'ops',
        event: 'unknown',
        state: found === 'sent' ? 'sent' : (found.state ?? 'waiting'),
        payload: { ...outagePayload({ ...times, ownFault: 'dns' }), hold },
      } as unknown as DeliveryRow;
    };
    const open = Object.keys(deliveries).map((uid) => ({ uid, monitor: `of ${uid}`, ownFault: 'dns' }));
    const all = () =>
      recoveries.map((recovery) => ({
        row: {
          channel: 'ops',
          event: 'recovered',
          payload: { from: 'unknown', startedAt: nowAt - second, endedAt: nowAt, ...recovery },
        } as unknown as DeliveryRow,
        outage: null,
        hold: null,
      }));
    return unknownGroups({ open, deliveries: { all, ofIncident: (uid) => [rowOf(uid)] } });
  }

  it('last while one that was sent is about what still cannot be checked, with what waits for it', () => {
    const groups = groupsOf({ first: 'sent', second: { by: 'first' } });
    assert.deepEqual(groups.of('ops', 'dns'), [
      { id: 'first', startedAt: nowAt, unchecked: ['of first', 'of second'] },
    ]);
    assert.deepEqual(groups.uncheckedIn('first'), ['of first', 'of second']);
    assert.deepEqual(groups.of('sms', 'dns'), []);
    assert.deepEqual(groups.of('ops', 'plugin'), []);
    assert.deepEqual(groups.uncheckedIn('second'), []);
  });

  it('last until their recovery is sent, and other recoveries have nothing to do with them', () => {
    const groups = groupsOf({ second: { by: 'first' } }, [
      { ownFault: 'dns', causeGroup: 'first' },
      { ownFault: 'dns', causeGroup: null },
      { ownFault: null, causeGroup: 'other' },
    ]);
    assert.deepEqual(groups.of('ops', 'dns'), [
      { id: 'first', startedAt: nowAt - second, unchecked: ['of second'] },
    ]);
    assert.deepEqual(groups.of('ops', 'null'), []);
  });

  it('cover nothing that was dropped while it waited for them', () => {
    const groups = groupsOf({ first: 'sent', second: { by: 'first', state: 'dropped' } });
    assert.deepEqual(groups.uncheckedIn('first'), ['of first']);
  });

  it('are over when nothing is left of them but what waits for them', () => {
    const groups = groupsOf({ second: { by: 'first' } });
    assert.deepEqual(groups.of('ops', 'dns'), []);
    assert.deepEqual(groups.uncheckedIn('first'), ['of second']);
  });
});

describe('a message about what cannot be checked that cannot be put together', () => {
  const row = { channel: 'ops', event: 'unknown', monitor: 'api', incident: 'gone', payload: null };
  const unreadable = row as unknown as DeliveryRow;
  const head = { deliveryId: 'first', isTest: false, link: null };
  const context = {
    settings: { monitors: new Map(), names: new Map() },
    stateOf: () => null,
    incident: () => null,
  } as unknown as DeliveryContext;

  it('is none when nothing of it can be read', () => {
    assert.equal(composeUnknown([unreadable], head, context), null);
    assert.equal(composeChecksAgain([unreadable], head, context), null);
  });

  it('says nothing of why when its incident is not in the record', () => {
    const ended = { from: 'unknown', startedAt: nowAt - second, endedAt: nowAt, ownFault: 'dns' };
    const message = composeChecksAgain([{ ...unreadable, payload: ended }], head, context);
    assert.deepEqual([message?.reason, message?.incidentId], [null, null]);
    assert.deepEqual(message?.grouping.incidentIds, []);
  });
});

describe('the incident of a delivery', () => {
  it('is open when it is in the record and has no end', () => {
    const isOpen = (incident: string | null, endedAt?: number | null) =>
      hasOpenIncident(
        { incident } as DeliveryRow,
        {
          incident: () => (endedAt === undefined ? null : { endedAt }),
        } as unknown as DeliveryContext,
      );
    assert.equal(isOpen('first', null), true);
    assert.equal(isOpen('first', nowAt), false);
    assert.equal(isOpen('first'), false);
    assert.equal(isOpen(null, null), false);
  });
});
