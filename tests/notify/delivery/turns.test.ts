/** An alert that was muted through its turn: whose it is then, what an acknowledgement does, and what the record says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { deliverySettings } from '../../../src/notify/delivery/context.ts';
import { OpenRoutes } from '../../../src/notify/delivery/open-routes.ts';
import { OutboxCache } from '../../../src/notify/delivery/outbox-cache.ts';
import { load } from '../../support/config.ts';
import { openDisk, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const disk = await openDisk();

const channel = (name: string) =>
  `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"`;
/** The turn of `sms` ends at minute 8, that of `ops` an hour later. */
const { config } = await load(
  [
    '[alerts]\nfail_threshold = 1\ngroup_window_secs = 30\nalert_on_degraded = true',
    channel('ops'),
    channel('sms'),
    '[[rotations]]\nname = "primary"\nmembers = ["ops", "sms"]\nevery = "1h"\nfrom = "2026-01-01T00:08:00Z"',
    '[[monitors]]\nid = "mail"\ntarget = "http://127.0.0.1/"\ndegraded_over_ms = 1000\nnotify = ["primary"]',
  ].join('\n'),
);

/** `mail` fails, or is slow, from the beginning, and is muted until minute 20. */
async function muted(seen: 'down' | 'slow' = 'down'): Promise<World> {
  const world: World = new World({ disk, config, startAt: originAt, truth: () => seen });
  const untilAt = originAt + 20 * minuteMs;
  world.apply(silences.add({ monitors: ['mail'], untilAt, reason: null, createdAt: originAt }));
  await world.sample('mail', seen);
  await run(world, 10);
  if (seen === 'slow') world.reload(config);
  await run(world, 30);
  return world;
}

const run = (world: World, minutes: number) => world.runTo(originAt + minutes * minuteMs);
const linesOf = (world: World) => world.lines(originAt, minuteMs);

/** What was held back or never sent on a channel after its mute, as `verdict reason: detail`. */
const recordOf = (world: World, channel = 'sms') =>
  decisions
    .ofMonitor(world.sql, 'mail', { at: world.clock.now(), limit: 100 })
    .filter((each) => each.channel === channel && each.reason !== 'muted')
    .filter(({ verdict }) => verdict === 'held' || verdict === 'spared')
    .map(({ verdict, reason, detail }) => `${verdict} ${reason}: ${detail}`);

const uidOf = (world: World) => incidents.listOpen(world.sql)[0]?.uid ?? '';
const acknowledge = (world: World) => {
  world.apply(incidents.acknowledge({ uid: uidOf(world), at: world.clock.now(), by: null, reason: null }));
};

const offCall = 'held off_call: ops is on call now, and is notified instead of sms.';

describe('an alert that was muted until its turn was over', () => {
  it('goes to the member on call then, and to the first member when their turn comes again', async () => {
    const world = await muted();
    assert.deepEqual(linesOf(world), ['down mail 20 ops']);
    assert.deepEqual(recordOf(world), [offCall]);
    await run(world, 120);
    assert.deepEqual(linesOf(world), ['down mail 20 ops', 'down mail 68 sms']);
    await world.stop();
  });

  it('is not sent in its next turn once it is acknowledged, and is when that is taken back', async () => {
    const world = await muted();
    acknowledge(world);
    await run(world, 120);
    assert.deepEqual(linesOf(world), ['down mail 20 ops']);
    assert.match(recordOf(world)[1] ?? '', /^held acknowledged: /);
    assert.equal(recordOf(world).length, 2);
    world.apply(incidents.unacknowledge({ uid: uidOf(world) }));
    await run(world, 121);
    assert.deepEqual(linesOf(world), ['down mail 20 ops', 'down mail 120 sms']);
    await world.stop();
  });

  it('is sent at the start after a stop in which the acknowledgement was taken back', async () => {
    const world = await muted();
    acknowledge(world);
    await run(world, 70);
    await world.stop();
    world.apply(incidents.unacknowledge({ uid: uidOf(world) }));
    world.restart(minuteMs);
    await run(world, 72);
    assert.deepEqual(linesOf(world), ['down mail 20 ops', 'down mail 71 sms']);
    await world.stop();
  });

  it('is never sent, nor called up, when it is over before, and the record says why it was not', async () => {
    for (const isAcknowledged of [false, true]) {
      const world = await muted();
      if (isAcknowledged) acknowledge(world);
      await run(world, 70);
      if (isAcknowledged) await world.sample('mail', 'up');
      await run(world, 75);
      if (!isAcknowledged) await world.sample('mail', 'up');
      await run(world, 200);
      const all = linesOf(world);
      assert.deepEqual(
        all,
        isAcknowledged
          ? ['down mail 20 ops', 'recovered mail 70 ops']
          : ['down mail 20 ops', 'down mail 68 sms', ...all.slice(2)],
      );
      if (isAcknowledged) assert.match(recordOf(world).at(-1) ?? '', /^spared acknowledged: /);
      await world.stop();
    }
    const world = await muted();
    await run(world, 40);
    await world.sample('mail', 'up');
    await run(world, 200);
    assert.deepEqual(linesOf(world), ['down mail 20 ops', 'recovered mail 40 ops']);
    assert.match(recordOf(world).at(-1) ?? '', /^spared off_call: /);
    await world.stop();
  });
});

describe('a degradation that was muted until a turn was over', () => {
  it('is sent to the one whose turn it was as well, and handed over to nobody', async () => {
    const world = await muted('slow');
    assert.deepEqual(linesOf(world).toSorted(), ['degraded mail 20 ops', 'degraded mail 20 sms']);
    await world.stop();
  });
});

describe('the end of a turn', () => {
  it('is looked at also when something else was written at the same moment', async () => {
    const world = await muted();
    await run(world, 60);
    const { sql } = world;
    const settings = deliverySettings(config);
    const routes = new OpenRoutes(() => ({ sql, settings, cache: new OutboxCache(sql) }));
    const [now, endsAt] = [originAt + 60 * minuteMs, originAt + 68 * minuteMs];
    assert.equal(routes.nextAt(now), endsAt);
    const written = incidents.describe({ uid: uidOf(world), cause: 'db', impacted: [], vantage: null });
    routes.note([written]);
    assert.equal(routes.nextAt(endsAt - 1), endsAt);
    routes.note([written]);
    assert.equal(routes.nextAt(endsAt), endsAt);
    await world.stop();
  });
});
