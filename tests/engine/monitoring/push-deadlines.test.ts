/** When a push monitor that stopped goes down, whatever happens to the timers and to this node. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { countedSecs } from '../../../src/engine/monitoring/counted-time.ts';
import type { Clock } from '../../../src/engine/core/clock.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';
import { liveThroughHistory } from './push-histories.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { openWorld, type World } from './world.ts';

const second = 1000;
const minute = 60_000;

/** A clock as Node has it: timers fire up to 1 ms early, the wall clock ends on whole ms, and reading it takes time. */
function realisticClock(clock: VirtualClock, random: () => number): Clock {
  return {
    now: () => {
      clock.stall(0.05);
      return Math.floor(clock.preciseNow());
    },
    monotonic: clock.monotonic,
    sleep: (ms, signal) => clock.sleep(Math.max(0, ms - random()), signal),
  };
}

const beat = (world: World, monitor = 'job') =>
  world.clock.until(world.engine.heartbeat({ monitor, status: 'up', message: null, pingMs: null }));

/** What has to be durable takes so long from now on, whether it is taken or not. */
function holdWrites({ store, clock }: World, ms: number): void {
  const { write } = store;
  Object.assign(store, {
    write: async (...[operations, how]: Parameters<typeof write>) => {
      if (how?.mustBeDurable !== false) await clock.sleep(ms);
      return write(operations, how);
    },
  });
}

const pushMonitor = (id: string, more: string) => `[[monitors]]\nid = "${id}"\nkind = "push"\n${more}\n`;

const confirmedAt = (world: World, monitor = 'job') =>
  incidents.listOpen(world.store.sql).find((each) => each.monitor === monitor)?.confirmedAt ?? null;

describe('a push monitor whose job stopped', () => {
  it('goes down at its deadline although timers fire early: 115 of 115', async () => {
    const seed = printedSeed();
    const random = randomOf(seed);
    const ids = Array.from({ length: 115 }, (_, n) => `job${n}`);
    const graceOf = (n: number) => [0, 7, 45][n % 3] ?? 0;
    const intervalOf = (n: number) => 20 + (n % 40);
    const toml = ids
      .map((id, n) => pushMonitor(id, `interval_secs = ${intervalOf(n)}\ngrace_secs = ${graceOf(n)}`))
      .join('');
    const clock = new VirtualClock();
    const world = await openWorld(toml, {
      clock,
      engine: { clock: realisticClock(clock, () => random.below(1000) / 1000) },
    });
    const heardAt = new Map<string, number>();
    for (const id of ids) {
      await clock.run(random.below(100_000) / 1000);
      await beat(world, id);
      heardAt.set(id, clock.now());
    }
    await clock.run(3 * minute);
    const late = ids.filter((id, n) => {
      const dueAt = (heardAt.get(id) ?? 0) + (intervalOf(n) + graceOf(n)) * second;
      return (confirmedAt(world, id) ?? Infinity) > dueAt + second;
    });
    assert.deepEqual(late, [], `seed ${seed}: reported late`);
    await world.engine.stop();
  });

  it('is down from when its heartbeat was due, in its seconds as in its incident', async () => {
    const world = await openWorld(pushMonitor('job', 'interval_secs = 60\ngrace_secs = 600'));
    await beat(world);
    const dueAt = world.clock.now() + 60 * second;
    await world.clock.run(30 * minute);
    const [open] = incidents.listOpen(world.store.sql);
    assert.deepEqual([open?.startedAt, open?.confirmedAt], [dueAt, dueAt + 600 * second]);
    const config = { maintenance: [], peers: [] };
    const span = { fromAt: dueAt - 60 * second, toAt: dueAt + 20 * minute, nowAt: world.clock.now() };
    const { up, degraded, down } = countedSecs(world.store.sql, config, { monitor: 'job', ...span });
    assert.ok(
      Math.abs(down - 1200) <= 1 && Math.abs(up - 60) <= 1 && degraded <= 1,
      `${up} ${degraded} ${down}`,
    );
    await world.engine.stop();
  });

  it('goes down while this node stalls for 4 s of every 16', async () => {
    const world = await openWorld(pushMonitor('job', 'interval_secs = 60\ngrace_secs = 120'));
    await beat(world);
    const heardAt = world.clock.now();
    for (let passed = 0; passed < 20 * minute && confirmedAt(world) === null; passed += 16 * second) {
      world.clock.stall(4 * second);
      await world.clock.run(12 * second);
    }
    const tookMs = (confirmedAt(world) ?? Infinity) - heardAt;
    // A third more for the grace: what the node missed. The start of a standstill is known to a second.
    assert.ok(tookMs <= 60 * second + 120 * second * 1.5, `${tookMs} ms`);
    await world.engine.stop();
  });

  for (const [name, isAlive, expected] of [
    ['stays up while its heartbeats are refused', true, false],
    ['goes down in time when it is dead', false, true],
  ] as const)
    it(`${name} because the disk is full`, async () => {
      const world = await openWorld(pushMonitor('job', 'interval_secs = 60\ngrace_secs = 30'));
      await beat(world);
      await world.clock.run(30 * second);
      world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
      for (let beats = 0; beats < 10; beats += 1) {
        await world.clock.run(30 * second);
        if (beats === 2 && !isAlive) assert.ok(confirmedAt(world) !== null, '90 s after its last heartbeat');
        if (isAlive) await assert.rejects(beat(world), { code: 'store_full' });
        // Other settings change nothing about what was heard.
        if (beats === 5) await world.reload(pushMonitor('job', 'interval_secs = 60\ngrace_secs = 31'));
      }
      assert.equal(confirmedAt(world) !== null, expected);
      world.store.setHealth({ isDurable: true, reason: null, since: null });
      await world.clock.run(50 * second);
      assert.equal(confirmedAt(world) !== null, expected);
      await world.clock.run(50 * second);
      assert.ok(confirmedAt(world) !== null, 'what was refused last is no promise of more');
      await world.engine.stop();
    });

  for (const [name, isAlive] of [
    ['stays up when the program is started again right after its heartbeats were refused', true],
    ['goes down after such a start, within an interval and its grace, when it is dead', false],
  ] as const)
    it(name, async () => {
      const world = await openWorld(
        pushMonitor('job', 'interval_secs = 60\ngrace_secs = 30\nfail_threshold = 1'),
      );
      await beat(world);
      await world.clock.run(30 * second);
      world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
      for (let beats = 0; beats < 8; beats += 1) {
        await world.clock.run(30 * second);
        if (isAlive) await assert.rejects(beat(world), { code: 'store_full' });
      }
      world.store.setHealth({ isDurable: true, reason: null, since: null });
      await world.clock.run(2 * second);
      await world.restart();
      await world.clock.run(20 * second);
      if (isAlive) assert.equal(confirmedAt(world), null);
      if (isAlive) {
        await beat(world);
        await world.clock.run(80 * second);
        assert.equal(confirmedAt(world), null);
      }
      await world.clock.run(100 * second);
      assert.ok(confirmedAt(world) !== null);
      await world.engine.stop();
    });

  for (const [name, isRefused] of [
    ['refused', true],
    ['written', false],
  ] as const)
    for (const days of [400, -400])
      it(`stays up when the clock is set by ${days} days while its heartbeat is ${name}, and then goes down by its silence`, async () => {
        const world = await openWorld(pushMonitor('job', 'interval_secs = 60\ngrace_secs = 30'));
        await beat(world);
        await world.clock.run(50 * second);
        if (isRefused)
          world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
        holdWrites(world, 5 * second);
        const sent = world.engine
          .heartbeat({ monitor: 'job', status: 'up', message: null, pingMs: null })
          .then(
            () => 'taken',
            () => 'refused',
          );
        await world.clock.run(second);
        world.clock.step(days * 1440 * minute);
        await world.clock.run(20 * second);
        assert.equal(await sent, isRefused ? 'refused' : 'taken');
        await world.clock.run(50 * second);
        assert.equal(confirmedAt(world), null);
        await world.clock.run(40 * second);
        assert.notEqual(confirmedAt(world), null);
        await world.engine.stop();
      });

  it('recovers while its heartbeats are refused, by as many as it takes, and a repeated one counts once', async () => {
    const world = await openWorld(
      pushMonitor('job', 'interval_secs = 60\ngrace_secs = 30\nrecover_threshold = 2'),
    );
    await beat(world);
    await world.clock.run(2 * minute);
    assert.ok(confirmedAt(world) !== null);
    world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
    for (let tries = 0; tries < 5; tries += 1) {
      await assert.rejects(beat(world), { code: 'store_full' });
      await world.clock.run(2 * second);
    }
    assert.ok(confirmedAt(world) !== null, 'one heartbeat, sent five times');
    await world.clock.run(50 * second);
    await assert.rejects(beat(world), { code: 'store_full' });
    assert.equal(confirmedAt(world), null);
    await world.clock.run(3 * minute);
    assert.ok(confirmedAt(world) !== null, 'and it goes down again by its silence');
    await world.engine.stop();
  });

  it('goes down by its silence while only its word that it is down is refused', async () => {
    const world = await openWorld(pushMonitor('job', 'interval_secs = 60\ngrace_secs = 30'));
    await beat(world);
    world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
    for (let beats = 0; beats < 4; beats += 1) {
      await world.clock.run(30 * second);
      const down = { monitor: 'job', status: 'down', message: null, pingMs: null } as const;
      await assert.rejects(world.clock.until(world.engine.heartbeat(down)), { code: 'store_full' });
    }
    assert.ok(confirmedAt(world) !== null);
    await world.engine.stop();
  });

  it('and a live one stays up under the same stalls', async () => {
    const world = await openWorld(pushMonitor('job', 'interval_secs = 60\ngrace_secs = 120'));
    for (let passed = 0; passed < 20 * minute; passed += 16 * second) {
      if (passed % (48 * second) === 0) await beat(world);
      world.clock.stall(4 * second);
      await world.clock.run(12 * second);
      assert.equal(confirmedAt(world), null);
    }
    await world.engine.stop();
  });

  it('with a schedule of every minute goes down within that minute after a start', async () => {
    const world = await openWorld(pushMonitor('job', 'schedule = "* * * * *"\ngrace_secs = 6'));
    await world.clock.run(20 * second);
    await beat(world);
    await world.clock.run(5 * second);
    await world.restart();
    const startedAt = world.clock.now();
    await world.clock.run(2 * minute);
    assert.ok((confirmedAt(world) ?? Infinity) - startedAt <= 47 * second);
    await world.engine.stop();
  });

  it('goes down by the clocks of its time zone, also on the day on which they are set', async () => {
    const dueAts = [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 5, 8, 0, 30)];
    for (const dueAt of dueAts) {
      const startAt = dueAt - 5 * minute;
      const settings = 'schedule = "30 2 * * *"\ntimezone = "Europe/Berlin"\ngrace_secs = 60';
      const world = await openWorld(pushMonitor('job', settings), { clock: new VirtualClock(startAt) });
      await beat(world);
      await world.clock.run(dueAt - startAt + 59 * second);
      assert.equal(confirmedAt(world), null);
      await world.clock.run(3 * second);
      const lateMs = (confirmedAt(world) ?? Infinity) - (dueAt + minute);
      assert.ok(lateMs >= 0 && lateMs <= 2 * second, `${lateMs} ms`);
      await world.engine.stop();
    }
  });

  it('goes down although the daemon is restarted more often than its patience lasts', async () => {
    const world = await openWorld(pushMonitor('job', 'interval_secs = 600\ngrace_secs = 600'));
    await beat(world);
    const heardAt = world.clock.now();
    for (let runs = 0; runs < 10 && confirmedAt(world) === null; runs += 1) {
      await world.clock.run(5 * minute);
      await world.engine.stop();
      world.clock.stall(2 * second);
      await world.restart();
    }
    assert.ok((confirmedAt(world) ?? Infinity) - heardAt <= 21 * minute);
    await world.engine.stop();
  });

  it('goes down although the daemon is killed more often than its patience lasts', async () => {
    const world = await openWorld(pushMonitor('job', 'interval_secs = 60\ngrace_secs = 300'));
    await beat(world);
    const heardAt = world.clock.now();
    for (let runs = 0; runs < 20 && confirmedAt(world) === null; runs += 1) {
      await world.clock.run(45 * second);
      const until = meta.get(world.store.sql, 'listening_until');
      await world.engine.stop();
      // A killed process writes nothing at its end.
      world.store.record([meta.set({ name: 'listening_until', value: until })]);
      world.clock.stall(5 * second);
      await world.restart();
    }
    const tookMs = (confirmedAt(world) ?? Infinity) - heardAt;
    assert.ok(tookMs <= 60 * second + 300 * second * 1.5, `${tookMs} ms`);
    await world.engine.stop();
  });

  it('is patient for one interval and the grace after a database of an earlier version, and no longer', async () => {
    const world = await openWorld(pushMonitor('job', 'interval_secs = 600\ngrace_secs = 300'));
    await beat(world);
    await world.engine.stop();
    for (const name of ['listening_until', 'listening_gaps'])
      world.store.record([meta.set({ name, value: null })]);
    world.clock.stall(60 * minute);
    await world.restart();
    await world.clock.run(14 * minute);
    assert.equal(confirmedAt(world), null);
    await world.clock.run(2 * minute);
    assert.notEqual(confirmedAt(world), null);
    await world.engine.stop();
  });

  it('goes down with the clock set back in its outage, and stays down', async () => {
    const world = await openWorld(pushMonitor('job', 'interval_secs = 600\ngrace_secs = 300'));
    await beat(world);
    await world.clock.run(16 * minute);
    world.store.taken.splice(0);
    world.clock.step(-4 * minute);
    await world.clock.run(30 * minute);
    assert.notEqual(confirmedAt(world), null);
    const shown = world.store.taken.flatMap(([name, , , status]) => (name === 'sample' ? [status] : []));
    assert.deepEqual(new Set(shown), new Set(['down']));
    await world.engine.stop();
  });
});

describe('random histories of stalls and restarts', () => {
  for (const kind of ['stalls', 'restarts', 'both'] as const)
    it(`dead jobs go down in time, live ones never (${kind})`, async () => {
      const seed = printedSeed();
      const random = randomOf(seed);
      const histories = casesOf(3, 8);
      for (let count = 0; count < histories; count += 1) {
        const { wrong, dead, lost } = await liveThroughHistory({ random, kind });
        assert.deepEqual(wrong, [], `seed ${seed}, history ${count}`);
        assert.ok(dead > 0 && lost > 0, 'a history without a fault shows nothing');
      }
    });
});
