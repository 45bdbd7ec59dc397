/** The heartbeats of this node: when they go out, when they do not, what is said about it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HeartbeatAnswer } from '../../../src/engine/peers/client/clients.ts';
import { logged, minute, noSecretIn, openPeerWorld, peersOf, type PeerWorld, second } from './peer-world.ts';

const health = '[health]\nid = "home"\nheartbeat_url = "https://dead.example/s3cret-path"\n';
const ids = ['paris', 'oslo', 'rome', 'bonn'];

const sentTo = (world: PeerWorld, to: string | null) =>
  world.fake.sent.filter((each) => each.to === to).map(({ atMs }) => atMs);

function pauses(times: readonly number[]): number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}

describe('heartbeats', () => {
  it('go to every peer and to the dead-man service once an interval, soon after the start', async () => {
    const world = await openPeerWorld(health + peersOf(ids));
    await world.clock.run(10 * minute);
    for (const to of [...ids, null]) {
      const times = sentTo(world, to);
      assert.ok((times[0] ?? Infinity) < 5 * second, `${to}: ${times[0]}`);
      assert.ok(times.length === 10 || times.length === 11, `${to}: ${times.length}`);
      for (const pause of pauses(times)) assert.ok(Math.abs(pause - minute) < second, `${to}: ${pause}`);
    }
    assert.equal(new Set([...ids, null].map((to) => sentTo(world, to)[0])).size, 5, 'not all at once');
    await world.engine.stop();
  });

  it('are held back while the database cannot be written, which is said once', async () => {
    const world = await openPeerWorld(health + peersOf(ids));
    await world.clock.run(2 * minute);
    world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
    const before = world.fake.sent.length;
    await world.clock.run(10 * minute);
    assert.equal(world.fake.sent.length, before);
    assert.deepEqual(logged(world, 'heartbeat.held_back'), [
      'no heartbeats are sent, so that the peers notice: the database cannot be written: the disk is full',
    ]);
    world.store.setHealth({ isDurable: true, reason: null, since: null });
    await world.clock.run(61 * second);
    assert.equal(new Set(world.fake.sent.slice(before).map(({ to }) => to)).size, 5);
    assert.equal(logged(world, 'heartbeat.sent_again').length, 1);
    await world.engine.stop();
  });

  it('end with the engine', async () => {
    const world = await openPeerWorld(health + peersOf(ids));
    await world.clock.run(2 * minute);
    await world.clock.until(world.engine.stop());
    const before = world.fake.sent.length;
    await world.clock.run(10 * minute);
    assert.equal(world.fake.sent.length, before);
  });

  for (const [answer, says] of [
    [
      { kind: 'refused', status: 401 },
      'it answered 401; check that ping_token here is the listen_token over there',
    ],
    [
      { kind: 'refused', status: 404 },
      'it answered 404; check that the end of ping_url here is the listen_id over there',
    ],
    [{ kind: 'refused', status: 302 }, 'it answered 302; redirects are not followed, check ping_url'],
    [
      { kind: 'unreachable', error: 'connection refused by 192.0.2.1:443' },
      'it cannot be reached: connection refused by 192.0.2.1:443',
    ],
  ] as const satisfies readonly (readonly [HeartbeatAnswer, string])[]) {
    it(`that are refused are reported once, with what to check: ${says}`, async () => {
      const world = await openPeerWorld(health + peersOf(['paris']));
      world.fake.takes.set('paris', () => answer);
      await world.clock.run(30 * minute);
      assert.deepEqual(logged(world, 'heartbeat.untaken'), [`peer paris does not take heartbeats: ${says}`]);
      assert.deepEqual(logged(world, 'heartbeat.taken'), []);
      world.fake.takes.delete('paris');
      await world.clock.run(2 * minute);
      assert.deepEqual(logged(world, 'heartbeat.taken'), ['peer paris accepts heartbeats again']);
      noSecretIn(world);
      assert.doesNotMatch(JSON.stringify(world.log), /s3cret/);
      await world.engine.stop();
    });
  }

  it('that are not taken are sent again before the next is due, so that one lost request makes nobody late', async () => {
    const world = await openPeerWorld(health + peersOf(['paris']));
    await world.clock.run(5 * minute);
    let failures = 1;
    world.fake.takes.set('paris', () =>
      (failures -= 1) >= 0 ? { kind: 'unreachable', error: 'timeout' } : { kind: 'taken' },
    );
    const before = sentTo(world, 'paris').length;
    await world.clock.run(85 * second);
    assert.ok(pauses(sentTo(world, 'paris').slice(before)).some((pause) => pause <= 20 * second + 1));
    await world.engine.stop();
  });

  it('to one that hangs do not pile up, and delay no other', async () => {
    const world = await openPeerWorld(health + peersOf(ids));
    world.fake.takes.set('paris', () => 'hang');
    await world.clock.run(10 * minute);
    assert.equal(sentTo(world, 'paris').length, 1);
    assert.ok(sentTo(world, 'oslo').length >= 10);
    await world.engine.stop();
  });

  it('go on in their rhythm over a reload, stop for a peer that is gone, begin for a new one', async () => {
    const world = await openPeerWorld(health + peersOf(['paris', 'oslo']));
    await world.clock.run(150 * second);
    await world.reload(health + peersOf(['oslo', 'rome']));
    const gone = sentTo(world, 'paris').length;
    await world.clock.run(10 * minute);
    assert.equal(sentTo(world, 'paris').length, gone);
    assert.ok(sentTo(world, 'rome').length >= 10);
    for (const pause of pauses(sentTo(world, 'oslo')))
      assert.ok(Math.abs(pause - minute) < second, `${pause}`);
    await world.engine.stop();
  });
});
