/** A node that keeps standing still cannot check what hangs: that is reported once, and a single standstill wakes nobody. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { answerAll, downRows, minute, second, settings } from './episodes.ts';
import { failed, httpMonitors, openWorld, silent, unknown, up, type World } from './world.ts';

const ids = ['a', 'b'];
const toml = (threshold: number) => settings(threshold) + httpMonitors(ids, 'interval_secs = 10');

/** Stands still for 3.6 s of every 8 s. */
async function stumble(world: World, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 8 * second) {
    world.clock.stall(3.6 * second);
    await world.clock.run(4.4 * second);
  }
}

const rows = (world: World) => world.outbox().map((row) => row.replace(/ waiting$/, ''));
const openOf = (world: World) =>
  incidents
    .listOpen(world.store.sql)
    .map(({ monitor, ownFault }) => `${monitor} ${ownFault ?? 'down'}`)
    .sort();

for (const threshold of [1, 3])
  describe(`a node that keeps standing still, at a fail_threshold of ${threshold}`, () => {
    it('reports what hangs as not to be checked, and as down when it no longer stands still', async () => {
      const world = await openWorld(toml(threshold));
      await world.clock.run(5 * minute);
      answerAll(world, ids, () => silent(10 * second));
      await stumble(world, 3 * minute);
      assert.deepEqual(openOf(world), ['a standstill', 'b standstill']);
      assert.deepEqual(rows(world).sort(), ['a unknown', 'b unknown']);
      answerAll(world, ['b'], () => up());
      await stumble(world, minute);
      assert.deepEqual(openOf(world), ['a standstill']);
      await world.clock.run(5 * minute);
      assert.deepEqual(openOf(world), ['a down']);
      assert.deepEqual(downRows(world), ['a down waiting']);
      await world.engine.stop();
    });

    it('reports nothing while the targets answer, however slowly', async () => {
      const world = await openWorld(toml(threshold));
      await world.clock.run(5 * minute);
      answerAll(world, ids, () => ({ ...up(), tookMs: 6 * second }));
      await stumble(world, 10 * minute);
      assert.deepEqual(world.outbox(), []);
      await world.engine.stop();
    });

    it('reports a target as down that refuses at once', async () => {
      const world = await openWorld(toml(threshold));
      await world.clock.run(5 * minute);
      answerAll(world, ['a'], () => failed('connection', 'connection refused'));
      await stumble(world, 5 * minute);
      assert.deepEqual(rows(world), ['a down']);
      await world.engine.stop();
    });

    it('reports what it cannot ask because of another fault, too', async () => {
      const world = await openWorld(toml(threshold));
      await world.clock.run(5 * minute);
      const broken = () => {
        const { result } = unknown('the plugin takes its time');
        const reason = { category: 'own_fault' as const, message: 'it hangs', ownFault: 'plugin x' };
        return { result: { ...result, reason, isSilence: false }, tookMs: 9 * second };
      };
      answerAll(world, ['a'], broken);
      await stumble(world, 3 * minute);
      assert.deepEqual(rows(world), ['a unknown']);
      await world.engine.stop();
    });

    for (const [what, ms] of [
      ['one standstill', 20 * second],
      ['a lid that was closed for a night', 9 * 60 * minute],
    ] as const)
      it(`wakes nobody after ${what}, whatever hung then`, async () => {
        const world = await openWorld(toml(threshold));
        await world.clock.run(5 * minute);
        for (let nights = 0; nights < 3; nights += 1) {
          answerAll(world, ids, () => silent(10 * second));
          const asked = world.checks.length;
          while (new Set(world.checks.slice(asked).map(({ id }) => id)).size < 2)
            await world.clock.run(second);
          world.clock.stall(ms);
          answerAll(world, ids, () => up());
          await world.clock.run(5 * minute);
        }
        assert.deepEqual(world.outbox(), []);
        assert.deepEqual(openOf(world), []);
        await world.engine.stop();
      });
  });
