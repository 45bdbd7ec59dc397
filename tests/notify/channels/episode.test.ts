/** Alerts that are resolved by what opened them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Message, MessageOf } from '../../../src/engine/alerting/events/catalogue.ts';
import { episodeOf } from '../../../src/notify/channels/episode.ts';
import { startVendors, type VendorWorld } from '../../support/vendor-world.ts';
import { messages, plainDown } from '../wording/messages.ts';

const recovered: MessageOf<'recovered'> = {
  ...plainDown,
  event: 'recovered',
  severity: 'info',
  from: 'down',
  endedAt: plainDown.at + 1000,
  isLate: false,
  isRemoved: false,
};
const about = <Of extends Message>(message: Of, grouping: object): Of => ({
  ...message,
  grouping: { ...plainDown.grouping, ...grouping },
});
const alone = { incidentUids: ['0198c5'] };
const group = { groupId: '0198c5.down.1x2y', incidentUids: ['0198c6'] };

describe('an episode', () => {
  it('uses the uid of its incident, from its beginning to its end', () => {
    const expected = { name: 'down', key: '0198c5', subject: 'api' };
    assert.deepEqual(episodeOf(about(plainDown, alone)), { ...expected, phase: 'begins' });
    assert.deepEqual(episodeOf(about(recovered, alone)), { ...expected, phase: 'ends' });
  });

  it('uses the incident that a group began with, until its last monitor is up', () => {
    const expected = { name: 'down', key: '0198c5', subject: null };
    assert.deepEqual(episodeOf(about(recovered, { ...group, hasOthersDown: true })), {
      ...expected,
      phase: 'goes_on',
    });
    assert.deepEqual(episodeOf(about(recovered, { ...group, hasOthersDown: false })), {
      ...expected,
      phase: 'ends',
    });
  });

  it('of a degradation uses the delivery that alerted of it, whatever its monitor is called by its end, and whenever that was', () => {
    const degraded = {
      ...(messages['too slow'] ?? assert.fail()),
      deliveryId: 'api.degraded.1700.degraded.1x2y',
    };
    const expected = { name: 'degraded', key: 'api.degraded.1700', subject: 'api' };
    assert.deepEqual(episodeOf(degraded), { ...expected, phase: 'begins' });
    assert.deepEqual(episodeOf({ ...degraded, deliveryId: 'api.degraded.1700.degraded.2.1x2y' }), {
      ...expected,
      phase: 'begins',
    });
    const over = {
      ...recovered,
      from: 'degraded',
      monitor: { id: 'renamed', name: 'API' },
      startedAt: 900,
    } as const;
    const ofAlert = (alertId: string | null) => episodeOf({ ...over, alertId });
    assert.deepEqual(ofAlert('api.degraded.1700.degraded.1x2y'), { ...expected, phase: 'ends' });
    // As an early version queued it.
    const early = { name: 'degraded', key: 'renamed.degraded.900', subject: 'renamed', phase: 'ends' };
    assert.deepEqual(ofAlert(null), early);
  });

  it('names the monitor at its end as at its beginning', () => {
    const renamed = { ...about(recovered, alone), monitor: { id: 'new', name: 'API' }, knownAs: 'api' };
    assert.equal(episodeOf(renamed)?.subject, 'api');
    assert.equal(episodeOf({ ...about(plainDown, alone), knownAs: 'old' })?.subject, 'old');
  });

  it('is none where only the link to a peer is broken, of which no end is sent', () => {
    const peer = { id: 'paris', name: 'Paris' };
    const link = {
      ...plainDown,
      event: 'peer_link_degraded',
      severity: 'warning',
      peer,
      lastHeardAt: null,
      seenBy: [],
      reason: null,
    } as const;
    assert.equal(episodeOf(link), null);
  });

  it('of a peer uses the name of this node, too, so that two nodes that watch it do not resolve for each other', () => {
    const about = { severity: 'error', peer: { id: 'paris', name: 'Paris' }, lastHeardAt: null } as const;
    const down = { ...plainDown, ...about, event: 'peer_down', reason: null } as const;
    const up = {
      ...plainDown,
      ...about,
      event: 'peer_recovered',
      startedAt: 0,
      endedAt: 1,
      isRemoved: false,
    } as const;
    const expected = { name: 'peer_down', key: 'peer.paris.berlin', subject: 'paris' };
    assert.deepEqual(episodeOf({ ...down, node: 'berlin' }), { ...expected, phase: 'begins' });
    assert.deepEqual(episodeOf({ ...up, node: 'berlin' }), { ...expected, phase: 'ends' });
    assert.equal(episodeOf({ ...down, node: null })?.key, 'peer.paris');
  });

  it('of what cannot be checked uses the incident that its alert began with, so that no other host resolves it', () => {
    const unknown = {
      ...(messages['monitors that cannot be checked'] ?? assert.fail()),
      deliveryId: '0198c5.unknown.1x2y.3.9z',
    };
    const again = {
      ...(messages['all well when they can be checked again'] ?? assert.fail()),
      grouping: { groupId: '0198c5.unknown.1x2y.3.9z', incidentIds: [42] },
    };
    const expected = { name: 'unknown', key: '0198c5', subject: null };
    assert.deepEqual(episodeOf(unknown), { ...expected, phase: 'begins' });
    assert.deepEqual(episodeOf(again), { ...expected, phase: 'ends' });
  });

  it('is another one in a test, and none for what was never begun', () => {
    assert.equal(episodeOf(about({ ...plainDown, isTest: true }, alone))?.key, 'test.0198c5');
    assert.equal(episodeOf({ ...about(recovered, alone), isLate: true }), null);
    assert.equal(episodeOf(messages['the digest'] ?? assert.fail()), null);
  });
});

describe('a vendor that resolves', () => {
  const { signal } = new AbortController();
  let world: VendorWorld;
  before(async () => {
    world = await startVendors();
  });
  after(() => world.close());

  const sentTo = async (type: 'pagerduty' | 'alertmanager', message: Message) => {
    const vendor = world.vendors[type];
    vendor.forget();
    assert.equal((await world.deliver(message, world.channels[type], signal)).kind, 'sent');
    return vendor.requests.map(({ path, body }) => [path, JSON.parse(body) as unknown] as const);
  };

  it('is PagerDuty, by the key of the alert; information wakes nobody', async () => {
    const [down] = await sentTo('pagerduty', about(plainDown, alone));
    const [up] = await sentTo('pagerduty', about(recovered, alone));
    const { event_action: action, dedup_key: key } = (down?.[1] ?? {}) as Record<string, unknown>;
    assert.deepEqual([action, key], ['trigger', '0198c5']);
    assert.deepEqual(up, [
      '/v2/enqueue',
      { routing_key: 'cAnArY-pagerduty-7f3d9b21c4e8', event_action: 'resolve', dedup_key: '0198c5' },
    ]);
    assert.deepEqual(await sentTo('pagerduty', about(recovered, { ...group, hasOthersDown: true })), []);
    // They remind by rules of their own; another alert for it would never be resolved.
    for (const type of ['pagerduty', 'alertmanager'] as const)
      assert.deepEqual(await sentTo(type, messages['a reminder'] ?? assert.fail()), []);
    const [digest] = await sentTo('pagerduty', messages['the digest'] ?? assert.fail());
    assert.equal(digest?.[0], '/v2/change/enqueue');
  });

  it('is Alertmanager, by the same labels, with an end that has come', async () => {
    const alertOf = async (message: Message) => {
      const [[, alerts] = []] = await sentTo('alertmanager', message);
      const [alert = {}] = alerts as Readonly<Record<string, unknown>>[];
      return alert;
    };
    const down = await alertOf(about(plainDown, alone));
    const up = await alertOf(about(recovered, alone));
    assert.deepEqual(up['labels'], down['labels']);
    assert.ok(Date.parse(String(down['endsAt'])) > Date.now());
    assert.ok(Date.parse(String(up['endsAt'])) <= Date.now());
  });
});
