/** What a delivery is stored as, and what is read of it again, also where another version wrote it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stepJson, stepOf } from '../../../../src/engine/alerting/events/added-by.ts';
import {
  degradationOf,
  unstableEpisodeOf,
  unstableMonitorIn,
  outageEventOf,
} from '../../../../src/engine/alerting/events/outage.ts';
import { outagePayload, readOutage } from '../../../../src/engine/alerting/events/outage-payload.ts';
import { changeJson, changeOf } from '../../../../src/engine/alerting/events/recent-change.ts';
import { readRecovery } from '../../../../src/engine/alerting/events/recovered.ts';
import { readReminder } from '../../../../src/engine/alerting/events/reminder.ts';
import {
  changed,
  foldedInto,
  holdOf,
  holdReasons,
  type PayloadJson,
  timestampOrNull,
} from '../../../../src/engine/alerting/events/stored.ts';
import {
  endsOf,
  groupOf,
  isFirstOfGroup,
  namedByOf,
  namedOf,
  wasNamed,
} from '../../../../src/engine/alerting/group.ts';
import { deliveryIdOf, episodeOf } from '../../../../src/engine/alerting/ids.ts';

describe('an outage that waits to be sent', () => {
  const span = { startedAt: 10, confirmedAt: 20 };
  const begun = { ...span, confirmation: 'one failed check', windowEndsAt: 50, ownFault: null };
  const untouched = {
    ...begun,
    cause: null,
    isGrouped: false,
    latencyMs: null,
    limitMs: null,
    reason: null,
    downPercent: null,
    outages: null,
    spanMs: null,
    causeGroup: null,
    alsoNamed: [],
    hold: null,
    coveredMs: 0,
    coveredSinceAt: null,
    renewedAfter: null,
    spokenForUntilAt: null,
    loggedHolds: [],
    changeTitle: null,
    changeAt: null,
    knownAs: null,
    degradation: [],
  };

  it('begins with nothing that holds or covers it', () => {
    assert.deepEqual(outagePayload(begun), untouched);
    const more = {
      latencyMs: 1200,
      limitMs: 1000,
      reason: 'slow',
      changeTitle: 'deploy',
      changeAt: 5,
      knownAs: 'api',
      degradation: ['a', 'b'],
    };
    assert.deepEqual(outagePayload({ ...begun, ...more, ownFault: 'resolver' }), {
      ...untouched,
      ...more,
      ownFault: 'resolver',
    });
  });

  it('is read back as it was written', () => {
    const written = {
      ...untouched,
      cause: 'db',
      isGrouped: true,
      latencyMs: 1200,
      limitMs: 1000,
      reason: 'slow',
      ownFault: 'resolver',
      causeGroup: 'i1.unknown.a',
      alsoNamed: ['web', 'api'],
      hold: { reason: 'folded', by: 'db' },
      coveredMs: 7,
      coveredSinceAt: 30,
      renewedAfter: 'db cache',
      spokenForUntilAt: 40,
      loggedHolds: ['folded db'],
      changeTitle: 'deploy',
      changeAt: 5,
      knownAs: 'api',
      degradation: ['a', 'b'],
    } as const;
    assert.deepEqual(readOutage(JSON.parse(JSON.stringify(written)) as PayloadJson), written);
  });

  it('of an early version has no window of its own, and none at all without its instants', () => {
    assert.deepEqual(readOutage(span), { ...untouched, confirmation: '', windowEndsAt: 20 });
    for (const payload of [
      null,
      {},
      { startedAt: 10 },
      { confirmedAt: 20 },
      { ...span, startedAt: '10' },
      [1],
    ])
      assert.equal(readOutage(payload), null, JSON.stringify(payload));
    assert.equal(readOutage({ ...span, isGrouped: 1 })?.isGrouped, false);
  });

  it('of an early version was covered from the beginning by what holds it now', () => {
    const since = (hold: PayloadJson, more = {}) => readOutage({ ...span, hold, ...more })?.coveredSinceAt;
    assert.equal(since({ reason: 'folded', by: 'db' }), 20);
    assert.equal(since({ reason: 'muted', by: '3' }), 20);
    assert.equal(since({ reason: 'quiet_hours', by: null }), null);
    assert.equal(since(null), null);
    assert.equal(
      since({ reason: 'folded', by: 'db' }, { coveredSinceAt: null }),
      null,
      'this one keeps covers',
    );
    assert.equal(since(null, { coveredSinceAt: 33 }), 33);
  });

  it('is filed under its incident, or under a name where it has none', () => {
    const fact = { monitor: 'web', at: 9, startedAt: 5, endedAt: 9 };
    assert.equal(episodeOf({ kind: 'incident_closed', uid: 'i1', ...fact }), 'i1');
    assert.equal(episodeOf({ kind: 'degraded_ended', by: 'recovery', ...fact }), 'web.degraded.5');
    assert.equal(degradationOf('web', 5), 'web.degraded.5');
    const unstable = { kind: 'unstable_ended', by: 'recovery', outages: 3, ...fact } as const;
    assert.equal(episodeOf(unstable), 'web.unstable.5');
    assert.equal(unstableEpisodeOf('web', 5), 'web.unstable.5');
    assert.deepEqual(
      [unstableMonitorIn('web.unstable.5'), unstableMonitorIn('web.degraded.5')],
      ['web', null],
    );
    const blind = { kind: 'node_blind', at: 9, startedAt: 5, reason: null, monitors: [] } as const;
    assert.equal(episodeOf({ ...blind, isContinued: false }), 'node.blind.5');
  });

  it('is what begins it and what ends it', () => {
    assert.deepEqual(outageEventOf, {
      incident_opened: 'down',
      incident_closed: 'down',
      unknown_confirmed: 'unknown',
      unknown_ended: 'unknown',
      degraded_confirmed: 'degraded',
      degraded_ended: 'degraded',
      unstable_confirmed: 'unstable',
      unstable_ended: 'unstable',
    });
  });
});

describe('the name of a delivery', () => {
  it('is the same after an upgrade: what waits is found under it', () => {
    assert.deepEqual(
      ['ops', 'a "name" / of any kind', 'ünïcode', ''].map((channel) => deliveryIdOf('i1.down', channel)),
      ['i1.down.1f7ee5m32pj', 'i1.down.11to3ord5jh', 'i1.down.wnznigcq0i', 'i1.down.wvjl67o803'],
    );
  });
});

describe('a recovery', () => {
  const span = { startedAt: 10, endedAt: 20 };

  it('is read back as it was written', () => {
    const written = {
      from: 'unknown',
      ...span,
      isLate: true,
      isRemoved: true,
      ownFault: 'resolver',
      causeGroup: 'g',
      alsoNamed: ['web'],
      alertId: 'i1.down.x',
      knownAs: 'api',
      outages: null,
      hold: { reason: 'down_again', by: null },
    } as const;
    assert.deepEqual(readRecovery({ ...written }), written);
  });

  it('is one from down where nothing else is stored, and none without its span', () => {
    assert.deepEqual(readRecovery(span), {
      from: 'down',
      ...span,
      isLate: false,
      isRemoved: false,
      ownFault: null,
      causeGroup: null,
      alsoNamed: [],
      alertId: null,
      knownAs: null,
      outages: null,
      hold: null,
    });
    assert.deepEqual(
      ['down', 'degraded', 'unknown', 'unstable', 'sideways'].map(
        (from) => readRecovery({ ...span, from })?.from,
      ),
      ['down', 'degraded', 'unknown', 'unstable', 'down'],
    );
    for (const payload of [null, { startedAt: 10 }, { endedAt: 20 }])
      assert.equal(readRecovery(payload), null, JSON.stringify(payload));
  });
});

it('a reminder is read back whole or not at all', () => {
  const whole = { startedAt: 1, dueAt: 2, number: 3, repeatMs: 4 };
  assert.deepEqual(readReminder({ ...whole, hold: null }), whole);
  for (const key of Object.keys(whole))
    assert.equal(readReminder({ ...whole, [key]: null }), null, `without ${key}`);
});

describe('what holds a delivery back', () => {
  it('contains every reason of this version', () => {
    for (const reason of holdReasons) assert.deepEqual(holdOf({ hold: { reason } }), { reason, by: null });
    assert.deepEqual(holdOf({ hold: { reason: 'folded', by: 'db' } }), { reason: 'folded', by: 'db' });
    for (const payload of [
      null,
      {},
      { hold: null },
      { hold: 'muted' },
      { hold: { reason: 'lost', by: 'db' } },
    ])
      assert.equal(holdOf(payload), null, JSON.stringify(payload));
  });

  it('names the upstreams whose message covers it, as long as it waits', () => {
    const folded = (by: string | null, state = 'waiting', reason = 'folded') =>
      foldedInto({ state, payload: { hold: { reason, by } } });
    assert.deepEqual(folded('db cache'), ['db', 'cache']);
    assert.deepEqual(folded(null), []);
    assert.equal(folded('db', 'sent'), null);
    assert.equal(folded('db', 'waiting', 'upstream_due'), null);
    assert.equal(foldedInto({ state: 'waiting', payload: {} }), null);
  });

  it('is changed without touching the rest', () => {
    assert.deepEqual(changed({ startedAt: 1, hold: { reason: 'muted' } }, { hold: null }), {
      startedAt: 1,
      hold: null,
    });
    assert.deepEqual(changed(null, { hold: null }), { hold: null });
  });
});

describe('what a delivery remembers of its message', () => {
  it('is the group of everything that one message named', () => {
    assert.equal(groupOf({ groupId: 'g' }), 'g');
    assert.equal(groupOf({}), null);
    assert.equal(groupOf(null), null);
  });

  it('is who named it, whole or not at all', () => {
    assert.deepEqual(namedByOf({ namedBy: { groupId: 'g', root: 'i1' } }), { groupId: 'g', root: 'i1' });
    for (const namedBy of [null, {}, { groupId: 'g' }, { root: 'i1' }, { groupId: 'g', root: 7 }, 'g'])
      assert.equal(namedByOf({ namedBy }), null, JSON.stringify(namedBy));
    assert.equal(namedByOf({}), null);
  });

  it('is which incidents it named and ends, by uid or, from an early version, by number', () => {
    assert.deepEqual(namedOf({ named: ['i1', 7, null, true] }), ['i1', 7]);
    assert.deepEqual(endsOf({ ends: [] }), []);
    for (const payload of [{}, { named: null }, { named: 'i1', ends: { 0: 'i1' } }])
      assert.deepEqual([namedOf(payload), endsOf(payload)], [null, null]);
  });

  it('is whether it ends the first outage of its group, or one that had no message of its own', () => {
    const of = (payload: PayloadJson) => [isFirstOfGroup(payload), wasNamed(payload)];
    assert.deepEqual(of({ isFirst: true }), [true, false]);
    assert.deepEqual(of({ wasNamed: true }), [false, true]);
    assert.deepEqual(of({ isFirst: 1, wasNamed: 'yes' }), [false, false]);
    assert.deepEqual(of(null), [false, false]);
  });

  it('is the step that added its channel', () => {
    const step = { number: 2, of: 'on-call', isRelief: true };
    assert.deepEqual(stepOf({ payload: { step: 2, escalation: 'on-call', isRelief: true } }), step);
    assert.deepEqual(stepOf({ payload: { step: 0, escalation: null } }), {
      number: 0,
      of: null,
      isRelief: false,
    });
    assert.equal(stepOf({ payload: {} }), null, 'it was routed from the beginning');
    assert.equal(stepOf({ payload: { escalation: 'on-call', isRelief: true } }), null);
    assert.deepEqual(stepJson(step), { escalation: 'on-call', step: 2 });
    for (const none of [null, undefined, { ...step, of: null }]) assert.deepEqual(stepJson(none), {});
  });

  it('is what was changed shortly before, where both its title and its instant are known', () => {
    const at = Date.UTC(2026, 0, 2);
    assert.deepEqual(changeOf({ changeTitle: 'deploy', changeAt: at }), { title: 'deploy', at });
    assert.equal(changeOf({ changeTitle: 'deploy', changeAt: null }), null);
    assert.equal(changeOf({ changeTitle: null, changeAt: at }), null);
    const said = { recent_change: { title: 'deploy', at: '2026-01-02T00:00:00.000Z' } };
    assert.deepEqual(changeJson({ title: 'deploy', at }), said);
    for (const none of [null, undefined]) assert.deepEqual(changeJson(none), {});
    assert.equal(timestampOrNull(null), null);
    assert.equal(timestampOrNull(at), '2026-01-02T00:00:00.000Z');
  });
});
