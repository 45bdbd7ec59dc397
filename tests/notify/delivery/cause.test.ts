/** The cause of an outage belongs to its incident, whatever alerting does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import { openDisk, sketch, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const secs = 1000;
const windowSecs = 30;

const chain = (notify?: readonly string[]) =>
  [
    { id: 'db', failThreshold: 1 },
    { id: 'api', failThreshold: 1, dependsOn: ['db'] },
    { id: 'web', failThreshold: 1, dependsOn: ['api'] },
  ].map((monitor) => ({ ...monitor, ...(notify !== undefined && { notify }) }));

/** When each is seen to fail, in seconds, and since when it does, where that is long before. */
type Fall = readonly (readonly [id: string, seenSecs: number, failsSecs?: number])[];

async function play(config: Config, fall: Fall): Promise<World> {
  const failsAt = new Map(fall.map(([id, seen, fails = seen]) => [id, originAt + fails * secs]));
  const world = new World({
    disk: await openDisk(),
    config,
    startAt: originAt,
    truth: (id, at) => (at >= (failsAt.get(id) ?? Infinity) ? 'down' : 'up'),
  });
  for (const [id, at] of fall) {
    await world.runTo(originAt + at * secs);
    await world.sample(id, 'down');
  }
  await world.runTo(originAt + 900 * secs);
  return world;
}

function causesIn(world: World) {
  const rows = incidents.list(world.sql, { limit: 10 }).incidents;
  const root = rows.find(({ monitor }) => monitor === 'db');
  return {
    causes: Object.fromEntries(rows.map(({ monitor, cause }) => [monitor, cause])),
    impacted: root?.impacted.toSorted(),
  };
}

/** The messages about outages, as the monitor and what they name beside it. */
function downsOf(world: World) {
  return world.notified.map(({ message }) =>
    message.event === 'down' ? [message.monitor.id, message.impacted.map(({ id }) => id).sort()] : [],
  );
}

const whole = { causes: { db: null, api: 'db', web: 'db' }, impacted: ['api', 'web'] };

const falls: readonly Fall[] = [
  [
    ['db', 10],
    ['api', 15],
    ['web', 20],
  ],
  [
    ['web', 10],
    ['api', 15],
    ['db', 20],
  ],
  // The upstream is checked seldom: its first failure comes after the windows of its dependents.
  [
    ['web', 10],
    ['api', 15],
    ['db', 75, 5],
  ],
];

describe('the cause of an outage', () => {
  it('is in the record without any channel, as with one', async () => {
    for (const fall of falls) {
      for (const [name, config] of [
        ['no channels', await sketch({ monitors: chain(), channels: [], windowSecs })],
        ['notify = []', await sketch({ monitors: chain([]), channels: ['ops'], windowSecs })],
        ['a window of 0, no channels', await sketch({ monitors: chain(), channels: [], windowSecs: 0 })],
      ] as const) {
        const world = await play(config, fall);
        assert.deepEqual(causesIn(world), whole, `${name}: ${fall.join(' ')}`);
        assert.deepEqual(world.notified, []);
        await world.stop();
      }
    }
  });

  it('is in the record while all of it is muted', async () => {
    const extra = `
[[maintenance]]
title = "Works"
start = "2026-01-01T00:00:00Z"
end = "2026-01-01T02:00:00Z"`;
    for (const fall of falls) {
      const config = await sketch({ monitors: chain(), channels: ['ops'], windowSecs, extra });
      const world = await play(config, fall);
      assert.deepEqual(causesIn(world), whole, fall.join(' '));
      assert.deepEqual(world.notified, []);
      await world.stop();
    }
  });

  it('changes no alert: with a channel it is one message about the root', async () => {
    for (const fall of falls.slice(0, 2)) {
      const config = await sketch({ monitors: chain(), channels: ['ops'], windowSecs });
      const world = await play(config, fall);
      assert.deepEqual(causesIn(world), whole, fall.join(' '));
      assert.deepEqual(downsOf(world), [['db', ['api', 'web']]], fall.join(' '));
      await world.stop();
    }
  });

  it('is a message that also names the dependents that are routed to nobody', async () => {
    const [db, ...others] = chain();
    assert.ok(db !== undefined);
    for (const fall of falls.slice(0, 2)) {
      const monitors = [db, ...others.map((other) => ({ ...other, notify: [] }))];
      const world = await play(await sketch({ monitors, channels: ['ops'], windowSecs }), fall);
      assert.deepEqual(downsOf(world), [['db', ['api', 'web']]], fall.join(' '));
      await world.stop();
    }
  });

  it('is none where the upstream began to fail long after', async () => {
    for (const channels of [[], ['ops']]) {
      const config = await sketch({ monitors: chain(), channels, windowSecs });
      const world = await play(config, [
        ['api', 10],
        ['db', 400],
      ]);
      assert.deepEqual(causesIn(world), { causes: { api: null, db: null }, impacted: [] });
      await world.stop();
    }
  });
});
