/** A node that falls ill while it decides about a silent peer accuses nobody, and tells what is true when it is well. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { httpMonitors, silent, up } from '../monitoring/world.ts';
import {
  beat,
  deliver,
  live,
  minute,
  openPeerWorld,
  peersOf,
  type PeerWorld,
  second,
  sees,
  waiting,
} from './peer-world.ts';

const window = '[alerts]\ngroup_window_secs = 30\nfail_threshold = 2\n';
const plain = '[health]\nid = "home"\n';
const quorum = `${plain}quorum = true\n`;
const hosts = ['a', 'b', 'c'];

const downs = (world: PeerWorld) => waiting(world).filter((each) => each.startsWith('peer_down'));

/** Rome is late, both others were heard since; it is to be decided about in `leftMs`. */
async function shortlyBefore(toml: string, leftMs: number): Promise<PeerWorld> {
  const world = await openPeerWorld(window + toml);
  for (const id of ['paris', 'oslo']) world.fake.witness.set(id, () => sees(id, { rome: 'down 200' }));
  await live(world, 5 * minute, ['paris', 'oslo', 'rome']);
  await beat(world, 'paris');
  await beat(world, 'oslo');
  // Rome was heard a minute ago: it is late after 90 s, due after 120 s.
  await world.clock.run(35 * second);
  await beat(world, 'paris');
  await beat(world, 'oslo');
  await world.clock.run(25 * second - leftMs);
  assert.deepEqual(waiting(world), []);
  return world;
}

function cut(world: PeerWorld, how: 'lost' | 'hang'): void {
  for (const id of ['paris', 'oslo'])
    world.fake.witness.set(id, () => (how === 'hang' ? how : { kind: 'unreachable', error: 'timeout' }));
  for (const id of hosts) world.targets.set(id, () => silent(10 * second));
}

function heal(world: PeerWorld): void {
  for (const id of ['paris', 'oslo']) world.fake.witness.set(id, () => sees(id, { rome: 'down 900' }));
  for (const id of hosts) world.targets.set(id, () => up());
}

const three = peersOf(['paris', 'oslo', 'rome']);
const worlds = [
  ['peers alone', plain + three],
  ['peers alone, and a quorum', quorum + three],
  ['hosts that are checked often', plain + three + httpMonitors(hosts, 'interval_secs = 30')],
  [
    'hosts that are checked seldom, and a quorum',
    quorum + three + httpMonitors(hosts, 'interval_secs = 3600'),
  ],
  ['one host, and a quorum', quorum + three + httpMonitors(['a'], 'interval_secs = 30')],
] as const;

describe('a node that is cut off while a peer is late', () => {
  for (const [name, toml] of worlds) {
    for (const how of ['lost', 'hang'] as const) {
      it(`reports nothing down, and that peer when it is back (${name}; questions ${how})`, async () => {
        const world = await shortlyBefore(toml, 2 * second);
        cut(world, how);
        await world.clock.run(20 * minute);
        const notified = waiting(world).filter((each) => !each.startsWith('down'));
        assert.deepEqual(notified, ['node_blind - ops'], 'one message, about itself');
        deliver(world);
        heal(world);
        await live(world, 5 * minute, ['paris', 'oslo']);
        assert.deepEqual(waiting(world).slice(0, 2), ['node_blind - ops', 'peer_down rome ops']);
        await world.engine.stop();
      });
    }

    it(`reports that peer in time when it is not (${name})`, async () => {
      const world = await shortlyBefore(toml, 2 * second);
      await world.clock.run(3 * second);
      assert.deepEqual(waiting(world), ['peer_down rome ops']);
      await world.engine.stop();
    });
  }

  it('does not use an answer from before the cut that another question got', async () => {
    const world = await openPeerWorld(window + plain + peersOf(['paris', 'oslo', 'rome', 'bonn']));
    const late = ['rome', 'bonn'];
    // Somebody always hangs: what was asked about Rome is still open when Bonn is due.
    for (const id of late) world.fake.witness.set(id, () => 'hang');
    for (const id of ['paris', 'oslo']) world.fake.witness.set(id, () => sees(id, {}));
    await live(world, 3 * minute, ['paris', 'oslo', 'rome']);
    await world.clock.run(5 * second);
    await beat(world, 'bonn');
    await beat(world, 'paris');
    await world.clock.run(55 * second);
    await beat(world, 'oslo');
    await world.clock.run(62 * second);
    assert.deepEqual(waiting(world), ['peer_down rome ops']);
    cut(world, 'lost');
    await world.clock.run(20 * second);
    assert.deepEqual(waiting(world), ['peer_down rome ops'], 'Bonn is due, and nobody is reached');
    await world.engine.stop();
  });

  it('reports that peer soon after the next heartbeat, when there is nobody to ask', async () => {
    const world = await shortlyBefore(quorum + three, second);
    cut(world, 'lost');
    await world.clock.run(10 * second);
    assert.deepEqual(waiting(world), []);
    await beat(world, 'oslo');
    await world.clock.run(20 * second);
    assert.deepEqual(waiting(world), [], 'Rome may have been cut off as well, and not have come back yet');
    await beat(world, 'paris');
    await world.clock.run(11 * second);
    assert.deepEqual(waiting(world), ['peer_down rome ops']);
    await world.engine.stop();
  });
});

describe('a node that suspects its network while a peer is due', () => {
  const hasty = window.replace('fail_threshold = 2', 'fail_threshold = 1');
  const toml = hasty + plain + peersOf(['paris']) + httpMonitors(hosts, 'interval_secs = 30');

  /** Paris falls silent and is due after 120 s; up to 35 s before that, `gone` fail. */
  async function suspecting(earlierSecs: number, gone: readonly string[]): Promise<PeerWorld> {
    const world = await openPeerWorld(toml);
    world.fake.verdict.set('paris', () => 'hang');
    await live(world, 3 * minute, ['paris']);
    await world.clock.run((60 - earlierSecs) * second);
    await beat(world, 'paris');
    await world.clock.run((85 + earlierSecs) * second);
    for (const id of gone) world.targets.set(id, () => silent(10 * second));
    await world.clock.run((35 - earlierSecs) * second);
    return world;
  }

  it('reports nothing down, whenever it is due', async () => {
    let underWay = 0;
    for (let earlierSecs = 0; earlierSecs <= 20; earlierSecs += 4) {
      const world = await suspecting(earlierSecs, hosts);
      const isAsking = world.fake.asked.some(({ what }) => what === 'verdict');
      const isSure = world.engine.health().network.state !== 'ok';
      if (isAsking && !isSure) underWay += 1;
      await world.clock.run(5 * minute);
      if (isAsking) assert.deepEqual(downs(world), [], `${earlierSecs} s earlier`);
      assert.equal(world.engine.health().network.state, 'lost');
      await world.engine.stop();
    }
    assert.ok(underWay > 0, 'the doubt was under way when the peer was due');
  });

  it('reports the peer when the suspicion was wrong', async () => {
    const world = await suspecting(4, hosts.slice(0, 1));
    await world.clock.run(minute);
    assert.deepEqual(downs(world), ['peer_down paris ops']);
    await world.engine.stop();
  });
});
