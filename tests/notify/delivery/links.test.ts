/** Which address a message leads to, and when it has one to acknowledge it by: by the rule, and in what is sent. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { EventName } from '../../../src/engine/alerting/events/catalogue.ts';
import { queueNotice } from '../../../src/engine/alerting/queue-notice.ts';
import { incidentOperations, operationsOf } from '../../../src/engine/monitoring/alert-operations.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { ackLinkOf, linkOf } from '../../../src/notify/delivery/links.ts';
import { load } from '../../support/config.ts';
import { nowAt } from './decided.ts';
import { openDisk, sketch, World } from './world.ts';

const base = 'https://status.example.com/of/us';
const monitorText = `[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"\n`;
const { config } = await load(`[server]\nbase_url = "${base}"\n${monitorText}`);
const withoutBase = await load(monitorText);

interface Scene {
  readonly event?: EventName;
  readonly monitor?: string | null;
  readonly incident?: string | null;
  readonly endedAt?: number | null;
  readonly acknowledged?: object | null;
  readonly key?: string | null;
  readonly hasBase?: boolean;
}

function sceneOf({ event = 'down', monitor = 'api', incident = 'of a', hasBase = true, ...scene }: Scene) {
  const row = { deliveryId: 'x', monitor, incident } as never;
  const { endedAt = null, acknowledged = null, key = 'k'.repeat(32) } = scene;
  const context = {
    settings: deliverySettings(hasBase ? config : withoutBase.config),
    incident: (uid: string) => (uid === 'of a' ? { uid, endedAt, acknowledged } : null),
    linkKey: () => (key === null ? null : Buffer.from(key)),
    nowAt,
  } as unknown as DeliveryContext;
  return [{ row, event }, context] as const;
}

const link = (scene: Scene) => linkOf(...sceneOf(scene));
const ackLink = (scene: Scene) => ackLinkOf(...sceneOf(scene));

describe('the address of a message', () => {
  it('is the incident, where it is on record', () => {
    assert.equal(link({}), `${base}/incidents/of%20a`);
    assert.equal(link({ event: 'recovered' }), `${base}/incidents/of%20a`);
    assert.equal(link({ incident: 'of gone' }), `${base}/monitor/api`);
  });

  it('is the incident that an operator opened, with or without a monitor', () => {
    assert.equal(link({ event: 'incident', incident: 'op 1' }), `${base}/incidents/op%201`);
    assert.equal(link({ event: 'incident', incident: 'op 1', monitor: null }), `${base}/incidents/op%201`);
  });

  it('is the monitor, where it is watched', () => {
    assert.equal(link({ incident: null }), `${base}/monitor/api`);
    assert.equal(link({ incident: null, monitor: 'gone' }), base);
  });

  it('is the page for what is about no monitor, whatever its row names', () => {
    assert.equal(link({ event: 'channel_failing' }), base);
    assert.equal(link({ event: 'channel_failing', incident: null }), base);
    assert.equal(link({ event: 'digest', incident: null, monitor: null }), base);
    assert.equal(link({ monitor: null }), base);
  });

  it('is none without base_url', () => {
    assert.equal(link({ hasBase: false }), null);
  });
});

describe('the address to acknowledge by', () => {
  it('is there while the outage lasts and nobody has acknowledged it', () => {
    const address = ackLink({}) ?? '';
    assert.ok(address.startsWith(`${base}/ack/`) && address.length > `${base}/ack/`.length, address);
    assert.equal(ackLink({ endedAt: nowAt }), null);
    assert.equal(ackLink({ acknowledged: { at: nowAt } }), null);
  });

  it('is missing without an incident on record, a key, or base_url', () => {
    assert.equal(ackLink({ incident: null }), null);
    assert.equal(ackLink({ incident: 'of gone' }), null);
    assert.equal(ackLink({ key: null }), null);
    assert.equal(ackLink({ hasBase: false }), null);
  });
});

const originAt = Date.UTC(2026, 0, 1);
const minute = 60_000;

async function worldWith(extra: string): Promise<World> {
  const monitors = ['api', 'web'].map((id) => ({ id, failThreshold: 1 }));
  const config = await sketch({ channels: ['ops'], monitors, extra });
  return new World({ disk: await openDisk(), config, startAt: originAt });
}

const linksOf = (world: World) => world.notified.map(({ message }) => [message.event, message.link]);

describe('the link of a message', () => {
  it('leads to the page of the incident, from its alert and from its recovery', async () => {
    const world = await worldWith(`[server]\nbase_url = "${base}/"`);
    await world.sample('api', 'down');
    await world.runTo(originAt + minute);
    const [uid = ''] = incidents.listOpen(world.sql).map((incident) => incident.uid);
    await world.sample('api', 'up');
    await world.runTo(originAt + 2 * minute);
    assert.deepEqual(linksOf(world), [
      ['down', `${base}/incidents/${uid}`],
      ['recovered', `${base}/incidents/${uid}`],
    ]);
    await world.stop();
  });

  it('leads to the page of an incident that an operator opened', async () => {
    const world = await worldWith(`[server]\nbase_url = "${base}"`);
    const said = {
      uid: 'a1b2',
      update: 'u1',
      number: 7,
      title: 'Payments fail',
      impact: 'major',
      state: 'investigating',
      message: null,
      monitors: ['api'],
      startedAt: originAt,
      at: originAt,
    } as const;
    world.apply(...incidentOperations(said, ['ops']));
    await world.settle();
    assert.deepEqual(linksOf(world), [['incident', `${base}/incidents/a1b2`]]);
    await world.stop();
  });

  it('leads to the page of the monitor when there is no incident', async () => {
    const world = await worldWith(`alert_on_degraded = true\n[server]\nbase_url = "${base}"`);
    for (let turn = 0; turn < 3; turn += 1) {
      await world.sample('web', 'slow');
      await world.runTo(originAt + (turn + 1) * minute);
    }
    assert.deepEqual(linksOf(world), [['degraded', `${base}/monitor/web`]]);
    await world.stop();
  });

  it('leads to the status page when the monitor is not configured any more', async () => {
    const extra = `alert_on_degraded = true\n[server]\nbase_url = "${base}"`;
    const world = await worldWith(extra);
    await world.sample('web', 'slow');
    await world.runTo(originAt + minute);
    const monitors = [{ id: 'api', failThreshold: 1 }];
    world.reload(await sketch({ channels: ['ops'], monitors, extra }));
    await world.runTo(originAt + 2 * minute);
    assert.deepEqual(linksOf(world), [
      ['degraded', `${base}/monitor/web`],
      ['recovered', base],
    ]);
    await world.stop();
  });

  it('leads to the status page when it is about neither, and nowhere without a base_url', async () => {
    const world = await worldWith(`[server]\nbase_url = "${base}"`);
    const fault = { kind: 'storage_failing', startedAt: originAt, error: null, at: originAt } as const;
    world.apply(...operationsOf(queueNotice(fault, ['ops']), originAt));
    await world.settle();
    assert.deepEqual(linksOf(world), [['storage_failing', base]]);
    await world.stop();
    const unlinked = await worldWith('');
    await unlinked.sample('api', 'down');
    await unlinked.runTo(originAt + minute);
    assert.deepEqual(linksOf(unlinked), [['down', null]]);
    await unlinked.stop();
  });

  it('offers to acknowledge what is open and not acknowledged, where there is an address', async () => {
    const ackOf = async (extra: string, isAcknowledged: boolean) => {
      const world = await worldWith(extra);
      await world.sample('api', 'down');
      const [uid = ''] = incidents.listOpen(world.sql).map((incident) => incident.uid);
      const by = { at: originAt, by: 'ann', reason: null };
      if (isAcknowledged) world.apply(incidents.acknowledge({ uid, ...by }));
      await world.runTo(originAt + minute);
      await world.stop();
      return world.notified.map(({ message }) => [message.event, message.ack?.slice(0, base.length + 5)]);
    };
    const served = `[server]\nbase_url = "${base}"`;
    assert.deepEqual(await ackOf(served, false), [['down', `${base}/ack/`]]);
    assert.deepEqual(await ackOf(served, true), [['down', undefined]]);
    assert.deepEqual(await ackOf('', false), [['down', undefined]]);
  });
});
