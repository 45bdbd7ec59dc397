/** A node that hears nobody doubts itself, says so once, and holds nothing else back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failed, httpMonitors, silent, up } from '../monitoring/world.ts';
import {
  beat,
  deliver,
  judges,
  live,
  logged,
  minute,
  openPeerWorld,
  peersOf,
  type PeerWorld,
  second,
  sees,
  stateOf,
  waiting,
} from './peer-world.ts';

const quick = '[alerts]\ngroup_window_secs = 30\nfail_threshold = 2\n';
const health = '[health]\nid = "home"\n';
const both = ['paris', 'oslo'];
const three = ['paris', 'oslo', 'rome'];

describe('a node whose peers are all silent', () => {
  it('says so in one message, and of no peer that it is down', async () => {
    const world = await openPeerWorld(quick + health + peersOf(three));
    await live(world, 5 * minute, three);
    await world.clock.run(120 * minute);
    assert.deepEqual(waiting(world), ['node_blind - ops']);
    assert.equal(world.engine.health().network.state, 'lost');
    assert.equal(world.engine.health().network.reason, 'none of its 3 peers sends a heartbeat');
    for (const id of three) assert.equal(stateOf(world, id).state, 'up');
    await world.engine.stop();
  });

  it('ends with the first peer that is heard, and then reports those that are not', async () => {
    const world = await openPeerWorld(quick + health + peersOf(three));
    await live(world, 5 * minute, three);
    await world.clock.run(10 * minute);
    deliver(world);
    await live(world, 90 * second, both);
    assert.deepEqual(waiting(world), ['node_blind - ops'], 'the end of the episode');
    assert.equal(world.engine.health().network.state, 'ok');
    deliver(world);
    await live(world, 3 * minute, both);
    assert.deepEqual(waiting(world), ['peer_down rome ops']);
    await world.engine.stop();
  });

  it('waits for a peer that need not have been heard yet, whose answer does not come', async () => {
    const world = await openPeerWorld(quick + health + peersOf(both));
    for (let round = 0; round < 5; round += 1) {
      await beat(world, 'paris');
      await world.clock.run(40 * second);
      await beat(world, 'oslo');
      await world.clock.run(20 * second);
    }
    // Paris is due after 120 s, Oslo was heard 40 s later and is late only then.
    await world.clock.run(65 * second);
    assert.deepEqual(waiting(world), []);
    await world.clock.run(5 * minute);
    assert.deepEqual(waiting(world), ['node_blind - ops']);
    await world.engine.stop();
  });

  it('reports the peers down when a host elsewhere answers', async () => {
    const world = await openPeerWorld(quick + health + peersOf(both) + httpMonitors(['web']));
    await live(world, 5 * minute, both);
    await world.clock.run(5 * minute);
    assert.deepEqual(waiting(world), ['peer_down oslo ops', 'peer_down paris ops']);
    await world.engine.stop();
  });

  it('asks the hosts it watches seldom before it suspects itself', async () => {
    const world = await openPeerWorld(
      quick + health + peersOf(both) + httpMonitors(['web'], 'interval_secs = 86400'),
    );
    await live(world, 5 * minute, both);
    const before = world.checks.length;
    await world.clock.run(5 * minute);
    assert.deepEqual(waiting(world), ['peer_down oslo ops', 'peer_down paris ops']);
    assert.ok(world.checks.length > before);
    await world.engine.stop();
  });

  it('does not suspect itself when a peer answers, or refuses to', async () => {
    for (const answer of [sees('oslo', {}, false), { kind: 'refused', status: 401 } as const]) {
      const world = await openPeerWorld(quick + health + peersOf(both));
      world.fake.witness.set('oslo', () => answer);
      await live(world, 5 * minute, both);
      await world.clock.run(5 * minute);
      assert.deepEqual(waiting(world), ['peer_down oslo ops', 'peer_down paris ops']);
      await world.engine.stop();
    }
  });

  it('takes a peer that answers for a broken link: its heartbeats alone do not come', async () => {
    const world = await openPeerWorld(quick + health + peersOf(both));
    for (const id of both) world.fake.witness.set(id, () => sees(id, {}));
    await live(world, 5 * minute, both);
    await world.clock.run(5 * minute);
    assert.deepEqual(waiting(world), ['peer_link_degraded oslo ops', 'peer_link_degraded paris ops']);
    await world.engine.stop();
  });

  it('has no say in it with a single peer', async () => {
    const world = await openPeerWorld(quick + health + peersOf(['paris']));
    await live(world, 5 * minute, ['paris']);
    await world.clock.run(5 * minute);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    await world.engine.stop();
  });

  it('keeps its suspicion over a restart, and reports its end', async () => {
    const world = await openPeerWorld(quick + health + peersOf(both));
    await live(world, 5 * minute, both);
    await world.clock.run(5 * minute);
    await world.restart();
    await world.clock.run(30 * minute);
    assert.deepEqual(waiting(world), ['node_blind - ops']);
    deliver(world);
    world.fake.witness.set('oslo', () => sees('oslo', {}));
    await world.clock.run(5 * minute);
    assert.deepEqual(logged(world, 'node.sighted').length, 1, 'a peer that answers ends it');
    assert.ok(waiting(world).includes('node_blind - ops'));
    await world.engine.stop();
  });

  it('suspects itself no longer when the configuration leaves it too few peers', async () => {
    const world = await openPeerWorld(quick + health + peersOf(both));
    await live(world, 5 * minute, both);
    await world.clock.run(5 * minute);
    await world.reload(quick + health + peersOf(['paris']));
    assert.equal(world.engine.health().network.state, 'ok');
    await world.clock.run(3 * minute);
    assert.ok(waiting(world).includes('peer_down paris ops'));
    await world.engine.stop();
  });

  it('says nothing of it when it is stopped while the others are asked', async () => {
    const world = await openPeerWorld(quick + health + peersOf(both));
    for (const id of both) world.fake.witness.set(id, () => 'hang');
    await live(world, 2 * minute, both);
    await world.clock.run(65 * second);
    assert.ok(world.fake.asked.length > 0);
    await world.clock.until(world.engine.stop());
    assert.deepEqual(waiting(world), []);
    assert.deepEqual(logged(world, 'node.blind'), []);
  });
});

describe('what a node that suspects itself because of its peers', () => {
  const push = '[[monitors]]\nid = "job"\nkind = "push"\ninterval_secs = 60\ngrace_secs = 60\n';
  const other = push.replaceAll('"job"', '"task"');
  const local = '[[monitors]]\nid = "local"\ntarget = "http://127.0.0.1:8080/"\ninterval_secs = 30\n';

  async function isolated(more: string): Promise<PeerWorld> {
    const world = await openPeerWorld(quick + health + peersOf(both) + more);
    await live(world, 5 * minute, both);
    await world.clock.run(5 * minute);
    assert.equal(world.engine.health().network.state, 'lost');
    deliver(world);
    return world;
  }

  it('watches on this machine is notified as always', async () => {
    const world = await isolated(local);
    world.targets.set('local', () => silent());
    await world.clock.run(2 * minute);
    assert.deepEqual(waiting(world), ['down local ops']);
    await world.engine.stop();
  });

  it('watches elsewhere is held, and judged once a host there answers', async () => {
    const patient = quick.replace('fail_threshold = 2', 'fail_threshold = 5');
    const world = await openPeerWorld(
      patient + health + peersOf(both) + httpMonitors(['web'], 'interval_secs = 30'),
    );
    await live(world, 5 * minute, both);
    await world.clock.run(20 * second);
    world.targets.set('web', () => silent());
    await world.clock.run(10 * minute);
    assert.deepEqual(waiting(world), ['node_blind - ops']);
    world.targets.set('web', () => failed('status'));
    await world.clock.run(minute);
    assert.equal(world.engine.health().network.state, 'ok');
    await world.clock.run(5 * minute);
    assert.ok(waiting(world).includes('down web ops'));
    await world.engine.stop();
  });

  it('receives heartbeats from is trusted: a silent push monitor is notified while another reports', async () => {
    const world = await isolated(push + other);
    await world.engine.heartbeat({ monitor: 'job', status: 'up', message: null, pingMs: null });
    deliver(world);
    for (let round = 0; round < 6; round += 1) {
      await world.engine.heartbeat({ monitor: 'task', status: 'up', message: null, pingMs: null });
      await world.clock.run(minute);
    }
    assert.deepEqual(
      waiting(world).filter((each) => each.startsWith('down')),
      ['down job ops'],
    );
    await world.engine.stop();
  });
});

describe('a node that is about to suspect its network', () => {
  const hosts = ['a', 'b', 'c', 'd'];
  const toml =
    quick +
    health +
    peersOf(both, 'notify = []').replaceAll('expect_every_secs = 90\n', '') +
    httpMonitors(hosts, 'interval_secs = 30');

  async function afterTheCut(setUp: (world: PeerWorld) => void): Promise<PeerWorld> {
    const world = await openPeerWorld(toml);
    setUp(world);
    await world.clock.run(3 * minute);
    for (const id of hosts) world.targets.set(id, () => silent());
    await world.clock.run(4 * minute);
    return world;
  }
  const downs = (world: PeerWorld) => waiting(world).filter((each) => each.startsWith('down'));

  it('trusts what a peer sees down too', async () => {
    const world = await afterTheCut(({ fake }) => {
      fake.verdict.set('oslo', () => judges('down'));
    });
    assert.equal(world.engine.health().network.state, 'ok');
    assert.deepEqual(
      downs(world),
      hosts.map((id) => `down ${id} ops`),
    );
    await world.engine.stop();
  });

  it('trusts only that, and holds the rest back', async () => {
    const world = await afterTheCut(({ fake }) => {
      fake.verdict.set('oslo', (target) => judges(target.includes('//a.') ? 'down' : 'up'));
    });
    assert.notEqual(world.engine.health().network.state, 'ok');
    assert.ok(
      downs(world).every((each) => each === 'down a ops'),
      downs(world).join(),
    );
    await world.engine.stop();
  });

  for (const [name, answer] of [
    ['see it up', () => judges('up')],
    ['cannot tell', () => judges('unknown')],
    ['do not watch it', () => ({ kind: 'unknown_target' }) as const],
    ['are busy', () => ({ kind: 'busy' }) as const],
    ['are not reached', () => ({ kind: 'unreachable', error: 'timeout' }) as const],
    ['never answer', () => 'hang' as const],
  ] as const) {
    it(`suspects it when the peers ${name}`, async () => {
      const world = await afterTheCut(({ fake }) => {
        for (const id of both) fake.verdict.set(id, answer);
      });
      assert.equal(world.engine.health().network.state, 'lost');
      assert.deepEqual(downs(world), []);
      assert.deepEqual(waiting(world), ['node_blind - ops']);
      await world.engine.stop();
    });
  }

  it('asks about few targets, however many fail', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `h${index}`);
    const world = await openPeerWorld(
      quick +
        health +
        peersOf(both, 'notify = []').replaceAll('expect_every_secs = 90\n', '') +
        httpMonitors(many, 'interval_secs = 30'),
    );
    for (const id of both) world.fake.verdict.set(id, () => 'hang');
    await world.clock.run(3 * minute);
    for (const id of many) world.targets.set(id, () => silent());
    await world.clock.run(5 * minute);
    const asked = world.fake.asked.filter(({ what }) => what === 'verdict').length;
    assert.ok(asked > 0 && asked <= 8 * both.length, `${asked} questions`);
    for (const id of many) world.targets.set(id, () => up());
    await world.clock.run(2 * minute);
    assert.equal(world.engine.health().network.state, 'ok');
    await world.engine.stop();
  });
});
