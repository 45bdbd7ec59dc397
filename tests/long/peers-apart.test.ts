/** What three nodes say of each other when one is cut off, stands still, or is started again. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openNetworkLab } from '../support/network-lab.ts';
import { bys, latenessOf, names, openTrio, type Trio, verdictsIn } from './peers-trio.ts';

/** What a message may be later for asking the peers, and what a busy machine may need on top of it. */
const mostLateMs = 12_000 + 4000;

const lab = openNetworkLab(names);

describe('of three nodes', { skip: lab === null && 'this machine does not allow network namespaces' }, () => {
  let trio: Trio;
  before(async () => {
    if (lab === null) return;
    trio = await openTrio(lab);
    await trio.untilAllWell();
  });
  after(async () => {
    if (lab === null) return;
    try {
      await trio.close();
    } finally {
      lab.close();
    }
  });

  it('one that is started again is not missed', async () => {
    await trio.node('b').end('SIGTERM');
    await trio.start('b');
    await trio.untilAllWell();
    assert.deepEqual(trio.notified, []);
    await trio.missSooner();
  });

  it('one that stalled reports nothing down when it wakes', async () => {
    const { child } = trio.node('c');
    child.kill('SIGSTOP');
    // Longer than it expects the others to be silent; it cannot be asked how long that has been.
    await pause(6000);
    child.kill('SIGCONT');
    await trio.untilAllWell();
    assert.deepEqual(
      trio.notified.filter(({ by }) => by === 'c'),
      [],
    );
  });

  it('one that is cut off is reported down by the others, reports nothing down, and holds no outage back', async () => {
    lab?.unplug('b');
    trio.statuses.shop = 500;
    await Promise.all([
      trio.untilNotified('peer_down', 'b', ['a', 'c']),
      trio.untilNotified('down', 'shop', ['a', 'c']),
    ]);
    for (const message of trio.heard('down', 'shop')) {
      assert.ok(latenessOf(message) <= mostLateMs, `${latenessOf(message)} ms late`);
      assert.ok(verdictsIn(message).includes('b nothing'), verdictsIn(message).join(', '));
    }
    trio.statuses.shop = 200;
    lab?.plug('b');
    await Promise.all([trio.untilAllWell(), trio.untilNotified('peer_recovered', 'b', ['a', 'c'])]);
    assert.deepEqual(bys(trio.heard('peer_down', 'b')), ['a', 'c']);
    assert.deepEqual(
      [...trio.heard('peer_down'), ...trio.heard('down')].filter(({ by }) => by === 'b'),
      [],
    );
  });
});
