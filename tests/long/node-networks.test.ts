/** Nodes that make the checks lose their network: real daemons and a real PostgreSQL, in networks of their own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type NetworkLab, openNetworkLab } from '../support/network-lab.ts';
import { intervalSecs, openNodeFleet } from '../support/node-fleet.ts';
import { skipWithoutPostgres } from '../support/postgres.ts';

const ids = ['a', 'b'];
const follower = { lab: openNetworkLab(ids) };
const leaders = [
  { what: 'loses its network', without: [], lab: openNetworkLab(ids) },
  { what: 'makes no checks and loses its network', without: ['a'], lab: openNetworkLab(ids) },
];
const hasLabs = [follower, ...leaders].every(({ lab }) => lab !== null);
const skip = skipWithoutPostgres || (!hasLabs && 'this machine does not allow network namespaces');

function openFleetIn(lab: NetworkLab | null) {
  if (lab === null) throw new Error('it is skipped without networks');
  const fleet = openNodeFleet(lab);
  const cutOff = (id: string) => {
    for (const host of fleet.hosts()) lab.cut(id, host);
  };
  const heal = (id: string) => {
    for (const host of fleet.hosts()) lab.heal(id, host);
  };
  return { ...fleet, lab, cutOff, heal };
}

// Side by side, each with networks, nodes and a database of its own: all mostly wait.
describe('checks of ten monitors in networks of their own', { skip, concurrency: true }, () => {
  describe('of a node that follows', () => {
    const { cutOff, heal, startBoth, said, allAskedSince, alarms, outageIsSeen } = openFleetIn(follower.lab);

    it('go on without a false alert when a node loses its network, and an outage is still seen', async () => {
      const { a } = await startBoth();
      cutOff('b');
      const cutAt = Date.now();
      const leftOut = await a.says('node.left_out');
      assert.equal(leftOut['node'], 'b');
      await allAskedSince(cutAt);
      assert.deepEqual(alarms(), []);
      await outageIsSeen('m3');
      heal('b');
      await a.says('node.back');
      await pause(2 * intervalSecs * 1000);
      assert.deepEqual(alarms(), ['down m3', 'recovered m3']);
      assert.equal(said(a, 'node.left_out').length, 1);
    });
  });

  for (const { what, without, lab: own } of leaders)
    describe(`of a leader that ${what}`, () => {
      const { lab, broken, idle, cutOff, heal, startBoth, said, alarms, heard } = openFleetIn(own);

      it(`are led by the other node when the one that leads ${what}, and an outage is notified`, async () => {
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
        heal('a');
        lab.heal('a', lab.hub);
        broken.delete('m3');
        await heard('recovered');
        await pause(2 * intervalSecs * 1000);
        assert.deepEqual(alarms(), ['down m3', 'recovered m3']);
        assert.equal(said(a, 'node.leads').length, 1);
      });
    });
});
