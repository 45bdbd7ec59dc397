/** A message leads to the page of what it is about. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { queueNotice } from '../../../src/engine/alerting/queue-notice.ts';
import { incidentOperations, operationsOf } from '../../../src/engine/monitoring/alert-operations.ts';
import { openDisk, sketch, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minute = 60_000;
const base = 'https://status.example.com/of/us';

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
