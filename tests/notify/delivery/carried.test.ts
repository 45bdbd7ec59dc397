/** Acknowledgements that outlast a short recovery: who is told of the next outage, and who is left alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockRecord } from '../../../src/db/tables/clock.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import { load } from '../../support/config.ts';
import { openDisk, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const disk = await openDisk();

/** `ops` is reminded every ten minutes; after five minutes without an acknowledgement `boss` is notified. */
async function configOf({
  ids = ['api'],
  channels = ['ops', 'boss'],
  notify = ['ops'],
} = {}): Promise<Config> {
  const lines = [
    '[alerts]\nfail_threshold = 1\ngroup_window_secs = 30',
    ...channels.map(
      (name) =>
        `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"\nrepeat_every_secs = 600`,
    ),
    '[[escalations]]\nname = "late"\nsteps = [{ after_secs = 300, notify = ["boss"] }]',
    ...ids.map(
      (id) =>
        `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"\nescalation = "late"\nnotify = ${JSON.stringify(notify)}`,
    ),
  ];
  return (await load(lines.join('\n'))).config;
}

async function begun(config?: Config): Promise<World> {
  return new World({ disk, config: config ?? (await configOf()), startAt: originAt, truth: () => 'down' });
}

const run = (world: World, minutes: number) => world.runTo(originAt + minutes * minuteMs);

const openOf = (world: World, monitor = 'api') =>
  incidents.listOpen(world.sql).find((each) => each.monitor === monitor);

function acknowledge(world: World): void {
  const uid = openOf(world)?.uid ?? '';
  world.apply(incidents.acknowledge({ uid, at: world.clock.now(), by: 'ann', reason: 'new disk' }));
}

const lines = (world: World) => world.lines(originAt, minuteMs);

/** Down from 0 to 2, acknowledged after 1; up until `againAt`, then down. */
async function downAgain(world: World, againAt: number): Promise<void> {
  await world.sample('api', 'down');
  await run(world, 1);
  acknowledge(world);
  await run(world, 2);
  await world.sample('api', 'up');
  await run(world, againAt);
  await world.sample('api', 'down');
}

const first = ['down api 0.5 ops', 'recovered api 2 ops'];

describe('an acknowledgement', () => {
  it('holds for an outage that begins within ten minutes: one message to who knew, no reminder, no step', async () => {
    const world = await begun();
    await downAgain(world, 11);
    await run(world, 60);
    assert.deepEqual(lines(world), [...first, 'down api 11.5 ops']);
    const open = openOf(world);
    const { by, reason } = open?.acknowledged ?? {};
    assert.deepEqual([by, reason], ['ann', 'new disk']);
    assert.notEqual(open?.carriedFrom ?? null, null);
    const said = decisions
      .ofIncident(world.sql, open?.uid ?? '')
      .filter((each) => each.reason === 'ack_carried');
    assert.deepEqual(
      said.map(({ channel, detail }) => [channel, detail]),
      [
        [
          null,
          'Incident 1 was acknowledged (ann) and ended less than 10 minutes before, so the acknowledgement holds: only ops is notified, as of that one, once.',
        ],
      ],
    );
    const [, , again] = world.notified;
    assert.deepEqual(again?.message.event === 'down' && again.message.carried?.by, 'ann');
    await world.stop();
  });

  it('is forgotten when the monitor was up for ten minutes', async () => {
    const world = await begun();
    await downAgain(world, 12);
    await run(world, 18);
    assert.deepEqual(lines(world), [...first, 'down api 12.5 ops', 'down api 17.5 boss']);
    assert.equal(openOf(world)?.acknowledged, null);
    await world.stop();
  });

  it('holds on over one short recovery after the other, and is one message for each', async () => {
    const world = await begun();
    await downAgain(world, 11);
    await run(world, 12);
    await world.sample('api', 'up');
    await run(world, 21);
    await world.sample('api', 'down');
    await run(world, 60);
    const second = ['down api 11.5 ops', 'recovered api 12 ops'];
    assert.deepEqual(lines(world), [...first, ...second, 'down api 21.5 ops']);
    await world.stop();
  });

  it('holds over an outage that was too short to be told, whose channels are those of the one before', async () => {
    const world = await begun();
    await downAgain(world, 4);
    await run(world, 4.2);
    await world.sample('api', 'up');
    await run(world, 6);
    await world.sample('api', 'down');
    await run(world, 60);
    assert.deepEqual(lines(world), [...first, 'down api 6.5 ops']);
    await world.stop();
  });

  it('lets an outage through to its route where nobody was told of the one before', async () => {
    const world = await begun();
    await world.sample('api', 'down');
    acknowledge(world);
    await run(world, 0.2);
    await world.sample('api', 'up');
    await run(world, 2);
    await world.sample('api', 'down');
    await run(world, 60);
    assert.deepEqual(lines(world), ['down api 2.5 ops']);
    await world.stop();
  });

  it('is withdrawn as any other: reminders and steps follow, and who was left out is notified', async () => {
    const world = await begun(await configOf({ channels: ['ops', 'boss', 'sms'] }));
    await downAgain(world, 3);
    await run(world, 4);
    world.reload(await configOf({ channels: ['ops', 'boss', 'sms'], notify: ['ops', 'sms'] }));
    await run(world, 5);
    assert.deepEqual(lines(world), [...first, 'down api 3.5 ops']);
    world.apply(incidents.unacknowledge({ uid: openOf(world)?.uid ?? '' }));
    await run(world, 14);
    assert.deepEqual(lines(world), [
      ...first,
      'down api 3.5 ops',
      'down api 5 sms',
      'down api 8.5 boss',
      'reminder api 13.5 ops',
    ]);
    await run(world, 15);
    await world.sample('api', 'up');
    await run(world, 16);
    await world.sample('api', 'down');
    await run(world, 17);
    assert.equal(openOf(world)?.acknowledged, null);
    await world.stop();
  });

  it('holds over a restart, a rename, and a removal that was taken back', async () => {
    const restarted = await begun();
    await downAgain(restarted, 3);
    restarted.restart(60_000);
    await run(restarted, 60);
    assert.deepEqual(lines(restarted), [...first, 'down api 4 ops']);
    await restarted.stop();

    const renamed = await begun();
    await renamed.sample('api', 'down');
    await run(renamed, 1);
    acknowledge(renamed);
    await run(renamed, 2);
    await renamed.sample('api', 'up');
    await run(renamed, 3);
    renamed.reload(await configOf({ ids: ['shop'] }));
    await run(renamed, 4);
    await renamed.sample('shop', 'down');
    await run(renamed, 60);
    assert.deepEqual(lines(renamed), [...first, 'down shop 4.5 ops']);
    await renamed.stop();

    const removed = await begun();
    await removed.sample('api', 'down');
    await run(removed, 1);
    acknowledge(removed);
    await run(removed, 2);
    removed.reload(await configOf({ ids: [] }));
    await run(removed, 3);
    removed.reload(await configOf());
    await run(removed, 4);
    await removed.sample('api', 'down');
    await run(removed, 60);
    assert.deepEqual(lines(removed), [...first, 'down api 4.5 ops']);
    await removed.stop();
  });

  it('counts its ten minutes on a clock that is set', async () => {
    for (const byMs of [3_600_000, -3_600_000]) {
      const world = await begun();
      await world.sample('api', 'down');
      await run(world, 1);
      acknowledge(world);
      await run(world, 2);
      await world.sample('api', 'up');
      await run(world, 3);
      world.clock.step(byMs);
      world.apply(clockRecord.shift({ byMs, sinceAt: 0, at: world.clock.now() }));
      await world.sample('api', 'down');
      assert.equal(openOf(world)?.acknowledged?.by, 'ann', String(byMs));
      await world.stop();
    }
  });

  it('of a monitor that is down says nothing of one that cannot be checked, and the other way round', async () => {
    const world = await begun();
    await world.sample('api', 'down');
    await run(world, 1);
    acknowledge(world);
    await run(world, 2);
    await world.sample('api', 'up');
    await run(world, 3);
    for (const at of [3, 3.1, 3.2]) {
      await run(world, at);
      await world.sample('api', 'plugin');
    }
    assert.equal(openOf(world)?.acknowledged, null);
    assert.equal(openOf(world)?.ownFault, 'plugin');
    await run(world, 4);
    // The time without checks ends here, and the outage goes on from the first one.
    await world.sample('api', 'down');
    assert.deepEqual([openOf(world)?.ownFault, openOf(world)?.acknowledged?.by], [null, 'ann']);
    await world.stop();
  });
});
