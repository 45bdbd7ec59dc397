/** A8: what goes wrong on this node is told of nobody else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { printedSeed, randomOf } from '../../support/random.ts';
import {
  answerAll,
  downRows,
  faults,
  heartbeat,
  hosts,
  lastStatus,
  liveThrough,
  minute,
  push,
  second,
  settings,
  standStill,
} from './episodes.ts';
import { failed, httpMonitors, loadWith, openWorld, silent, unknown, up } from './world.ts';

const two = ['a', 'b'];

const eight = settings(2) + httpMonitors(hosts, 'interval_secs = 30');
/** Too few hosts for the network to be doubted: only what this process knows of itself protects them. */
const fewAndHasty = settings(1) + httpMonitors(two, 'interval_secs = 30');

/** This host has no file descriptors left. */
const exhausted = () => {
  const { result, tookMs } = unknown('this host has no file descriptors left');
  const reason = { category: 'own_fault' as const, message: 'none are left', ownFault: 'descriptors' };
  return { result: { ...result, reason, isSilence: false }, tookMs };
};

describe('faults of this node', () => {
  for (const [name, stallMs] of [
    ['a stalled event loop', 20 * second],
    ['a process that was stopped and continued', 40 * minute],
  ] as const) {
    it(`reports nothing down after ${name}`, async () => {
      const world = await openWorld(settings(1) + httpMonitors(two, 'interval_secs = 9'));
      await world.clock.run(5 * minute);
      await standStill(world, two, () => {
        world.clock.stall(stallMs);
      });
      assert.deepEqual(downRows(world), []);
      assert.ok(world.log.some(({ event }) => event === 'node.stood_still'));
      await world.engine.stop();
    });
  }

  it('knows of a standstill from the check that came back first, before any beat', async () => {
    const world = await openWorld(settings(1) + httpMonitors(['a'], 'interval_secs = 30'));
    await world.clock.run(minute);
    let stalled = false;
    world.targets.set('a', () => {
      if (!stalled) world.clock.stall(15 * second);
      stalled = true;
      return silent();
    });
    await world.clock.run(29 * second);
    assert.equal(stalled, true);
    assert.equal(lastStatus(world, 'a'), 'unknown');
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  it('notifies an outage all the same when nothing stalled', async () => {
    const world = await openWorld(fewAndHasty);
    await world.clock.run(5 * minute);
    answerAll(world, two, () => silent(10 * second));
    await world.clock.run(5 * minute);
    assert.deepEqual(downRows(world).length, 2);
    await world.engine.stop();
  });

  for (const [name, stepMs] of [
    ['forwards', 3 * 60 * minute],
    ['backwards', -3 * 60 * minute],
  ] as const) {
    it(`reports nothing down when the clock is set ${name}`, async () => {
      const world = await openWorld(eight + push);
      for (let beat = 0; beat < 3; beat += 1) {
        await heartbeat(world);
        await world.clock.run(9 * minute);
      }
      answerAll(world, hosts, () => silent(10 * second));
      await world.clock.run(5 * second);
      world.clock.step(stepMs);
      answerAll(world, hosts, () => up());
      await world.clock.run(minute);
      await heartbeat(world);
      await world.clock.run(10 * minute);
      assert.deepEqual(downRows(world), []);
      assert.ok(world.log.some(({ event }) => event === 'node.clock_moved'));
      // Its interval and its grace, as if nobody had touched the clock.
      await world.clock.run(minute + 5 * second);
      assert.deepEqual(downRows(world), ['job down waiting'], 'and a heartbeat that stays away is told');
      await world.engine.stop();
    });
  }

  it('makes no burst of checks after a suspend', async () => {
    const world = await openWorld(settings(2) + httpMonitors(hosts, 'interval_secs = 60'));
    await world.clock.run(5 * minute);
    const before = world.checks.length;
    world.clock.stall(8 * 60 * minute);
    await world.clock.run(minute);
    assert.ok(world.checks.length - before <= hosts.length, `${world.checks.length - before} checks`);
    await world.clock.run(minute);
    assert.ok(world.checks.length - before >= hosts.length, 'and goes on');
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  for (const threshold of [1, 2, 5]) {
    it(`reports nothing down while the network is cut, at a fail_threshold of ${threshold}`, async () => {
      const world = await openWorld(settings(threshold) + httpMonitors(hosts, 'interval_secs = 30'));
      await world.clock.run(5 * minute);
      answerAll(world, hosts, () => silent(10 * second));
      await world.clock.run(10 * minute);
      assert.equal(world.engine.health().network.state, 'lost');
      assert.equal(lastStatus(world, 'a'), 'unknown');
      answerAll(world, hosts, () => up());
      await world.clock.run(5 * minute);
      assert.equal(world.engine.health().network.state, 'ok');
      assert.deepEqual(downRows(world), []);
      assert.equal(lastStatus(world, 'a'), 'up');
      const events = world.log.map(({ event }) => event);
      assert.deepEqual(events, ['node.suspect', 'node.blind', 'node.sighted']);
      await world.engine.stop();
    });
  }

  it('forgets a check that was under way when the network came back', async () => {
    const world = await openWorld(settings(1) + httpMonitors(hosts, 'interval_secs = 11'));
    await world.clock.run(5 * minute);
    answerAll(world, hosts, () => silent(10 * second));
    await world.clock.run(10 * minute);
    const asked = world.checks.length;
    while (!world.checks.slice(asked).some(({ id }) => id === 'a')) await world.clock.run(100);
    answerAll(world, hosts, () => up());
    await world.clock.run(5 * minute);
    assert.equal(world.engine.health().network.state, 'ok');
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  it('says once that it lost its network when it was gone for longer than the window', async () => {
    const world = await openWorld(eight);
    await world.clock.run(5 * minute);
    for (let episode = 1; episode <= 2; episode += 1) {
      answerAll(world, hosts, () => silent());
      await world.clock.run(30 * minute);
      answerAll(world, hosts, () => up());
      await world.clock.run(10 * minute);
      const said = world.outbox().filter((row) => row.includes('node_blind'));
      assert.equal(
        said.filter((row) => row.endsWith('waiting')).length,
        episode,
        'one message tells the whole',
      );
      assert.equal(
        said.filter((row) => row.endsWith('dropped')).length,
        episode,
        'the beginning alone does not',
      );
    }
    await world.engine.stop();
  });

  it('keeps its suspicion after a restart in the middle of a cut', async () => {
    const world = await openWorld(eight);
    await world.clock.run(5 * minute);
    answerAll(world, hosts, () => silent(10 * second));
    await world.clock.run(5 * minute);
    await world.restart();
    assert.equal(world.engine.health().network.state, 'lost');
    await world.clock.run(10 * minute);
    answerAll(world, hosts, () => up());
    await world.clock.run(5 * minute);
    assert.deepEqual(downRows(world), []);
    assert.equal(world.engine.health().network.state, 'ok');
    await world.engine.stop();
  });

  it('reports nothing down while no name can be resolved', async () => {
    for (const answer of [unknown, () => silent(10 * second, 'the name server did not answer')]) {
      const world = await openWorld(eight);
      await world.clock.run(5 * minute);
      answerAll(world, hosts, answer);
      await world.clock.run(10 * minute);
      answerAll(world, hosts, () => up());
      await world.clock.run(5 * minute);
      assert.deepEqual(downRows(world), []);
      await world.engine.stop();
    }
  });

  it('asks hosts that are checked rarely before it trusts a failure', async () => {
    const rare = settings(2) + httpMonitors(['a'], 'interval_secs = 10');
    const world = await openWorld(rare + httpMonitors(hosts.slice(1), 'interval_secs = 3600'));
    await world.clock.run(2 * minute);
    answerAll(world, hosts, () => silent(10 * second));
    await world.clock.run(3 * minute);
    assert.deepEqual(downRows(world), []);
    assert.notEqual(world.engine.health().network.state, 'ok');
    answerAll(world, hosts.slice(1), () => up());
    await world.clock.run(65 * minute);
    assert.equal(world.engine.health().network.state, 'ok');
    assert.deepEqual(downRows(world), ['a down waiting'], 'the one that stays away is told');
    await world.engine.stop();
  });

  it('is silent about heartbeats that could not come', async () => {
    const world = await openWorld(eight + push);
    await heartbeat(world);
    await world.clock.run(9 * minute);
    answerAll(world, hosts, () => silent());
    await world.clock.run(30 * minute);
    answerAll(world, hosts, () => up());
    await world.clock.run(5 * minute);
    await heartbeat(world);
    await world.clock.run(5 * minute);
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  it('reports a job that is dead when the network comes back, within one interval and its grace', async () => {
    const world = await openWorld(eight + push);
    await heartbeat(world);
    await world.clock.run(9 * minute);
    answerAll(world, hosts, () => silent());
    await world.clock.run(30 * minute);
    answerAll(world, hosts, () => up());
    await world.clock.run(12 * minute);
    assert.deepEqual(downRows(world), ['job down waiting']);
    await world.engine.stop();
  });

  for (const [name, ids] of [
    ['two hosts', two],
    ['eight hosts', hosts],
  ] as const) {
    const toml = settings(1) + httpMonitors(ids, 'interval_secs = 30');

    it(`is silent about heartbeats that a host without descriptors could not take, beside ${name}`, async () => {
      const world = await openWorld(toml + push);
      await heartbeat(world);
      await world.clock.run(9 * minute);
      answerAll(world, ids, exhausted);
      await world.clock.run(30 * minute);
      answerAll(world, ids, () => up());
      await world.clock.run(5 * minute);
      await heartbeat(world);
      await world.clock.run(5 * minute);
      assert.deepEqual(downRows(world), []);
      assert.deepEqual(
        world.log.filter(({ event }) => event === 'node.suspect'),
        [],
        'and calls no silent network what was never asked',
      );
      await world.engine.stop();
    });

    it(`reports a job that is dead within one interval and its grace after that, beside ${name}`, async () => {
      const world = await openWorld(toml + push);
      await heartbeat(world);
      await world.clock.run(9 * minute);
      answerAll(world, ids, exhausted);
      await world.clock.run(30 * minute);
      answerAll(world, ids, () => up());
      await world.clock.run(12 * minute);
      assert.deepEqual(downRows(world), ['job down waiting']);
      await world.engine.stop();
    });
  }

  it('judges heartbeats again when nothing is left that could say that descriptors are back', async () => {
    const world = await openWorld(fewAndHasty + push);
    await heartbeat(world);
    await world.clock.run(9 * minute);
    answerAll(world, two, exhausted);
    await world.clock.run(5 * minute);
    await world.clock.until(world.engine.reload(await loadWith(settings(1) + push)));
    await world.clock.run(11 * minute);
    assert.deepEqual(downRows(world), ['job down waiting']);
    await world.engine.stop();
  });

  for (const [name, stallMs] of [
    ['a stalled event loop', 20 * second],
    ['a process that was stopped and continued', 40 * minute],
  ] as const) {
    it(`reports a dead job in time after ${name}`, async () => {
      const world = await openWorld(settings(1) + push);
      await heartbeat(world);
      await world.clock.run(10 * minute - second);
      world.clock.stall(stallMs);
      // Its grace of 1 min, and the length of the gap or one interval, whichever is less.
      await world.clock.run(Math.min(11 * minute, minute + stallMs) + 3 * second);
      assert.deepEqual(downRows(world), ['job down waiting']);
      await world.engine.stop();
    });
  }

  it('notifies a real outage of one host, and of a minority', async () => {
    for (const gone of [['a'], ['a', 'b', 'c']]) {
      const world = await openWorld(eight);
      await world.clock.run(5 * minute);
      answerAll(world, gone, () => silent(10 * second));
      await world.clock.run(5 * minute);
      assert.deepEqual(
        downRows(world).sort(),
        gone.map((id) => `${id} down waiting`),
      );
      assert.equal(world.engine.health().network.state, 'ok');
      await world.engine.stop();
    }
  });

  it('notifies one port that is gone on a host that answers on another', async () => {
    const port = '[[monitors]]\nid = "port"\nkind = "tcp"\ntarget = "a.example:25"\ninterval_secs = 30\n';
    const world = await openWorld(eight + port);
    await world.clock.run(5 * minute);
    answerAll(world, ['port'], () => silent(5 * second));
    await world.clock.run(3 * minute);
    assert.deepEqual(downRows(world), ['port down waiting']);
    await world.engine.stop();
  });

  it('trusts failures with an answer, however many', async () => {
    const world = await openWorld(eight);
    await world.clock.run(5 * minute);
    answerAll(world, hosts, () => failed('status'));
    await world.clock.run(5 * minute);
    assert.equal(downRows(world).length, hosts.length);
    await world.engine.stop();
  });

  it('records an outage of everything as one word about this node', async () => {
    const world = await openWorld(eight);
    await world.clock.run(5 * minute);
    answerAll(world, hosts, () => silent());
    await world.clock.run(60 * minute);
    const said = decisions
      .countWithin(world.store.sql, { fromAt: 0, toAt: Number.MAX_SAFE_INTEGER, followUps: [] })
      .map(({ reason, count }) => `${reason} ${count}`);
    assert.deepEqual(said, ['at_once 1']);
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  for (const fault of faults) {
    it(`reports nothing down at a random moment (${fault}), and a real outage afterwards`, async () => {
      const seed = printedSeed();
      const random = randomOf(seed);
      for (let episode = 0; episode < 2; episode += 1)
        assert.deepEqual(await liveThrough({ fault, random }), { wrong: [], isAwake: true }, `seed ${seed}`);
    });
  }

  for (const fault of ['stall', 'stop', 'network', 'resolver'] as const) {
    it(`would report a false down without the check of this node's own network (${fault})`, async () => {
      const { wrong } = await liveThrough({ fault, random: randomOf(1), isDefended: false });
      assert.notDeepEqual(wrong, []);
    });
  }
});
