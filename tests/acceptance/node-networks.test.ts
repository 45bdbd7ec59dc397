/** Nodes that make the checks lose their network: real daemons and a real PostgreSQL, in networks of their own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openNetworkLab } from '../support/network-lab.ts';
import { intervalSecs, openNodeFleet } from '../support/node-fleet.ts';
import { skipWithoutPostgres } from '../support/postgres.ts';

const lab = openNetworkLab(['a', 'b']);
const noLab = lab === null && 'this machine does not allow network namespaces';

describe('checks of 40 monitors in networks of their own', { skip: noLab || skipWithoutPostgres }, () => {
  const { broken, idle, hosts, startBoth, said, allAskedSince, alarms, heard, outageIsSeen } =
    openNodeFleet(lab);

  const cutOff = (id: string) => {
    for (const host of hosts()) lab?.cut(id, host);
  };
  const healed = (id: string) => {
    for (const host of hosts()) lab?.heal(id, host);
  };

  it('go on without a false alert when a node loses its network, and an outage is still seen', async () => {
    const { a } = await startBoth();
    cutOff('b');
    const cutAt = Date.now();
    const leftOut = await a.says('node.left_out');
    assert.equal(leftOut['node'], 'b');
    await allAskedSince(cutAt);
    assert.deepEqual(alarms(), []);
    await outageIsSeen('m3');
    healed('b');
    await a.says('node.back');
    await pause(2 * intervalSecs * 1000);
    assert.deepEqual(alarms(), ['down m3', 'recovered m3']);
    assert.equal(said(a, 'node.left_out').length, 1);
  });

  const leadersIn = { 'loses its network': [], 'makes no checks and loses its network': ['a'] };
  for (const [what, without] of Object.entries(leadersIn))
    it(`are led by the other node when the one that leads ${what}, and an outage is notified`, async () => {
      if (lab === null) return;
      for (const id of without) idle.add(id);
      const { a, b } = await startBoth();
      cutOff('a');
      // It cannot reach the channel either, but the database.
      lab.cut('a', lab.hub);
      broken.add('m3');
      const leftOut = await a.says('node.left_out');
      assert.equal(leftOut['node'], 'a');
      const down = await a.says('node.steps_down');
      assert.match(down.message, /reaches none of the hosts that other nodes reach/);
      await b.says('node.leads');
      await heard('down');
      healed('a');
      lab.heal('a', lab.hub);
      broken.delete('m3');
      await heard('recovered');
      await pause(2 * intervalSecs * 1000);
      assert.deepEqual(alarms(), ['down m3', 'recovered m3']);
      assert.equal(said(a, 'node.leads').length, 1);
    });
});
