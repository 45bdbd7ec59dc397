/** Rules 3 and 4: a cascade is one message per root and channel, and nobody routed is left out (A4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { openDisk, sketch, World, type Disk, type MonitorSketch } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const channels = ['ops', 'sms', 'web'];
const windowSecs = 30;
const graphs = casesOf(100, 500);

interface Node extends MonitorSketch {
  readonly dependsOn: readonly string[];
  readonly notify: readonly string[];
  readonly failThreshold: number;
  /** When it fails, in seconds; null: it stays up. */
  readonly failsAt: number | null;
}

interface Cascade {
  readonly nodes: readonly Node[];
}

/** Upstreams come before their dependents. Whatever has a failing upstream fails too, or does not. */
function randomCascade(random: Random): Cascade {
  const nodes: Node[] = [];
  const count = 3 + random.below(9);
  for (let index = 0; index < count; index += 1) {
    const dependsOn = nodes.filter(() => random.below(4) === 0).map(({ id }) => id);
    const isBelow = dependsOn.some((id) => nodes.find((node) => node.id === id)?.failsAt !== null);
    const fails = random.below(isBelow ? 5 : 3) > (isBelow ? 0 : 1);
    nodes.push({
      id: `m${index}`,
      dependsOn,
      notify: channels.filter(() => random.below(3) > 0),
      failThreshold: 1 + random.below(3),
      failsAt: fails ? 60 + random.below(12) : null,
    });
  }
  return { nodes };
}

/** What failed above a monitor, with nothing healthy in between: that parts a failure from one further up. */
function above({ nodes }: Cascade, id: string): Set<string> {
  const direct = nodes.find((node) => node.id === id)?.dependsOn ?? [];
  const failing = direct.filter((upstream) => nodes.find((node) => node.id === upstream)?.failsAt !== null);
  return new Set(failing.flatMap((upstream) => [upstream, ...above({ nodes }, upstream)]));
}

interface Expected {
  /** `channel root [impacted]`, in order. */
  readonly lines: readonly string[];
  readonly failed: ReadonlySet<string>;
}

/** From the definition, with nothing in common with the code under test. */
function expectedOf(cascade: Cascade): Expected {
  const failing = cascade.nodes.filter(({ failsAt }) => failsAt !== null);
  const seen = new Set(failing.map(({ id }) => id));
  const lines = channels.flatMap((channel) => {
    const heard = failing
      .filter(({ id, notify }) => seen.has(id) && notify.includes(channel))
      .map(({ id }) => id);
    return heard
      .filter((id) => !heard.some((other) => above(cascade, id).has(other)))
      .map((root) => {
        const impacted = [...seen].filter((id) => above(cascade, id).has(root));
        return `${channel} ${root} [${impacted.sort().join(' ')}]`;
      });
  });
  return { lines: lines.sort(), failed: seen };
}

async function play(cascade: Cascade, config: Config, disk: Disk): Promise<World> {
  const isDown = (id: string, at: number): boolean => {
    const { failsAt = null } = cascade.nodes.find((node) => node.id === id) ?? {};
    return failsAt !== null && at >= originAt + failsAt * 1000 && at < originAt + 900_000;
  };
  const world = new World({
    disk,
    config,
    startAt: originAt,
    truth: (id, at) => (isDown(id, at) ? 'down' : 'up'),
  });
  for (let secs = 0; secs < 960; secs += 5) {
    for (const [index, { id }] of cascade.nodes.entries()) {
      const at = originAt + secs * 1000 + index * 10;
      // Nothing new happens in the middle: the checks there would only repeat themselves.
      if (secs > 300 && secs < 900) continue;
      await world.runTo(at);
      await world.sample(id, isDown(id, at) ? 'down' : 'up');
    }
  }
  await world.runTo(originAt + 1_000_000);
  await world.stop();
  return world;
}

function downsOf(world: World): string[] {
  return world.notified
    .flatMap(({ channel, message }) =>
      message.event === 'down'
        ? [
            `${channel} ${message.monitor.id} [${message.impacted
              .map(({ id }) => id)
              .sort()
              .join(' ')}]`,
          ]
        : [],
    )
    .sort();
}

function sketchOf({ nodes }: Cascade, seconds = windowSecs): Promise<Config> {
  return sketch({ monitors: nodes, channels, windowSecs: seconds });
}

describe('a cascade', () => {
  it('is one message per root and channel, names exactly what failed, and leaves no channel out', async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    const counts = { graphs: 0, failed: 0, messages: 0, folded: 0 };
    while (counts.graphs < graphs) {
      const cascade = randomCascade(random);
      const expected = expectedOf(cascade);
      const perChannel = channels.map(
        (channel) => expected.lines.filter((line) => line.startsWith(channel)).length,
      );
      // Beyond that a storm makes one message of several roots.
      if (expected.lines.length === 0 || Math.max(...perChannel) > 5) continue;
      const world = await play(cascade, await sketchOf(cascade), disk);
      const context = JSON.stringify(cascade);
      assert.deepEqual(downsOf(world), expected.lines, context);
      assertRecovered(world, context);
      assertCauses(world, cascade, context);
      counts.graphs += 1;
      counts.failed += expected.failed.size;
      counts.messages += expected.lines.length;
      counts.folded += cascade.nodes
        .filter(({ id }) => expected.failed.has(id))
        .reduce((sum, { notify }) => sum + notify.length, -expected.lines.length);
    }
    console.log(`  ${JSON.stringify(counts)}`);
    assert.ok(counts.folded > graphs);
  });

  it('is seen through a parent that is checked once an hour, because its dependent asks', async () => {
    const disk = await openDisk();
    const monitors = [
      { id: 'db', failThreshold: 2 },
      { id: 'api', dependsOn: ['db'] },
    ];
    const config = await sketch({ monitors, channels: ['ops'], windowSecs });
    const world = new World({ disk, config, startAt: originAt, truth: () => 'down' });
    for (const secs of [1, 2, 3]) {
      await world.runTo(originAt + secs * 1000);
      await world.sample('api', 'down');
    }
    await world.runTo(originAt + 600_000);
    assert.deepEqual(downsOf(world), ['ops db [api]']);
    assert.deepEqual(world.asked, ['db', 'db']);
    await world.stop();
  });

  it('is released when the upstream is back and the dependent is not: a new window, then a message of its own', async () => {
    const disk = await openDisk();
    const monitors = [
      { id: 'db', failThreshold: 1 },
      { id: 'api', dependsOn: ['db'], failThreshold: 1 },
    ];
    const config = await sketch({ monitors, channels: ['ops'], windowSecs });
    const world = new World({
      disk,
      config,
      startAt: originAt,
      truth: (id, at) => (id === 'api' && at < originAt + 200_000 ? 'down' : 'up'),
    });
    const steps: readonly (readonly [number, string, 'up' | 'down'])[] = [
      [10, 'db', 'down'],
      [12, 'api', 'down'],
      [100, 'db', 'up'],
      [200, 'api', 'up'],
    ];
    for (const [secs, id, seen] of steps) {
      await world.runTo(originAt + secs * 1000);
      await world.sample(id, seen);
    }
    await world.runTo(originAt + 600_000);
    assert.deepEqual(world.lines(originAt), [
      'down db 40 ops',
      'recovered db 100 ops',
      'down api 130 ops',
      'recovered api 200 ops',
    ]);
    await world.stop();
  });

  it('would be many messages without folding', async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    let more = 0;
    for (let run = 0; run < 30; run += 1) {
      const cascade = randomCascade(random);
      const world = await play(cascade, await sketchOf(cascade, 0), disk);
      if (downsOf(world).length > expectedOf(cascade).lines.length) more += 1;
    }
    assert.ok(more > 5);
  });
});

/** Exactly the channels that got the down get the recovery: each monitor that was named there, once. */
function assertRecovered(world: World, context: string): void {
  const of = (event: 'down' | 'recovered') =>
    world.notified.flatMap(({ channel, message }) =>
      message.event === event && 'impacted' in message
        ? [message.monitor, ...message.impacted].map(({ id }) => `${channel} ${id}`)
        : [],
    );
  assert.deepEqual(of('recovered').sort(), [...new Set(of('down'))].sort(), context);
}

/** Who hears of a dependent alone hears what caused it; the record says it too. */
function assertCauses(world: World, cascade: Cascade, context: string): void {
  const { failed } = expectedOf(cascade);
  const rootsOf = (id: string) =>
    [...above(cascade, id)].filter(
      (up) => failed.has(up) && ![...above(cascade, up)].some((top) => failed.has(top)),
    );
  for (const { message } of world.notified) {
    if (message.event !== 'down') continue;
    const roots = rootsOf(message.monitor.id);
    assert.equal(message.cause === null, roots.length === 0, context);
    assert.ok(message.cause === null || roots.includes(message.cause.id), context);
  }
  for (const { monitor, cause } of incidents.list(world.sql, { limit: 100 }).incidents) {
    const roots = rootsOf(monitor);
    assert.ok(cause === null || roots.includes(cause), `${monitor} blames ${cause}: ${context}`);
    if (roots.length > 0) assert.notEqual(cause, null, `${monitor}: ${context}`);
  }
}
