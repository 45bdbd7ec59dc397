/** What the record says of an alert that waits: for what, in words, once each; and that a mute gives its window back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { load } from '../../support/config.ts';
import { openDisk, World, type Seen } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const disk = await openDisk();

/** `api` depends on `db`, which is down once three checks have failed. */
async function worldOf(truth: (id: string) => Seen = () => 'down'): Promise<World> {
  const monitor = (id: string, more: string) =>
    `[[monitors]]\nid = "${id}"\nname = "The ${id}"\ntarget = "http://127.0.0.1/"\n${more}`;
  const { config } = await load(
    [
      '[alerts]\nfail_threshold = 1\ngroup_window_secs = 30',
      '[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"',
      monitor('db', 'fail_threshold = 3'),
      monitor('api', 'depends_on = ["db"]'),
    ].join('\n'),
  );
  return new World({ disk, config, startAt: originAt, truth });
}

/** Every decision about a monitor, as `verdict reason: detail`. */
const recordOf = (world: World, monitor = 'api') =>
  decisions
    .ofMonitor(world.sql, monitor, { at: world.clock.now(), limit: 100 })
    .map(({ verdict, reason, detail }) => `${verdict} ${reason}: ${detail}`);

async function samples(world: World, steps: readonly (readonly [number, string, Seen])[]): Promise<void> {
  for (const [secs, id, seen] of steps) {
    await world.runTo(at(secs));
    await world.sample(id, seen);
  }
}

describe('the record of a dependent', () => {
  it('says what it waits for, from the first failure of its upstream until it is sent itself', async () => {
    const world = await worldOf();
    await samples(world, [
      [0, 'api', 'down'],
      [25, 'db', 'down'],
      [35, 'db', 'down'],
      [45, 'db', 'down'],
      [200, 'db', 'up'],
    ]);
    await world.runTo(at(300));
    assert.deepEqual(world.lines(originAt), ['down db 75 ops', 'recovered db 200 ops', 'down api 230 ops']);
    assert.deepEqual(recordOf(world).slice(1, 5), [
      'held upstream_failing: The db, which it depends on, is failing too: it waits to see whether that is the cause.',
      'held upstream_due: The db, which it depends on, is down too: it waits for the message about that.',
      'held folded: The message about The db, which it depends on, names it.',
      'held window: The db recovered; it is still down, and is sent after a window of its own, 30s.',
    ]);
    assert.equal(recordOf(world).length, 6);
    const [api] = incidents.list(world.sql, { limit: 1, monitors: ['api'] }).incidents;
    assert.equal(api?.cause, 'db');
    await world.stop();
  });

  it('names a monitor that waits for a failing upstream as sent when that answers again', async () => {
    const world = await worldOf((id) => (id === 'db' ? 'up' : 'down'));
    await samples(world, [
      [0, 'api', 'down'],
      [25, 'db', 'down'],
    ]);
    await world.runTo(at(100));
    assert.deepEqual(world.lines(originAt), ['down api 45 ops']);
    assert.deepEqual(world.asked, ['db']);
    await world.stop();
  });
});

describe('an alert under a silence that is lifted before its window is over', () => {
  it('is sent at the end of that window', async () => {
    const world = await worldOf((id) => (id === 'db' ? 'up' : 'down'));
    const silence = async (isOn: boolean) => {
      const [known] = silences.active(world.sql, world.clock.now());
      const added = silences.add({
        monitors: ['api'],
        untilAt: at(900),
        reason: null,
        createdAt: world.clock.now(),
      });
      world.apply(isOn ? added : silences.clear({ id: known?.id ?? 0 }));
      await world.settle();
    };
    await samples(world, [
      [0, 'api', 'down'],
      // From here on it waits for db, which fails: until 60.
      [25, 'db', 'down'],
      [35, 'db', 'down'],
    ]);
    await world.runTo(at(40));
    await silence(true);
    await samples(world, [
      [45, 'db', 'down'],
      [48, 'db', 'up'],
    ]);
    await world.runTo(at(50));
    assert.match(recordOf(world).at(-1) ?? '', /^held muted: /);
    await silence(false);
    await world.runTo(at(100));
    assert.deepEqual(world.lines(originAt), ['down api 50 ops']);
    await world.stop();
  });
});

describe('the record of a late message', () => {
  it('says how long it was down, or could not be checked', async () => {
    for (const [seen, said] of [
      ['down', 'queued late: It was down 5m and could not be sent while it lasted.'],
      ['resolver', 'queued late: It could not be checked for 5m and could not be sent while it lasted.'],
    ] as const) {
      const world = await worldOf(() => 'up');
      if (seen === 'resolver') {
        await world.sample('api', 'up');
        await samples(world, [
          [0, 'api', seen],
          [10, 'api', seen],
        ]);
      }
      await world.sample('api', seen);
      await world.runTo(at(20));
      world.restart(280_000);
      await world.settle();
      await world.runTo(at(400));
      assert.equal(
        recordOf(world).find((line) => line.startsWith('queued late')),
        said,
      );
      assert.equal(world.notified.length, 1);
      await world.stop();
    }
  });
});
