/** What is decided about reminders, recoveries and notices, and about what has no channel or is in its quiet hours. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import { freshState } from '../../../src/engine/monitoring/confirm/state.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { ago, begun, config, decided, nowAt, outageOf, type Scene, waitOf, message } from './decided.ts';

const settingsWith = (channels: readonly string[], disabled: readonly string[] = []) => {
  const all = deliverySettings(config);
  return {
    ...all,
    channels: new Map([...all.channels].filter(([name]) => channels.includes(name))),
    disabled: new Map(disabled.map((name) => [name, { name, key: 'url' }])),
  } as unknown as DeliveryContext['settings'];
};

describe('a reminder', () => {
  const due = { startedAt: begun.startedAt, dueAt: nowAt, number: 1, repeatMs: 60_000 };
  const reminded = (scene: Scene = {}, payload: object = due) =>
    decided({ event: 'reminder', ...scene, row: { payload: { ...payload }, ...scene.row } });

  it('is sent when it is due, and waits until then', () => {
    assert.equal(reminded(), 'send reminder sent null');
    assert.equal(reminded({}, { ...due, dueAt: nowAt + 1000 }), 'hold reminder, null: 1');
    assert.equal(reminded({ row: { nextAt: ago(61) } }), 'send reminder sent null');
    const unseen = { look: () => ({ failingSinceAt: null, lookedAt: null, isUp: true }) };
    assert.equal(reminded({ row: { nextAt: ago(61) }, context: unseen }), 'ask api Infinity');
  });

  it('says when it is due, and what covers it', () => {
    const waits = (scene: Scene, payload: object = due) =>
      waitOf({ event: 'reminder', ...scene, row: { payload: { ...payload } } });
    const later = waits({}, { ...due, dueAt: nowAt + 90_000 });
    assert.deepEqual(later, ['The next reminder is due in 1m 30s.', false]);
    const sent = outageOf('db', { channels: new Map([['ops', message({ isSent: true, dueAt: ago(60) })]]) });
    const covers = 'The reminder of Database, which it depends on, names it too.';
    assert.deepEqual(waits({ outages: [sent] }), [covers, true]);
  });

  it('is not sent of what is over or acknowledged, or when its channel is no longer reminded', () => {
    assert.equal(reminded({ incident: { endedAt: nowAt } }), 'suppress over');
    assert.equal(reminded({ incident: null }), 'suppress over');
    assert.equal(reminded({ row: { incident: null } }), 'suppress over');
    const acknowledged = { at: nowAt } as unknown as IncidentRow['acknowledged'];
    assert.equal(reminded({ incident: { acknowledged } }), 'suppress acknowledged');
    assert.equal(reminded({ row: { channel: 'night' } }), 'suppress reminders_off');
    assert.equal(reminded({ row: { monitor: null } }), 'suppress unreadable');
    assert.equal(reminded({}, {}), 'suppress unreadable');
  });

  it('is covered by the message about its upstream that its channel was sent, and by no other', () => {
    const on = (channel: string, isSent: boolean) =>
      outageOf('db', { channels: new Map([[channel, message({ isSent, dueAt: ago(60) })]]) });
    assert.equal(reminded({ outages: [on('ops', true)] }), 'hold folded, db: 3600');
    assert.equal(reminded({ outages: [on('ops', false)] }), 'send reminder sent null');
    assert.equal(reminded({ outages: [on('sms', true)] }), 'send reminder sent null');
  });
});

describe('a recovery', () => {
  const ended = { startedAt: begun.startedAt, endedAt: ago(5) };
  const recovered = (payload: object, scene: Scene = {}) =>
    decided({ event: 'recovered', ...scene, row: { payload: { ...ended, ...payload }, ...scene.row } });

  it('waits while its monitor is down again, unless it was slow or its alert comes with it', () => {
    const outages = [outageOf('api')];
    assert.equal(recovered({}), 'send recovered sent null');
    assert.equal(recovered({}, { outages }), 'hold down_again, of-api: 3600');
    assert.equal(recovered({ isLate: true }, { outages }), 'send recovered sent null');
    assert.equal(recovered({ from: 'degraded' }, { outages }), 'send recovered sent null');
    assert.equal(recovered({}, { outages, row: { monitor: null } }), 'send recovered sent null');
  });

  it('from a degradation waits while its monitor is degraded, and not for what its state says of the time before', () => {
    const streak = { count: 1, sinceAt: ago(60) };
    const slow = (knownAt: number) => ({
      context: { stateOf: () => ({ ...freshState, status: 'degraded', slow: streak, knownAt }) as const },
    });
    const held = { reason: 'still_degraded', by: null } as const;
    const from = { from: 'degraded' };
    assert.equal(recovered(from, slow(ago(4))), 'hold still_degraded, null: 15');
    assert.equal(recovered(from, slow(ago(5))), 'send recovered sent null', 'as it was before the end');
    assert.equal(recovered(from, { ...slow(ago(5)), held }), 'hold still_degraded, null: 15');
    assert.equal(recovered({ ...from, isRemoved: true }, slow(ago(4))), 'send recovered sent null');
    assert.equal(recovered({}, slow(ago(4))), 'send recovered sent null', 'it was down, and is not');
    assert.equal(recovered(from), 'send recovered sent null');
  });

  it('of what could not be checked has the others of its cause looked at first', () => {
    const groups = {
      of: () => [],
      uncheckedIn: (id: string) => (id === 'first' ? ['db'] : []),
      isOngoing: () => false,
    };
    const blind = (causeGroup: string | null, lookedAt: number | null) =>
      recovered(
        { from: 'unknown', causeGroup, ownFault: 'dns' },
        {
          context: {
            unknownGroups: () => groups,
            look: () => ({ failingSinceAt: null, lookedAt, isUp: true }),
          },
        },
      );
    assert.equal(blind('first', ago(6)), 'ask db Infinity');
    assert.equal(blind('first', null), 'ask db Infinity');
    assert.equal(blind('first', ago(5)), 'send recovered sent null');
    assert.equal(blind(null, ago(6)), 'send recovered sent null');
  });
});

describe('a notice', () => {
  it('is not sent when what it says is over', () => {
    const failing = (since: number | null, channel = 'sms') =>
      decided({
        event: 'channel_failing',
        row: { monitor: null, payload: { channel: 'sms', failingSinceAt: ago(9) } },
        context: {
          healthOf: (name) =>
            name === channel ? ({ failingSinceAt: since } as ReturnType<DeliveryContext['healthOf']>) : null,
        },
      });
    assert.equal(failing(ago(9)), 'send channel_failing sent null');
    assert.equal(failing(null), 'suppress over');
    assert.equal(failing(ago(9), 'ops'), 'suppress over');
    const unreadable = (sinceAt: number | null) =>
      decided({
        event: 'cert_unreadable',
        row: { payload: { sinceAt: ago(9) } },
        context: { unreadableSince: (id) => (id === 'api' ? sinceAt : null) },
      });
    assert.equal(unreadable(ago(9)), 'send cert_unreadable sent null');
    assert.equal(unreadable(ago(8)), 'suppress over');
  });

  it('of an expiry is not sent when what is presented now ends at another time', () => {
    const expiring = (event: 'cert_expiring' | 'domain_expiring', now: number | null) =>
      decided({
        event,
        row: { payload: { expiresAt: ago(-9) } },
        context: {
          [event === 'cert_expiring' ? 'certExpiresAt' : 'domainExpiresAt']: (id: string) =>
            id === 'api' ? now : assert.fail(id),
        },
      });
    for (const event of ['cert_expiring', 'domain_expiring'] as const) {
      assert.equal(expiring(event, ago(-9)), `send ${event} sent null`);
      assert.equal(expiring(event, null), `send ${event} sent null`);
      assert.equal(expiring(event, ago(-90)), 'suppress over');
    }
    // Another certificate says nothing of this one; a registration that ends sooner has a message of its own.
    assert.equal(expiring('cert_expiring', ago(-8)), 'send cert_expiring sent null');
    assert.equal(expiring('domain_expiring', ago(-8)), 'send domain_expiring sent null');
  });

  it('about the budget is not sent while an outage of its monitor says more', () => {
    const burning = (state: object | null) =>
      decided({
        event: 'budget_burn',
        row: { payload: {} },
        context: { stateOf: () => state as ReturnType<DeliveryContext['stateOf']> },
      });
    assert.equal(burning(null), 'send budget_burn sent null');
    assert.equal(burning({ incident: null }), 'send budget_burn sent null');
    assert.equal(burning({ incident: { uid: 'of-api' } }), 'suppress outage_open');
  });

  it('of an unknown kind, or about a monitor that is gone, is not sent', () => {
    assert.equal(decided({ event: 'nonsense' }), 'suppress unreadable');
    assert.equal(decided({ event: 'budget_burn', row: { monitor: 'gone' } }), 'suppress monitor_removed');
    const gone = { monitor: 'gone', payload: { startedAt: ago(9), endedAt: ago(5) } };
    assert.equal(decided({ event: 'recovered', row: gone }), 'send recovered sent null');
    // Its monitor is configured under another name while its incident is open.
    assert.equal(decided({ row: { monitor: 'gone' } }), 'send down sent null');
    assert.equal(decided({ row: { monitor: 'gone' }, incident: null }), 'suppress monitor_removed');
    assert.equal(decided({ row: { monitor: null }, event: 'node_blind' }), 'send node_blind sent null');
  });
});

describe('what its channel cannot take', () => {
  const without = (scene: Scene, disabled: readonly string[] = []) =>
    decided({ ...scene, context: { settings: settingsWith([], disabled), ...scene.context } });

  it('waits while its outage lasts, and is dropped when that is over', () => {
    assert.equal(without({}), 'hold channel_unavailable, null: 3600');
    assert.equal(without({}, ['ops']), 'hold channel_unavailable, null: 3600');
    assert.equal(without({ incident: { endedAt: nowAt } }), 'suppress channel_removed');
    assert.equal(without({ incident: { endedAt: nowAt } }, ['ops']), 'suppress channel_removed');
    const healthy = { stateOf: () => ({ degradation: null }) as ReturnType<DeliveryContext['stateOf']> };
    assert.equal(without({ event: 'degraded', context: healthy }), 'suppress channel_removed');
    assert.equal(without({ event: 'degraded' }), 'hold channel_unavailable, null: 3600');
  });

  it('says what became of its channel', () => {
    const waits = (disabled: readonly string[]) =>
      waitOf({ context: { settings: settingsWith([], disabled) } })?.[0];
    assert.equal(waits([]), 'The channel ops is not configured: the message waits until it is back.');
    assert.equal(
      waits(['ops']),
      'The channel ops is disabled, because its url is empty: the message waits until it is back.',
    );
  });

  it('waits for a month when it is a recovery, counted from the end of the outage', () => {
    const days = (count: number, createdAt = nowAt) =>
      without({
        event: 'recovered',
        row: { createdAt, payload: { startedAt: 0, endedAt: ago(count * 86_400) } },
      });
    assert.equal(days(29), 'hold channel_unavailable, null: 3600');
    assert.equal(days(30), 'suppress channel_removed');
    assert.equal(days(29, ago(31 * 86_400)), 'hold channel_unavailable, null: 3600');
  });

  it('waits for a day when it is anything else and the channel is only disabled', () => {
    const notice = (secs: number, disabled: readonly string[]) =>
      without({ event: 'node_blind', row: { monitor: null, createdAt: ago(secs), payload: {} } }, disabled);
    assert.equal(notice(86_399, ['ops']), 'hold channel_unavailable, null: 1');
    assert.equal(notice(86_400, ['ops']), 'suppress channel_removed');
    assert.equal(notice(1, []), 'suppress channel_removed');
    assert.equal(notice(1, ['sms']), 'suppress channel_removed');
  });
});

describe('a silence', () => {
  const settings = deliverySettings(config);
  const mutes = { silences: [{ id: 1, monitors: ['api'], untilAt: nowAt + 7000 }], maintenances: [] };
  const situation = { nowAt, mutes };

  it('of the listen id of a peer holds back what is about the peer, and nothing about a monitor of that name', () => {
    const about = (event: string, monitor: string, peer: string) =>
      decided({
        event,
        row: { monitor, payload: {} },
        context: {
          situation,
          settings: { ...settings, names: new Map([[monitor, 'x']]), listenIds: new Map([[peer, 'api']]) },
        },
      });
    assert.equal(about('peer_down', 'db', 'db'), `hold muted, 1 ${nowAt + 7000}: 7`);
    assert.equal(about('peer_down', 'db', 'other'), 'send peer_down sent null');
    assert.equal(about('budget_burn', 'db', 'db'), 'send budget_burn sent null');
    assert.equal(about('budget_burn', 'api', 'db'), `hold muted, 1 ${nowAt + 7000}: 7`);
  });
});

describe('quiet hours', () => {
  const hours = (channel: string, scene: Scene = {}) => decided({ ...scene, row: { channel, ...scene.row } });

  it('hold back what would be sent, and what waits for an upstream, whose message may come at once', () => {
    assert.equal(hours('ops'), 'send down sent null');
    assert.equal(hours('night'), 'hold quiet_hours, null: 3600');
    const channels = new Map([['night', message({ isSent: false, dueAt: nowAt + 5000 })]]);
    const due = [outageOf('db', { channels }), outageOf('api')];
    assert.equal(hours('night', { outages: due }), 'hold quiet_hours, null: 3600');
    const failing = {
      look: (id: string) => ({
        failingSinceAt: id === 'db' ? ago(1) : null,
        lookedAt: nowAt,
        isUp: id !== 'db',
      }),
    };
    assert.equal(
      hours('night', { outages: [outageOf('api')], context: failing }),
      'hold quiet_hours, null: 3600',
    );
    const unseen = { look: () => ({ failingSinceAt: null, lookedAt: null, isUp: true }) };
    assert.equal(
      hours('night', { row: { nextAt: ago(61) }, context: unseen }),
      'hold quiet_hours, null: 3600',
    );
    assert.equal(hours('night', { payload: { windowEndsAt: nowAt + 1000 } }), 'hold window, null: 1');
    assert.equal(hours('night', { incident: null }), 'suppress over');
  });

  it('drop what is no outage, where they drop', () => {
    assert.equal(hours('never'), 'hold quiet_hours, null: 3600');
    assert.equal(hours('never', { event: 'degraded' }), 'suppress quiet_hours');
    const notice = { event: 'budget_burn', row: { payload: {} } };
    assert.equal(hours('never', notice), 'suppress quiet_hours');
    assert.equal(hours('night', notice), 'hold quiet_hours, null: 3600');
  });
});
