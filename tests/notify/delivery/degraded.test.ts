/** Degradations beside outages: folded into what is down, not held for what merely fails, never asked about. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { openDisk, refused, sketch, taken, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const disk = await openDisk();

async function worldOf(how: Partial<WorldOptions> = {}): Promise<World> {
  const config = await sketch({
    monitors: [
      { id: 'db', failThreshold: 1 },
      { id: 'api', dependsOn: ['db'], failThreshold: 1 },
    ],
    channels: ['ops'],
    extra: '[alerts]\nalert_on_degraded = true',
  });
  return new World({ disk, config, startAt: originAt, truth: () => 'up', ...how });
}

function heldOf(world: World): string[] {
  return decisions
    .ofMonitor(world.sql, 'api', { at: world.clock.now(), limit: 100 })
    .flatMap(({ verdict, reason }) => (verdict === 'held' ? reason : []));
}

describe('a degraded dependent', () => {
  it('is folded into the message about its upstream that is down, and sent when that is back and it is still slow', async () => {
    const world = await worldOf({ truth: () => 'slow' });
    await world.sample('db', 'down');
    await world.runTo(at(5));
    await world.sample('api', 'slow');
    await world.runTo(at(100));
    assert.deepEqual(world.lines(originAt), ['down db 30 ops']);
    assert.deepEqual(heldOf(world), ['upstream_due', 'folded']);
    await world.sample('db', 'up');
    await world.runTo(at(200));
    assert.deepEqual(world.lines(originAt).slice(1), ['recovered db 100 ops', 'degraded api 130 ops']);
    await world.stop();
  });

  it('is not sent when it is healthy again with its upstream', async () => {
    const world = await worldOf();
    await world.sample('db', 'down');
    await world.runTo(at(5));
    await world.sample('api', 'slow');
    await world.runTo(at(100));
    await world.sample('db', 'up');
    await world.runTo(at(200));
    assert.deepEqual(world.lines(originAt).slice(1), ['recovered db 100 ops']);
    await world.stop();
  });

  it('is sent where its upstream began to fail long after', async () => {
    const world = await worldOf({
      truth: () => 'slow',
      answer: () => (world.clock.now() < at(50) ? refused() : taken),
    });
    await world.sample('api', 'slow');
    await world.runTo(at(35));
    await world.sample('db', 'down');
    await world.runTo(at(200));
    assert.deepEqual(world.lines(originAt).toSorted(), ['degraded api 60 ops', 'down db 65 ops']);
    await world.stop();
  });

  it('waits for no upstream that fails and is not confirmed down, nor has it checked', async () => {
    const config = await sketch({
      monitors: [
        { id: 'db', failThreshold: 3 },
        { id: 'api', dependsOn: ['db'], failThreshold: 1 },
      ],
      channels: ['ops'],
      extra: '[alerts]\nalert_on_degraded = true',
    });
    const world = await worldOf({ config });
    await world.sample('api', 'slow');
    await world.runTo(at(20));
    await world.sample('db', 'down');
    await world.runTo(at(60));
    assert.deepEqual(world.lines(originAt), ['degraded api 30 ops']);
    assert.deepEqual(world.asked, []);
    await world.stop();
  });
});

describe('a degradation', () => {
  it('whose message waited while nothing ran is sent without a look at its monitor', async () => {
    const world = await worldOf({ truth: () => 'slow' });
    await world.sample('api', 'slow');
    await world.runTo(at(10));
    world.restart(3_600_000);
    await world.runTo(at(3700));
    assert.deepEqual(world.lines(originAt), ['degraded api 3610 ops']);
    assert.deepEqual(world.asked, []);
    await world.stop();
  });
});
