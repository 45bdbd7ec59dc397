/** What a push monitor has to send counts from when its settings said so; what it owed before still counts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { failed, openWorld, type World } from './world.ts';

const second = 1000;
const minute = 60_000;

const beat = (world: World) =>
  world.clock.until(world.engine.heartbeat({ monitor: 'job', status: 'up', message: null, pingMs: null }));
const push = (more: string) => `[[monitors]]\nid = "job"\nkind = "push"\n${more}\n`;
const http = '[[monitors]]\nid = "job"\ntarget = "https://job.example/"\n';
const openOf = (world: World) => incidents.listOpen(world.store.sql)[0] ?? null;

const changes = {
  'a reload': (world: World, toml: string): Promise<unknown> => world.reload(toml),
  'a restart': (world: World, toml: string): Promise<unknown> => world.restart(toml),
};

/** The settings before and after, and within how many seconds from the load a silent job is down then. */
const shorter: readonly (readonly [what: string, before: string, after: string, downAfterSecs: number])[] = [
  [
    'its interval is shorter',
    'interval_secs = 3600\ngrace_secs = 60',
    'interval_secs = 60\ngrace_secs = 60',
    120,
  ],
  [
    'its grace is shorter',
    'interval_secs = 60\ngrace_secs = 3600',
    'interval_secs = 60\ngrace_secs = 30',
    90,
  ],
  [
    'its interval becomes a schedule',
    'interval_secs = 3600\ngrace_secs = 60',
    'schedule = "* * * * *"\ngrace_secs = 60',
    120,
  ],
  [
    'its schedule is of more instants',
    'schedule = "0 3 * * *"\ngrace_secs = 60',
    'schedule = "*/5 * * * *"\ngrace_secs = 60',
    360,
  ],
];

for (const [how, change] of Object.entries(changes)) {
  describe(`${how} after which heartbeats are expected otherwise`, () => {
    for (const [what, before, after, downAfterSecs] of shorter) {
      it(`opens nothing for what was not owed: ${what}`, async () => {
        const world = await openWorld(push(before));
        await beat(world);
        await world.clock.run(20 * minute);
        await change(world, push(after));
        await world.clock.run(20 * second);
        assert.equal(openOf(world), null);
        await beat(world);
        await world.clock.run(20 * second);
        assert.equal(openOf(world), null, 'it sends as it should');
        await world.engine.stop();
      });

      it(`and finds a job that stays silent: ${what}`, async () => {
        const world = await openWorld(push(before));
        await beat(world);
        await world.clock.run(20 * minute);
        await change(world, push(after));
        const loadedAt = world.clock.now();
        // Another start in between, with the same settings, begins nothing anew.
        await world.clock.run(10 * second);
        await world.restart();
        await world.clock.run((downAfterSecs - 10) * second + 2 * second);
        const open = openOf(world);
        assert.ok(open !== null);
        assert.ok(open.startedAt >= loadedAt, 'it begins after the load');
        await world.engine.stop();
      });
    }

    it('gives a monitor that becomes a push monitor its interval and its grace from then on', async () => {
      const world = await openWorld(http);
      await world.clock.run(20 * minute);
      await change(world, push('interval_secs = 60\ngrace_secs = 60'));
      const loadedAt = world.clock.now();
      await world.clock.run(110 * second);
      assert.equal(openOf(world), null);
      await world.clock.run(15 * second);
      assert.ok((openOf(world)?.startedAt ?? 0) >= loadedAt);
      await world.engine.stop();
    });

    it('also one that was a push monitor long ago', async () => {
      const world = await openWorld(push('interval_secs = 60\ngrace_secs = 60'));
      await beat(world);
      await change(world, http);
      await world.clock.run(20 * minute);
      await change(world, push('interval_secs = 60\ngrace_secs = 60'));
      await world.clock.run(110 * second);
      assert.equal(openOf(world), null);
      await world.clock.run(15 * second);
      assert.notEqual(openOf(world), null);
      await world.engine.stop();
    });

    it('leaves an outage open', async () => {
      const world = await openWorld(push('interval_secs = 60\ngrace_secs = 60'));
      await beat(world);
      await world.clock.run(5 * minute);
      const { uid } = openOf(world) ?? assert.fail();
      await change(world, push('interval_secs = 3600\ngrace_secs = 60'));
      await world.clock.run(5 * minute);
      assert.equal(openOf(world)?.uid, uid);
      await beat(world);
      await world.clock.run(minute);
      assert.equal(openOf(world), null);
      await world.engine.stop();
    });

    it('leaves the outage of a target open that becomes a push monitor', async () => {
      const world = await openWorld(http);
      world.targets.set('job', () => failed());
      await world.clock.run(20 * minute);
      const { uid } = openOf(world) ?? assert.fail();
      await change(world, push('interval_secs = 60\ngrace_secs = 60'));
      await world.clock.run(5 * minute);
      assert.equal(openOf(world)?.uid, uid);
      await world.engine.stop();
    });

    it('judges by the old deadline what did not change, whatever else did', async () => {
      const world = await openWorld(push('interval_secs = 600\ngrace_secs = 60'));
      await beat(world);
      const heardAt = world.clock.now();
      await world.clock.run(9 * minute);
      await change(
        world,
        push('interval_secs = 600\ngrace_secs = 60\nname = "Backup"\nrecover_threshold = 2'),
      );
      await world.clock.run(125 * second);
      assert.ok((openOf(world)?.confirmedAt ?? Infinity) - heardAt <= 662 * second);
      await world.engine.stop();
    });

    it('judges so after a database of an earlier version', async () => {
      const world = await openWorld(push('interval_secs = 600\ngrace_secs = 60'));
      await beat(world);
      await world.clock.run(9 * minute);
      const names = world.store.sql.all("SELECT name FROM meta WHERE name LIKE 'heartbeat%'", [], (row) =>
        row.text('name'),
      );
      world.store.record(names.map((name) => meta.set({ name, value: null })));
      await change(world, push('interval_secs = 600\ngrace_secs = 60'));
      await world.clock.run(125 * second);
      assert.notEqual(openOf(world), null);
      await world.engine.stop();
    });
  });
}
