/** Watched peers in virtual time: who is told what, and when. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { peers } from '../../../src/db/tables/peers.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import {
  beat,
  deliver,
  live,
  logged,
  minute,
  noSecretIn,
  openPeerWorld,
  peersOf,
  second,
  sees,
  stateOf,
  waiting,
} from './peer-world.ts';
import { httpMonitors, unknown, up } from '../monitoring/world.ts';

const window = '[alerts]\ngroup_window_secs = 30\n';
const health = '[health]\nid = "home"\n';
const quorum = '[health]\nid = "home"\nquorum = true\n';
/** A second channel beside `ops`, which every world has. */
const night = '\n[[channels]]\nname = "night"\ntype = "ntfy"\nurl = "https://ntfy.example/n"\n';
const one = window + health + peersOf(['paris']);

describe('a peer that falls silent', () => {
  it('is reported down after its deadline and the window, and up again when it is heard', async () => {
    const world = await openPeerWorld(one);
    await live(world, 5 * minute, ['paris']);
    assert.equal(stateOf(world, 'paris').state, 'up');
    await world.clock.run(59 * second);
    assert.deepEqual(waiting(world), []);
    assert.deepEqual(logged(world, 'peer.late'), ['peer paris is late: no heartbeat for 1m 30s']);
    await world.clock.run(2 * second);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    assert.equal(stateOf(world, 'paris').state, 'down');
    assert.deepEqual(logged(world, 'peer.down'), [
      'peer paris is down: no heartbeat for 2m; one is expected every 1m 30s',
    ]);
    await world.clock.run(120 * minute);
    assert.deepEqual(waiting(world), ['peer_down paris ops'], 'once');
    deliver(world);
    await beat(world, 'paris');
    assert.deepEqual(waiting(world), ['peer_recovered paris ops']);
    assert.equal(stateOf(world, 'paris').state, 'up');
    noSecretIn(world);
    await world.engine.stop();
  });

  it('is reported down while this node stalls for 4 s of every 16', async () => {
    const world = await openPeerWorld(one);
    await live(world, 5 * minute, ['paris']);
    let passedMs = 0;
    for (; passedMs < 20 * minute && waiting(world).length === 0; passedMs += 16 * second) {
      world.clock.stall(4 * second);
      await world.clock.run(12 * second);
    }
    // 90 s and a window of 30 s, and a third more for what this node missed.
    assert.ok(passedMs <= 192 * second, `${passedMs} ms`);
    await world.engine.stop();
  });

  it('and comes back within the window wakes nobody', async () => {
    const world = await openPeerWorld(one);
    for (let round = 0; round < 20; round += 1) {
      await beat(world, 'paris');
      await world.clock.run(115 * second);
    }
    assert.deepEqual(waiting(world), []);
    await world.engine.stop();
  });

  it('is notified on its own channels alone, and its recovery only where its outage was', async () => {
    const world = await openPeerWorld(
      window + health + night + peersOf(['paris', 'oslo'], 'notify = ["night"]'),
    );
    await live(world, 2 * minute, ['paris', 'oslo']);
    await live(world, 5 * minute, ['oslo']);
    assert.deepEqual(waiting(world), ['peer_down paris night']);
    await beat(world, 'paris');
    // It waits still, so one message says both.
    assert.deepEqual(waiting(world), ['peer_recovered paris night']);
    await world.engine.stop();
  });

  it('that was never heard has its grace', async () => {
    const world = await openPeerWorld(
      `${window}[health]\nid = "home"\ngrace_secs = 600\n${peersOf(['paris'])}`,
    );
    await world.clock.run(629 * second);
    assert.deepEqual(waiting(world), []);
    await world.clock.run(2 * second);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    assert.equal(stateOf(world, 'paris').heardAt, null);
    assert.match(logged(world, 'peer.down')[0] ?? '', /it never sent a heartbeat/);
    await world.engine.stop();
  });

  it('is notified at once after the window when it says itself that it is down', async () => {
    const world = await openPeerWorld(one);
    await live(world, 2 * minute, ['paris']);
    for (let round = 0; round < 4; round += 1) {
      await beat(world, 'paris', 'down');
      await world.clock.run(10 * second);
    }
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    assert.match(logged(world, 'peer.down')[0] ?? '', /says itself that it is down/);
    await beat(world, 'paris', 'down');
    assert.equal(stateOf(world, 'paris').state, 'down');
    deliver(world);
    await beat(world, 'paris', 'degraded');
    assert.deepEqual(waiting(world), ['peer_recovered paris ops']);
    await world.engine.stop();
  });

  it('that nobody watches is recorded and never notified', async () => {
    const world = await openPeerWorld(
      `${window + health}[[peers]]\nid = "paris"\nlisten_token = "t0ken-x"\n`,
    );
    await beat(world, 'paris');
    await world.clock.run(60 * minute);
    assert.deepEqual(waiting(world), []);
    assert.notEqual(stateOf(world, 'paris').heardAt, null);
    assert.equal(stateOf(world, 'paris').state, 'unknown');
    await assert.rejects(beat(world, 'rome'), /there is no peer rome/);
    await world.engine.stop();
  });
});

describe('what is known of a peer', () => {
  it('survives a restart: nothing is sent twice, and the recovery still is', async () => {
    const world = await openPeerWorld(one);
    await live(world, 2 * minute, ['paris']);
    await world.clock.run(5 * minute);
    deliver(world);
    for (let round = 0; round < 3; round += 1) {
      await world.restart();
      await world.clock.run(10 * minute);
    }
    assert.deepEqual(waiting(world), []);
    await world.restart();
    await beat(world, 'paris');
    assert.deepEqual(waiting(world), ['peer_recovered paris ops']);
    await world.engine.stop();
  });

  it('is given time again after a restart, when nothing could be heard', async () => {
    const world = await openPeerWorld(one);
    await live(world, 2 * minute, ['paris']);
    await world.clock.run(10 * second);
    await world.engine.stop();
    world.clock.stall(10 * minute);
    await world.restart();
    await world.clock.run(119 * second);
    assert.deepEqual(waiting(world), []);
    await world.clock.run(2 * second);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    await world.engine.stop();
  });

  it('is not judged while this host has no descriptors for its heartbeats, and is afterwards', async () => {
    const world = await openPeerWorld(one + httpMonitors(['web'], 'interval_secs = 10'));
    await live(world, 2 * minute, ['paris']);
    const { result, tookMs } = unknown('this host has no file descriptors left');
    const reason = { category: 'own_fault' as const, message: 'none are left', ownFault: 'descriptors' };
    world.targets.set('web', () => ({ result: { ...result, reason, isSilence: false }, tookMs }));
    await world.clock.run(20 * minute);
    const ofPeer = () => waiting(world).filter((row) => row.includes('paris'));
    assert.deepEqual(ofPeer(), []);
    world.targets.set('web', () => up());
    await world.clock.run(4 * minute);
    assert.deepEqual(ofPeer(), ['peer_down paris ops']);
    await world.engine.stop();
  });

  it('is given no time for what fell due when it could be heard', async () => {
    const world = await openPeerWorld(one);
    await live(world, 2 * minute, ['paris']);
    await world.clock.run(50 * second);
    await world.restart();
    await world.clock.run(71 * second);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    await world.engine.stop();
  });

  it('survives a reload: other settings count at once', async () => {
    const world = await openPeerWorld(one);
    await live(world, 2 * minute, ['paris']);
    await world.reload(one.replace('expect_every_secs = 90', 'expect_every_secs = 600'));
    await world.clock.run(9 * minute);
    assert.deepEqual(waiting(world), []);
    await world.reload(one);
    await world.clock.run(second);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    await world.engine.stop();
  });

  it('is forgotten with the peer, so that an old outage does not end one day', async () => {
    const world = await openPeerWorld(one);
    await live(world, 2 * minute, ['paris']);
    await world.clock.run(5 * minute);
    deliver(world);
    await world.reload(window + health);
    await world.clock.run(minute);
    assert.equal(stateOf(world, 'paris').state, 'unknown');
    deliver(world);
    await world.reload(one);
    await beat(world, 'paris');
    assert.deepEqual(waiting(world), []);
    await world.clock.run(5 * minute);
    assert.deepEqual(waiting(world), ['peer_down paris ops'], 'and a new one is told');
    await world.engine.stop();
  });

  for (const [how, rest] of [
    ['it left the configuration', window + health],
    ['it is expected no more', one.replace('expect_every_secs = 90\n', '')],
  ] as const) {
    for (const isStopped of [false, true]) {
      const when = isStopped ? 'while this node was stopped' : 'with a reload';
      it(`ends with one message that it is not watched, where it was called down: ${how} ${when}`, async () => {
        const world = await openPeerWorld(one);
        await live(world, 2 * minute, ['paris']);
        await world.clock.run(5 * minute);
        deliver(world);
        const change = isStopped ? world.restart : world.reload;
        await change(rest);
        await world.clock.run(minute);
        assert.deepEqual(waiting(world), ['peer_recovered paris ops']);
        const [row] = outbox.due(world.store.sql, Number.MAX_SAFE_INTEGER, 9);
        assert.equal(fieldsOf(row?.payload)['by'], 'removal');
        deliver(world);
        await change(rest);
        await world.clock.run(5 * minute);
        assert.deepEqual(waiting(world), [], 'once');
        await change(one);
        await beat(world, 'paris');
        await world.clock.run(5 * minute);
        assert.deepEqual(
          waiting(world),
          ['peer_down paris ops'],
          'and is called down when it is watched again',
        );
        await world.engine.stop();
      });
    }
  }

  it('ends without a message where nothing was said of it', async () => {
    const world = await openPeerWorld(one + peersOf(['oslo']));
    await live(world, 2 * minute, ['paris', 'oslo']);
    await live(world, 5 * minute, ['oslo']);
    deliver(world);
    await world.reload(one);
    await world.clock.run(minute);
    assert.deepEqual(waiting(world), [], 'oslo was up, and paris is watched');
    await beat(world, 'paris');
    assert.deepEqual(waiting(world), ['peer_recovered paris ops']);
    await world.engine.stop();
  });

  it('is kept for 40 days after the peer was removed, and for ever while it is configured', async () => {
    const world = await openPeerWorld(window + health + peersOf(['paris', 'oslo'], 'notify = []'));
    await live(world, 2 * minute, ['paris', 'oslo']);
    const at = world.clock.now();
    const verdict = { monitor: 'api', at, status: 'up', latencyMs: 1, error: null, skewMs: 0 } as const;
    world.store.facts.apply(...['paris', 'oslo'].map((peer) => peers.saveVerdict({ ...verdict, peer })));
    const known = () => [
      peers.list(world.store.sql).map(({ id }) => id),
      peers.listVerdicts(world.store.sql).map(({ peer }) => peer),
    ];
    await world.reload(window + health + peersOf(['oslo'], 'notify = []'));
    // As if the process had been stopped: 40 days of heartbeats take too long, and a clock that is set is not believed.
    world.clock.stall(39 * 1440 * minute);
    await world.clock.run(15 * minute);
    assert.deepEqual(known(), [
      ['oslo', 'paris'],
      ['oslo', 'paris'],
    ]);
    world.clock.stall(1440 * minute);
    await world.clock.run(15 * minute);
    assert.deepEqual(known(), [['oslo'], ['oslo']]);
    await world.engine.stop();
  });

  it('knows from memory who lives while heartbeats are refused', async () => {
    const world = await openPeerWorld(one);
    await live(world, 2 * minute, ['paris']);
    world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
    await world.clock.run(10 * second);
    await assert.rejects(beat(world, 'paris'), /disk is full/);
    assert.equal(stateOf(world, 'paris').heardAt, world.clock.now());
    for (let beats = 0; beats < 10; beats += 1) {
      await world.clock.run(30 * second);
      await assert.rejects(beat(world, 'paris'), /disk is full/);
    }
    assert.ok(!waiting(world).includes('peer_down paris ops'), 'whoever is refused is not silent');
    await world.clock.run(5 * minute);
    assert.ok(waiting(world).includes('peer_down paris ops'), 'and a silence is notified from memory');
    deliver(world);
    await assert.rejects(beat(world, 'paris'), /disk is full/);
    assert.ok(waiting(world).includes('peer_recovered paris ops'), 'and so is its end');
    await world.engine.stop();
  });

  for (const [name, isRefused] of [
    ['refused', true],
    ['written', false],
  ] as const)
    it(`stays up when the clock is set while its heartbeat is ${name}`, async () => {
      const world = await openPeerWorld(one);
      await live(world, 2 * minute, ['paris']);
      if (isRefused)
        world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
      const { write } = world.store;
      Object.assign(world.store, {
        write: async (...[operations, how]: Parameters<typeof write>) => {
          if (how?.mustBeDurable !== false) await world.clock.sleep(5 * second);
          return write(operations, how);
        },
      });
      await world.clock.run(20 * second);
      const sent = beat(world, 'paris').catch(() => undefined);
      await world.clock.run(second);
      world.clock.step(400 * 1440 * minute);
      await world.clock.run(20 * second);
      await sent;
      await world.clock.run(20 * second);
      assert.ok(!waiting(world).includes('peer_down paris ops'));
      await world.clock.run(5 * minute);
      assert.ok(waiting(world).includes('peer_down paris ops'), 'and a real silence is notified');
      await world.engine.stop();
    });

  for (const [name, fault] of [
    [
      'this process stood still',
      (clock: { stall: (ms: number) => void }) => {
        clock.stall(40 * minute);
      },
    ],
    [
      'the clock was set forwards',
      (clock: { step: (ms: number) => void }) => {
        clock.step(40 * minute);
      },
    ],
    [
      'the clock was set back',
      (clock: { step: (ms: number) => void }) => {
        clock.step(-40 * minute);
      },
    ],
  ] as const) {
    it(`begins anew when ${name}`, async () => {
      const world = await openPeerWorld(one);
      await live(world, 3 * minute, ['paris']);
      fault(world.clock);
      await world.clock.run(50 * second);
      await live(world, 5 * minute, ['paris']);
      assert.deepEqual(waiting(world), []);
      await world.clock.run(2 * minute);
      assert.deepEqual(waiting(world), ['peer_down paris ops'], 'and a real silence is told');
      await world.engine.stop();
    });
  }
});

describe('a silence under a quorum', () => {
  const two = window + quorum + peersOf(['paris', 'oslo']);

  it('is a broken link while another peer receives its heartbeats, and down when that peer loses it too', async () => {
    const world = await openPeerWorld(two);
    world.fake.witness.set('oslo', () => sees('oslo', { paris: 'up 20' }));
    await live(world, 2 * minute, ['paris', 'oslo']);
    await live(world, 5 * minute, ['oslo']);
    assert.deepEqual(waiting(world), ['peer_link_degraded paris ops']);
    assert.deepEqual(stateOf(world, 'paris').seenBy, ['OSLO']);
    deliver(world);
    world.fake.witness.set('oslo', () => sees('oslo', { paris: 'down 200' }));
    await live(world, 3 * minute, ['oslo']);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    deliver(world);
    await beat(world, 'paris');
    assert.deepEqual(waiting(world), ['peer_recovered paris ops']);
    await world.engine.stop();
  });

  it('is reported as a broken link at least, when a peer lies that it hears it', async () => {
    const world = await openPeerWorld(two);
    world.fake.witness.set('oslo', () => sees('oslo', { paris: 'up 0' }));
    await live(world, 2 * minute, ['paris', 'oslo']);
    await live(world, 60 * minute, ['oslo']);
    assert.deepEqual(waiting(world), ['peer_link_degraded paris ops']);
    await world.engine.stop();
  });

  it('takes a broken link that works again back where it was not notified yet', async () => {
    const world = await openPeerWorld(two);
    world.fake.witness.set('oslo', () => sees('oslo', { paris: 'up 20' }));
    await live(world, 2 * minute, ['paris', 'oslo']);
    await live(world, 3 * minute, ['oslo']);
    await beat(world, 'paris');
    assert.deepEqual(waiting(world), []);
    assert.equal(stateOf(world, 'paris').state, 'up');
    assert.match(logged(world, 'peer.recovered')[0] ?? '', /the link to peer paris works again/);
    await world.engine.stop();
  });

  it('is notified within twelve seconds when no peer answers, as long as one is heard', async () => {
    const world = await openPeerWorld(two);
    world.fake.witness.set('oslo', () => 'hang');
    world.fake.witness.set('paris', () => 'hang');
    await live(world, 2 * minute, ['paris', 'oslo']);
    await beat(world, 'oslo');
    await world.clock.run(61 * second);
    await beat(world, 'oslo');
    await world.clock.run(10 * second);
    assert.deepEqual(waiting(world), []);
    await world.clock.run(second);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    await world.engine.stop();
  });

  it('is overtaken by a heartbeat that comes while the others are asked', async () => {
    const world = await openPeerWorld(two);
    world.fake.witness.set('oslo', () => 'hang');
    await live(world, 2 * minute, ['paris', 'oslo']);
    await beat(world, 'oslo');
    await world.clock.run(64 * second);
    assert.ok(world.fake.asked.length > 0);
    await beat(world, 'paris');
    await live(world, 3 * minute, ['paris', 'oslo']);
    assert.deepEqual(waiting(world), []);
    await world.engine.stop();
  });

  it('does not trust another server at the address of a peer', async () => {
    const world = await openPeerWorld(two);
    world.fake.witness.set('oslo', () => sees('home', { paris: 'up 0' }));
    await live(world, 2 * minute, ['paris', 'oslo']);
    await live(world, 3 * minute, ['oslo']);
    assert.deepEqual(waiting(world), ['peer_down paris ops']);
    await world.engine.stop();
  });

  it('is a broken link when the peer answers itself: its heartbeats alone do not come', async () => {
    const world = await openPeerWorld(two);
    world.fake.witness.set('paris', () => sees('paris', {}));
    world.fake.witness.set('oslo', () => sees('oslo', { paris: 'down 300' }));
    await live(world, 2 * minute, ['paris', 'oslo']);
    await live(world, 3 * minute, ['oslo']);
    assert.deepEqual(waiting(world), ['peer_link_degraded paris ops']);
    world.fake.witness.set('paris', () => sees('paris', {}, false));
    await live(world, 3 * minute, ['oslo']);
    assert.ok(waiting(world).includes('peer_down paris ops'), 'unless it is not well');
    await world.engine.stop();
  });

  it('is looked at twice before a broken link whose peers are not reached is reported down', async () => {
    const world = await openPeerWorld(two);
    world.fake.witness.set('oslo', () => sees('oslo', { paris: 'up 20' }));
    await live(world, 2 * minute, ['paris', 'oslo']);
    await live(world, 3 * minute, ['oslo']);
    world.fake.witness.delete('oslo');
    await live(world, 2 * minute, ['oslo']);
    assert.deepEqual(waiting(world), ['peer_link_degraded paris ops']);
    await live(world, 3 * minute, ['oslo']);
    assert.ok(waiting(world).includes('peer_down paris ops'));
    await world.engine.stop();
  });
});
