/** What becomes of the messages about an outage when it ends, by how far each of them got. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRecovery } from '../../../src/engine/alerting/events/recovered.ts';
import { holdReasons, type PayloadJson } from '../../../src/engine/alerting/events/stored.ts';
import { deliveryIdOf } from '../../../src/engine/alerting/ids.ts';
import type { Intent, QueuedRow } from '../../../src/engine/alerting/intent.ts';
import { queue } from '../../../src/engine/alerting/queue.ts';

const endedAt = 20_000;
const windowMs = 30_000;
const about = { monitor: 'api', at: endedAt, startedAt: 500, endedAt };
const closed = { kind: 'incident_closed', uid: 'i1', ...about } as const;
const removed = { ...closed, by: 'removal' } as const;
const recovered = { kind: 'degraded_ended', by: 'recovery', ...about } as const;
const worse = { ...recovered, by: 'outage' } as const;
const unknownEnded = { kind: 'unknown_ended', uid: 'i1', ...about } as const;
const span = { startedAt: 500, confirmedAt: 1000 };
const copies = { copies: { as: 'i1.down.x', count: 1 } };
const named = { namedBy: { groupId: 'g', root: 'i0' } };
const held = (reason: string, by: string | null = null) => ({ ...span, hold: { reason, by } });

const row = (changes: Partial<QueuedRow> = {}): QueuedRow => ({
  deliveryId: 'd',
  channel: 'ops',
  event: 'down',
  state: 'waiting',
  attempts: 0,
  nextAt: 31_000,
  payload: span,
  ...changes,
});
type End = typeof closed | typeof removed | typeof recovered | typeof worse | typeof unknownEnded;
const ended = (fact: End, changes: Partial<QueuedRow> = {}, window = windowMs) => {
  const event =
    fact.kind === 'degraded_ended' ? 'degraded' : fact.kind === 'unknown_ended' ? 'unknown' : 'down';
  const rows = [row({ event, ...changes })];
  return queue(fact, { rows, channels: [], windowMs: window, isDegradedNotified: true });
};
const words = (intents: readonly Intent[]) =>
  intents.map((intent) => {
    switch (intent.kind) {
      case 'put':
        return `put ${intent.event} at ${intent.nextAt}`;
      case 'replace':
      case 'change':
      case 'drop':
        return intent.kind;
      case 'decide':
        return `${intent.verdict} ${intent.event} ${intent.reason}`;
    }
  });
const recoveryAt = (at: number, why = 'recovery') => [`put recovered at ${at}`, `queued recovered ${why}`];

describe('a message that waits when its outage ends', () => {
  const suppressed: Readonly<Record<string, string>> = {
    window: 'flap',
    muted: 'muted',
    folded: 'folded',
    channel_unavailable: 'channel_removed',
    same_cause: 'same_cause',
    node_blind: 'node_blind',
    later_group: 'over',
    acknowledged: 'acknowledged',
    off_call: 'off_call',
    not_routed: 'not_routed',
    unstable: 'unstable',
  };
  for (const reason of holdReasons) {
    const word = suppressed[reason];
    it(`is ${word === undefined ? 'left to delivery' : 'dropped'} where it is held: ${reason}`, () => {
      const payload = held(reason, 'db');
      const down = word === undefined ? [] : ['drop', `spared down ${word}`];
      assert.deepEqual(words(ended(closed, { payload })), down);
      const degraded = ['drop', `spared degraded ${word ?? 'over'}`];
      assert.deepEqual(words(ended(recovered, { payload })), degraded, 'a degradation is never sent late');
    });
  }

  it('is dropped where nothing was decided about it yet, also when it cannot be read', () => {
    assert.deepEqual(words(ended(closed)), ['drop', 'spared down flap']);
    assert.deepEqual(words(ended(closed, { payload: null })), ['drop', 'spared down flap']);
  });

  it('says that its upstream covered it where that one named it', () => {
    assert.deepEqual(words(ended(closed, { payload: { ...span, ...named } })), [
      'drop',
      'spared down folded',
    ]);
    assert.deepEqual(words(ended(closed, { payload: { ...held('muted'), ...named } })), [
      'drop',
      'spared down muted',
    ]);
  });

  it('is left to delivery once it was due or tried: it may be on its way', () => {
    const degraded = ['drop', 'spared degraded over'];
    for (const changes of [{ nextAt: endedAt }, { attempts: 1 }, { nextAt: endedAt - 1 }]) {
      assert.deepEqual(words(ended(closed, changes)), []);
      assert.deepEqual(words(ended(closed, { ...changes, payload: held('muted') })), []);
      assert.deepEqual(words(ended(removed, changes)), []);
      assert.deepEqual(words(ended(recovered, changes)), degraded);
    }
    assert.notDeepEqual(words(ended(closed, { nextAt: endedAt + 1 })), []);
  });

  it('in its second window is covered as long as the message about its upstream covers it', () => {
    const renewed = (spokenForUntilAt: number | null) =>
      words(ended(closed, { payload: { ...held('window'), renewedAfter: 'db', spokenForUntilAt } }));
    assert.deepEqual(renewed(endedAt + 1), ['drop', 'spared down folded']);
    assert.deepEqual(renewed(endedAt), []);
    assert.deepEqual(renewed(null), []);
  });

  it('is dropped when its monitor is removed, and taken from the message about its upstream', () => {
    assert.deepEqual(words(ended(removed)), ['drop', 'spared down monitor_removed']);
    const payload = held('folded', 'db');
    const [changed, dropped, why, ...more] = ended(removed, { payload });
    assert.deepEqual(changed, { kind: 'change', deliveryId: 'd', changes: { hold: null }, nextAt: null });
    assert.deepEqual(dropped, { kind: 'drop', deliveryId: 'd' });
    assert.ok(why?.kind === 'decide');
    assert.deepEqual([why.verdict, why.reason, why.channel], ['spared', 'monitor_removed', 'ops']);
    assert.deepEqual(more, []);
  });

  it('and that the message about its upstream named has a recovery when its monitor is removed', () => {
    for (const by of ['folded', 'not_routed']) {
      const payload = { ...held(by, 'db'), ...named };
      assert.deepEqual(words(ended(removed, { payload })), [
        'change',
        'drop',
        'spared down monitor_removed',
        ...recoveryAt(30_000, 'no_longer_monitored'),
      ]);
    }
  });

  it('gives way to the alert that the monitor is down now, however it is held', () => {
    for (const payload of [span, held('muted'), { ...span, ...copies }])
      assert.deepEqual(words(ended(worse, { payload, attempts: 1 })), [
        'drop',
        'spared degraded became_down',
      ]);
  });

  it('is not copied any more, and has a recovery, where a copy may have been received', () => {
    const payload = { ...span, ...copies };
    const noAnswer = ['drop', 'undelivered down no_answer'];
    assert.deepEqual(words(ended(closed, { payload, attempts: 1 })), [...noAnswer, ...recoveryAt(endedAt)]);
    assert.deepEqual(words(ended(removed, { payload })), [
      ...noAnswer,
      ...recoveryAt(endedAt, 'no_longer_monitored'),
    ]);
  });
});

describe('a message that is finished when its outage ends', () => {
  it('has a recovery where it was sent', () => {
    assert.deepEqual(words(ended(closed, { state: 'sent' })), recoveryAt(endedAt));
    assert.deepEqual(words(ended(removed, { state: 'sent' })), recoveryAt(endedAt, 'no_longer_monitored'));
    assert.deepEqual(words(ended(recovered, { state: 'sent' })), recoveryAt(endedAt));
    assert.deepEqual(words(ended(worse, { state: 'sent' })), [], 'it is down instead');
  });

  it('about its upstream ends with that one, unless its monitor is removed', () => {
    for (const state of ['sent', 'given_up'] as const) {
      const changes = { state, payload: { ...span, ...named } };
      assert.deepEqual(words(ended(closed, changes)), []);
      assert.deepEqual(words(ended(removed, changes)), recoveryAt(30_000, 'no_longer_monitored'));
    }
  });

  it('has a recovery where it was given up but may have been received', () => {
    const payload = { ...span, ...copies };
    assert.deepEqual(words(ended(closed, { state: 'given_up', payload })), recoveryAt(endedAt));
    assert.deepEqual(words(ended(closed, { state: 'given_up' })), ['spared recovered never_told']);
    assert.deepEqual(words(ended(worse, { state: 'given_up', payload })), ['spared recovered never_told']);
    const [why] = ended(closed, { state: 'given_up' });
    assert.deepEqual(why?.kind === 'decide' && [why.channel, why.incident, why.monitor], [
      'ops',
      'i1',
      'api',
    ]);
  });

  it('needs nothing where it was dropped', () => {
    assert.deepEqual(ended(closed, { state: 'dropped' }), []);
  });
});

describe('what else is queued about it', () => {
  it('is dropped where it is a reminder that waits, and left alone where it is about something else', () => {
    assert.deepEqual(words(ended(closed, { event: 'reminder' })), ['drop']);
    assert.deepEqual(words(ended(closed, { event: 'reminder', state: 'sent' })), []);
    for (const event of ['recovered', 'unknown'])
      assert.deepEqual(words(ended(closed, { event, state: 'sent' })), [], event);
  });

  it('is ended with it where it is about the degradation that it was before, and nothing about it was sent', () => {
    const degraded = { event: 'degraded', state: 'sent', channel: 'ops', deliveryId: 'd0' } as const;
    const both = (changes: Partial<QueuedRow>, alert: Partial<QueuedRow> = degraded) => {
      const rows = [row(alert), row(changes)];
      const intents = queue(closed, { rows, channels: [], windowMs, isDegradedNotified: true });
      return words(intents).filter((word) => word.startsWith('put'));
    };
    const ends = ['put recovered at 20000'];
    assert.deepEqual(both({ state: 'dropped' }), ends);
    assert.deepEqual(both({ state: 'waiting', nextAt: endedAt + 1 }), ends, 'a flap');
    assert.deepEqual(both({ state: 'given_up' }), ends);
    assert.deepEqual(
      both({ state: 'sent', channel: 'other' }),
      [...ends, ...ends],
      'each has the end of its own',
    );
    assert.deepEqual(both({ state: 'sent' }), ends, 'the end of the outage stands for it');
    assert.deepEqual(both({ state: 'dropped' }, { ...degraded, state: 'dropped' }), []);
    assert.deepEqual(both({ state: 'dropped' }, { ...degraded, payload: null }), []);
  });

  it('waits with the end of the degradation that it was before, while the monitor is degraded still', () => {
    const rows = [
      row({ event: 'degraded', state: 'sent', channel: 'ops', deliveryId: 'd0' }),
      row({ state: 'dropped' }),
    ];
    const facts = { rows, channels: [], windowMs, isDegradedNotified: true };
    const still = queue({ ...closed, isDegraded: true }, facts);
    assert.deepEqual(words(still), [
      'put recovered at 35000',
      'queued recovered recovery',
      'held recovered still_degraded',
    ]);
    assert.deepEqual(words(queue({ ...closed, isDegraded: false }, facts)).slice(0, 1), [
      'put recovered at 20000',
    ]);
    assert.deepEqual(
      words(queue({ ...closed, isDegraded: true, by: 'removal' }, facts)).slice(0, 1),
      ['put recovered at 20000'],
      'nobody knows how it is',
    );
  });
});

describe('the recovery of an outage', () => {
  const recoveryOf = (fact: End, payload: PayloadJson, { window = windowMs, deliveryId = 'd' } = {}) => {
    const [put] = ended(fact, { state: 'sent', payload, deliveryId }, window);
    assert.ok(put?.kind === 'put');
    return put;
  };

  it('has one name, however often it is queued, and says what ended', () => {
    const put = recoveryOf(closed, span);
    assert.deepEqual(
      [put.deliveryId, put.channel, put.event, put.monitor, put.incident],
      [deliveryIdOf('i1.recovered', 'ops'), 'ops', 'recovered', 'api', 'i1'],
    );
    assert.deepEqual(put.payload, {
      from: 'down',
      startedAt: 500,
      endedAt,
      isLate: false,
      isRemoved: false,
      ownFault: null,
      causeGroup: null,
      alsoNamed: [],
      alertId: 'd',
      knownAs: null,
      outages: null,
      hold: null,
    });
    assert.equal(readRecovery(recoveryOf(removed, span).payload)?.isRemoved, true);
    assert.equal(readRecovery(recoveryOf(recovered, span).payload)?.from, 'degraded');
    assert.equal(recoveryOf(recovered, span).incident, 'api.degraded.500');
    assert.deepEqual(recoveryOf(closed, null).payload, put.payload, 'of what cannot be read');
  });

  it('after a time without checks names what its message named', () => {
    const cause = { ownFault: 'resolver', causeGroup: 'g', alsoNamed: ['web'] };
    const recovery = readRecovery(recoveryOf(unknownEnded, { ...span, ...cause }).payload);
    assert.deepEqual(recovery && { ...recovery, hold: 0 }, {
      from: 'unknown',
      startedAt: 500,
      endedAt,
      isLate: false,
      isRemoved: false,
      ...cause,
      alertId: 'd',
      knownAs: null,
      outages: null,
      hold: 0,
    });
    const known = recoveryOf(closed, { ...span, knownAs: 'old' }).payload;
    assert.equal(readRecovery(known)?.knownAs, 'old');
  });

  it('accounts for everything that the message of its group named', () => {
    const grouped = recoveryOf(closed, { ...span, groupId: 'g', named: ['i2', 7] }).payload;
    assert.deepEqual(
      { ...(grouped as object), hold: 0 },
      {
        ...(recoveryOf(closed, span).payload as object),
        hold: 0,
        groupId: 'g',
        isFirst: false,
        named: ['i2', 7],
      },
    );
    const first = recoveryOf(closed, { ...span, groupId: 'g' }, { deliveryId: 'g' }).payload as object;
    assert.deepEqual(['isFirst' in first && first.isFirst, 'named' in first], [true, false]);
  });

  it('of a monitor that another message named is sent on its own', () => {
    const payload = { ...span, groupId: 'own', named: ['i2'], ...named };
    const put = recoveryOf(removed, payload).payload as Readonly<Record<string, PayloadJson>>;
    assert.deepEqual([put['groupId'], put['isFirst'], put['named'], put['wasNamed']], ['g', false, [], true]);
  });

  it('waits for others only where its alert was one of many: up to 10 s, or a window', () => {
    assert.equal(recoveryOf(closed, span).nextAt, endedAt);
    assert.equal(recoveryOf(closed, { ...span, isGrouped: true }).nextAt, endedAt + 10_000);
    assert.equal(recoveryOf(closed, { ...span, isGrouped: true }, { window: 4000 }).nextAt, endedAt + 4000);
    assert.equal(recoveryOf(unknownEnded, span).nextAt, endedAt + 10_000);
    assert.equal(recoveryOf(unknownEnded, span, { window: 4000 }).nextAt, endedAt + 4000);
  });

  it('of what its upstream left behind waits for the end of the window that all of them were given', () => {
    const at = (windowEndsAt: number) => recoveryOf(removed, { ...span, ...named, windowEndsAt }).nextAt;
    assert.equal(at(endedAt + 1), endedAt + 1);
    assert.equal(at(endedAt + windowMs), endedAt + windowMs);
    assert.equal(at(endedAt + windowMs + 1), endedAt + 10_000, 'it is another window');
    assert.equal(at(endedAt), endedAt + 10_000, 'it is over');
    assert.equal(recoveryOf(removed, { ...named }).nextAt, endedAt + 10_000, 'it cannot be read');
  });
});
