/** What three nodes say of each other and of an outage where no machine needs to allow anything: on loopback. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/daemon.ts';
import { names, openRelayedTrio, type RelayedTrio } from './peers-relayed.ts';

describe('three nodes on one machine', () => {
  let trio: RelayedTrio;
  before(async () => {
    trio = await openRelayedTrio();
  });
  after(() => trio.close());

  it('receive heartbeats of each other, and notify nobody', async () => {
    await trio.untilAllWell();
    assert.deepEqual(trio.notified, []);
  });

  it('notify a real outage as confirmed by the others, once each', async () => {
    trio.statuses.shop = 500;
    await trio.untilNotified('down', 'shop', names);
    for (const message of trio.heard('down', 'shop')) {
      const seen = (message.vantage ?? []).map(({ peer, verdict }) => `${peer} ${verdict ?? 'nothing'}`);
      assert.deepEqual(
        seen,
        names.filter((name) => name !== message.by).map((name) => `${name} down`),
      );
    }
    trio.statuses.shop = 200;
    await trio.untilNotified('recovered', 'shop', names);
    assert.equal(trio.heard('down', 'shop').length, 3);
    assert.deepEqual(trio.heard('peer_down'), []);
  });

  it('with one cut off, report that one down; it reports nothing down', async () => {
    await trio.untilAllWell();
    await trio.unplug('b');
    await trio.untilNotified('peer_down', 'b', ['a', 'c']);
    await trio.plug('b');
    await Promise.all([trio.untilAllWell(), trio.untilNotified('peer_recovered', 'b', ['a', 'c'])]);
    assert.deepEqual(
      trio
        .heard('peer_down')
        .map(({ by, monitor_id }) => `${by} ${monitor_id}`)
        .toSorted(),
      ['a b', 'c b'],
    );
  });

  it('say what to do about a wrong ping_token after a reload: in the log, in doctor, in peers, in a message', async () => {
    await trio.untilAllWell();
    trio.present('c', 'not-the-token');
    const { lines } = trio.node('c');
    const cure = 'it answered 401; check that ping_token here is the listen_token over there';
    const said = (peer: string) => `peer ${peer} does not take heartbeats: ${cure}`;
    await until(
      () => ['a', 'b'].every((peer) => lines.some(({ message }) => message === said(peer))),
      () => lines.map(({ message }) => message).join('; '),
    );
    const doctor = await trio.cli('c', 'doctor', '--json');
    assert.equal(doctor.code, 1);
    const { checks } = JSON.parse(doctor.stdout) as {
      checks: { check: string; verdict: string; message: string; cure: string | null }[];
    };
    const found = checks.filter(({ check, verdict }) => check === 'peers' && verdict === 'fail');
    assert.deepEqual(
      found.map((each) => [each.message, each.cure]),
      ['a', 'b'].map((peer) => [
        `${peer} does not accept the ping_token`,
        'Make ping_token here and listen_token there the same.',
      ]),
    );
    const compared = await trio.cli('c', 'peers', '--json');
    assert.equal(compared.code, 1);
    const { peers } = JSON.parse(compared.stdout) as { peers: { reachable: boolean; error: string }[] };
    assert.deepEqual(
      peers.map(({ reachable, error }) => [reachable, error]),
      [
        [false, 'it does not accept the token'],
        [false, 'it does not accept the token'],
      ],
    );
    await Promise.all(
      (['a', 'b'] as const).map((name) => trio.untilNotified('peer_link_degraded', 'c', [name])),
    );
    trio.present('c', 'from-c');
    await trio.untilAllWell();
    assert.ok(await trio.node('c').says('heartbeat.taken'));
    assert.deepEqual(trio.heard('peer_down', 'c'), [], 'it answers: it is not down');
  });
});
