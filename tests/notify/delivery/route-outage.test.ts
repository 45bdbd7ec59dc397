/** Who an outage that lasts is routed to at an instant, when to look again, and who is on call instead of a channel. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import { deliverySettings } from '../../../src/notify/delivery/context.ts';
import type { OutboxCache } from '../../../src/notify/delivery/outbox-cache.ts';
import { ongoingOf, relievedBy, routeOutage } from '../../../src/notify/delivery/route-outage.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';

const minute = 60_000;
const originAt = Date.UTC(2026, 0, 1);
/** Ten minutes into a turn of an hour, forty into one of two. */
const nowAt = originAt + 10 * minute;

const channel = (name: string) =>
  `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"`;
const rotation = (name: string, members: string, turns: string) =>
  `[[rotations]]\nname = "${name}"\nmembers = [${members}]\n${turns}`;
const monitor = (id: string, more: string) =>
  `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"\n${more}`;

async function settingsOf(...monitors: readonly string[]) {
  const { config } = await load(
    [
      ...['ops', 'sms', 'boss', 'pager'].map(channel),
      rotation('day', '"ops", "sms"', 'every = "1h"\nfrom = "2026-01-01T00:00:00Z"'),
      rotation('late', '"boss", "pager"', 'every = "2h"\nfrom = "2025-12-31T23:30:00Z"'),
      '[[escalations]]\nname = "up"\n[[escalations.steps]]\nafter_secs = 600\nnotify = ["late"]',
      ...monitors,
    ].join('\n'),
  );
  return deliverySettings(config);
}

const settings = await settingsOf(
  monitor('all', ''),
  monitor('one', 'notify = ["ops"]'),
  monitor('day', 'notify = ["day"]'),
  monitor('both', 'notify = ["day", "late"]'),
  monitor('sms', 'notify = ["day", "sms"]'),
  monitor('up', 'notify = ["day"]\nescalation = "up"'),
  monitor('up-one', 'notify = ["ops"]\nescalation = "up"'),
);

describe('who is on call instead of a channel', () => {
  const by = (id: string, name: string, at = nowAt) => {
    const relief = relievedBy({ channel: name, monitor: id }, { settings, nowAt: at });
    return relief && `${relief.by} ${(relief.untilAt - originAt) / minute}`;
  };

  it('is the one whose turn it is, until it ends', () => {
    assert.equal(by('day', 'sms'), 'ops 60');
    assert.equal(by('day', 'ops'), null);
    assert.equal(by('day', 'ops', originAt + 60 * minute), 'sms 120');
    assert.equal(by('both', 'pager'), 'boss 90');
    assert.equal(by('both', 'sms'), 'ops 60');
  });

  it('is nobody for a channel that is routed otherwise, or has no turns', () => {
    assert.equal(by('sms', 'sms'), null);
    assert.equal(by('day', 'pager'), null);
    assert.equal(by('one', 'sms'), null);
    assert.equal(by('all', 'sms'), null);
    assert.equal(by('nothing', 'sms'), null);
  });

  it('counts the turns of the steps of an escalation', () => {
    assert.equal(by('up', 'pager'), 'boss 90');
    assert.equal(by('up', 'sms'), 'ops 60');
    assert.equal(by('up-one', 'pager'), 'boss 90');
    assert.equal(by('up-one', 'sms'), null);
  });

  it('is nobody where there are no rotations', async () => {
    const { config } = await load([channel('ops'), monitor('day', 'notify = ["ops"]')].join('\n'));
    const none = { settings: deliverySettings(config), nowAt };
    assert.equal(relievedBy({ channel: 'sms', monitor: 'day' }, none), null);
  });
});

interface Scene {
  readonly rows?: readonly Partial<DeliveryRow>[];
  readonly ended?: boolean;
  readonly acknowledged?: boolean;
  readonly isUnknown?: boolean;
  readonly logged?: readonly { readonly event: string; readonly verdict: string }[];
  readonly at?: number;
}

/** What is queued and when it is looked at again, minutes from the beginning. */
async function routed(id: string, scene: Scene = {}) {
  const { sql, apply } = await openFacts();
  const uid = `of-${id}`;
  const times = { startedAt: originAt, confirmedAt: originAt };
  const ownFault = scene.isUnknown === true ? 'dns' : null;
  apply(
    incidents.open({
      uid,
      monitor: id,
      name: id,
      ...times,
      category: 'timeout',
      reason: null,
      ownFault,
    } as never),
    ...(scene.acknowledged === true
      ? [incidents.acknowledge({ uid, at: originAt, by: null, reason: null })]
      : []),
    ...(scene.ended === true ? [incidents.close({ uid, endedAt: originAt + minute })] : []),
    ...(scene.logged ?? []).map((each) =>
      decisions.log({
        at: originAt,
        monitor: id,
        incident: uid,
        channel: 'ops',
        reason: 'sent',
        detail: null,
        ...each,
      }),
    ),
  );
  const rows = (scene.rows ?? []).map((row, index) => ({
    deliveryId: `x-${index}`,
    event: 'down',
    state: 'sent',
    monitor: id,
    incident: uid,
    payload: times,
    createdAt: originAt,
    nextAt: originAt,
    finishedAt: originAt,
    ...row,
  }));
  const ongoing = ongoingOf({ uid, monitor: id, ...times, ownFault });
  const cache = { ofIncident: () => rows } as unknown as OutboxCache;
  const { intents, nextAt } = routeOutage(ongoing, { sql, settings, cache, nowAt: scene.at ?? nowAt });
  const queued = intents.flatMap((intent) =>
    intent.kind === 'put' ? `${intent.event} ${intent.channel}` : [],
  );
  const why = intents.flatMap((intent) => (intent.kind === 'decide' ? intent.reason : []));
  return [queued.join(', '), why.join(', '), nextAt === null ? null : (nextAt - originAt) / minute];
}

describe('an outage that lasts', () => {
  it('is routed to each channel that does not know of it', async () => {
    assert.deepEqual(await routed('one'), ['down ops', 'rerouted', null]);
    assert.deepEqual(await routed('one', { rows: [{ channel: 'ops' }] }), ['', '', null]);
    assert.deepEqual(await routed('one', { rows: [{ channel: 'sms' }] }), ['down ops', 'rerouted', null]);
    assert.deepEqual(await routed('one', { isUnknown: true }), ['unknown ops', 'rerouted', null]);
    const downs = { isUnknown: true, rows: [{ channel: 'ops' }] };
    assert.deepEqual(await routed('one', downs), ['unknown ops', 'rerouted', null]);
  });

  it('is not routed to whom the log says was notified', async () => {
    const logged = (event: string, verdict: string) => routed('one', { logged: [{ event, verdict }] });
    assert.deepEqual(await logged('down', 'told'), ['', '', null]);
    assert.deepEqual(await logged('unknown', 'told'), ['', '', null]);
    assert.deepEqual(await logged('reminder', 'told'), ['down ops', 'rerouted', null]);
    assert.deepEqual(await logged('down', 'queued'), ['down ops', 'rerouted', null]);
  });

  it('is not routed when it is over, not in the record, or its monitor not configured', async () => {
    assert.deepEqual(await routed('one', { ended: true }), ['', '', null]);
    assert.deepEqual(await routed('nothing'), ['', '', null]);
    const { sql } = await openFacts();
    const cache = { ofIncident: () => [] } as unknown as OutboxCache;
    const times = { startedAt: originAt, confirmedAt: originAt };
    const unknown = ongoingOf({ uid: 'of-one', monitor: 'one', ...times, ownFault: null });
    assert.deepEqual(routeOutage(unknown, { sql, settings, cache, nowAt }), { intents: [], nextAt: null });
    const slow = { ...unknown, event: 'degraded', incident: null } as const;
    const { intents } = routeOutage(slow, { sql, settings, cache, nowAt });
    assert.equal(intents.length, 2);
  });

  it('is looked at again when a turn ends, unless it is acknowledged', async () => {
    const known = [{ channel: 'ops' }, { channel: 'boss' }];
    assert.deepEqual(await routed('day', { rows: known }), ['', '', 60]);
    assert.deepEqual(await routed('both', { rows: known }), ['', '', 60]);
    const later = { rows: [{ channel: 'sms' }, { channel: 'boss' }], at: originAt + 70 * minute };
    assert.deepEqual(await routed('both', later), ['', '', 90]);
    assert.deepEqual(await routed('day', { rows: known, acknowledged: true }), ['', '', null]);
    const turned = { rows: known, at: originAt + 61 * minute };
    assert.deepEqual(await routed('day', turned), ['down sms', 'handed_over', 120]);
    assert.deepEqual(await routed('day', { ...turned, acknowledged: true }), ['', '', null]);
  });

  it('is handed over within a rotation, not from a channel of another', async () => {
    assert.deepEqual(await routed('both', { rows: [{ channel: 'boss' }] }), ['down ops', 'rerouted', 60]);
    assert.deepEqual(await routed('both', { rows: [{ channel: 'pager' }] }), [
      'down ops, down boss',
      'rerouted, handed_over',
      60,
    ]);
  });

  it('goes on to the next step of its escalation when that is due', async () => {
    const rows = [{ channel: 'ops' }];
    assert.deepEqual(await routed('up', { rows, at: originAt + 9 * minute }), ['', '', 10]);
    assert.deepEqual(await routed('up', { rows }), ['down boss', 'escalated', 60]);
    assert.deepEqual(await routed('up', { rows, acknowledged: true }), ['', '', null]);
    assert.deepEqual(await routed('up'), ['down ops', 'rerouted', 60]);
    const all = [...rows, { channel: 'boss' }];
    assert.deepEqual(await routed('up', { rows: all }), ['', 'step_known', 60]);
  });
});
