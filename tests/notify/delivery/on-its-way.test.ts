/** While a message is on its way: what ends meanwhile is not forgotten, and what waits keeps its order. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { type Disk, openDisk, sketch, taken, World, type ConfigSketch, type Seen } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);

interface Story extends ConfigSketch {
  /** From when until when a message takes 60 s to be sent. */
  readonly slow: readonly [fromSecs: number, toSecs: number];
  readonly steps: readonly (readonly [secs: number, monitor: string, seen: Seen])[];
  /** Made when it is left out. */
  readonly disk?: Disk;
}

async function play({ slow: [fromSecs, toSecs], steps, disk, ...sketched }: Story): Promise<World> {
  const world: World = new World({
    disk: disk ?? (await openDisk()),
    config: await sketch({ windowSecs: 30, ...sketched }),
    startAt: originAt,
    canHang: true,
    truth: () => 'up',
    answer: async () => {
      const secs = (world.clock.now() - originAt) / 1000;
      if (secs >= fromSecs && secs < toSecs) await world.clock.sleep(60_000);
      return taken;
    },
  });
  for (const [secs, id, seen] of steps) {
    await world.runTo(originAt + secs * 1000);
    await world.sample(id, seen);
  }
  await world.runTo(originAt + 3_600_000);
  await world.stop();
  return world;
}

/** What each message is about, as `event monitor impacted…`. */
function namedIn(world: World): string[] {
  return world.notified.map(({ message }) =>
    message.event === 'down' || message.event === 'recovered'
      ? [message.event, message.monitor.id, ...message.impacted.map(({ id }) => id)].join(' ')
      : message.event,
  );
}

describe('a degradation whose message is on its way', () => {
  /** It begins at 10; the message takes from 40 to 100. */
  async function degraded(next: Seen): Promise<string[]> {
    const world = await degradedThen(next);
    return world.lines(originAt);
  }

  function degradedThen(next: Seen): Promise<World> {
    return play({
      monitors: [{ id: 'api', failThreshold: 1 }],
      channels: ['ops'],
      extra: 'alert_on_degraded = true',
      slow: [40, 41],
      steps: [
        [10, 'api', 'slow'],
        [60, 'api', next],
        [300, 'api', 'up'],
      ],
    });
  }

  it('has its recovery when it ends meanwhile', async () => {
    assert.deepEqual(await degraded('up'), ['degraded api 100 ops', 'recovered api 100 ops']);
    const recovered = (await degradedThen('up')).notified.at(-1)?.message;
    assert.ok(recovered?.event === 'recovered' && recovered.from === 'degraded');
    assert.deepEqual([recovered.isRemoved, recovered.startedAt - originAt], [false, 10_000]);
  });

  it('has none when it becomes an outage, which has its own', async () => {
    assert.deepEqual(await degraded('down'), [
      'degraded api 100 ops',
      'down api 100 ops',
      'recovered api 300 ops',
    ]);
  });
});

describe('what waits for a channel that is busy', () => {
  it('is sent in the order in which it was due', async () => {
    const world = await play({
      monitors: ['a', 'b', 'c'].map((id) => ({ id, failThreshold: 1 })),
      channels: ['ops'],
      slow: [110, 150],
      steps: [
        [10, 'a', 'down'],
        [80, 'b', 'down'],
        // Its down waits for 135, and is the older row.
        [105, 'c', 'down'],
        [120, 'a', 'up'],
      ],
    });
    assert.deepEqual(world.lines(originAt), [
      'down a 40 ops',
      'down b 170 ops',
      'recovered a 170 ops',
      'down c 170 ops',
    ]);
  });

  it('is a message each, which names one monitor, where there is no window', async () => {
    const world = await play({
      monitors: [
        { id: 'mail', failThreshold: 1 },
        { id: 'db', failThreshold: 1 },
        { id: 'web', dependsOn: ['db'], failThreshold: 1 },
      ],
      channels: ['ops'],
      windowSecs: 0,
      slow: [10, 11],
      steps: [
        [10, 'mail', 'down'],
        [20, 'db', 'down'],
        [30, 'web', 'down'],
      ],
    });
    assert.deepEqual(namedIn(world), ['down mail', 'down db', 'down web']);
  });
});

describe('a down without an upstream as its cause', () => {
  it('is no part of the outage of its upstream that begins while it is on its way', async () => {
    const disk = await openDisk();
    const world = await play({
      monitors: [
        { id: 'db', failThreshold: 1 },
        { id: 'web', dependsOn: ['db'], notify: ['ops'], failThreshold: 1 },
      ],
      channels: ['ops', 'sms'],
      slow: [40, 41],
      disk,
      steps: [
        [5, 'db', 'up'],
        [10, 'web', 'down'],
        // In the moment in which the window of the other ends: its message has gone out.
        [40, 'db', 'down'],
        [200, 'db', 'up'],
        [300, 'web', 'up'],
      ],
    });
    assert.deepEqual(world.lines(originAt).slice(0, 3), [
      'down db 70 sms',
      'down web 100 ops',
      'down db 100 ops',
    ]);
    assert.deepEqual(namedIn(world), [
      'down db',
      'down web',
      'down db',
      'recovered db',
      'recovered db',
      'recovered web',
    ]);
    const causes = incidents.list(disk.facts.sql, { limit: 10 }).incidents.map(({ cause }) => cause);
    assert.deepEqual(causes, [null, null]);
  });
});
