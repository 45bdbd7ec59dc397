/** Each channel has a lane of its own (A7), a storm is one message, and a channel that fails is told of. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channels as channelHealth } from '../../../src/db/tables/channels.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { holdOf } from '../../../src/engine/alerting/events/stored.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { casesOf } from '../../support/random.ts';
import { type Seen, openDisk, refused, sketch, taken, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const windowSecs = 30;
const crowd = casesOf(500, 2000);
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `m${index}`, failThreshold: 1 }));
const never = new Promise<Delivered>(() => undefined);

/** How long after their window the messages of 200 outages came, sorted, while one of three channels never answers. */
async function delaysBeside(answer: (channel: string) => Promise<Delivered> | Delivered): Promise<number[]> {
  const config = await sketch({ monitors: many(200), channels: ['ops', 'dead', 'sms'], windowSecs });
  const world = new World({
    disk: await openDisk(),
    config,
    startAt: originAt,
    canHang: true,
    answer: (_, channel) => answer(channel),
  });
  const confirmedAt = new Map<string, number>();
  for (const [index, { id }] of config.monitors.entries()) {
    await world.runTo(originAt + index * 7000);
    confirmedAt.set(id, world.clock.now());
    await world.sample(id, 'down');
  }
  await world.runTo(originAt + 3_600_000);
  return world.notified
    .map(({ at, message }) =>
      message.event === 'down' ? at - (confirmedAt.get(message.monitor.id) ?? 0) - windowSecs * 1000 : NaN,
    )
    .sort((a, b) => a - b);
}

const hanging = (channel: string) => (channel === 'dead' ? never : taken);
const p99Of = (delays: readonly number[]) => delays[Math.floor(delays.length * 0.99)] ?? Infinity;
const areAllInTime = (delays: readonly number[]) => delays.length === 400 && p99Of(delays) < 2000;

/** All monitors fail within a second, and are back within another; what the channels heard, and when. */
async function storm(count: number, groupWindowSecs: number): Promise<string[]> {
  const channels = ['ops', 'sms'];
  const config = await sketch({ monitors: many(count), channels, windowSecs: groupWindowSecs });
  const world = new World({ disk: await openDisk(), config, startAt: originAt });
  for (const [fromAt, seen] of [
    [10_000, 'down'],
    [100_000, 'up'],
  ] as const) {
    for (const [index, { id }] of config.monitors.entries()) {
      world.clock.advanceTo(originAt + fromAt + Math.floor((index * 1000) / count));
      await world.sample(id, seen);
    }
    await world.runTo(originAt + fromAt + 60_000);
  }
  assert.equal(outbox.nextDueAt(world.sql), null);
  return world.notified
    .map(({ at, channel, message }) => {
      const named =
        message.event === 'down' || message.event === 'recovered' ? 1 + message.impacted.length : 0;
      return `${message.event} ${named} ${channel} ${Math.ceil((at - originAt) / 1000)}`;
    })
    .sort();
}

const oneEach = (count: number) => [
  `down ${count} ops 41`,
  `down ${count} sms 41`,
  `recovered ${count} ops 111`,
  `recovered ${count} sms 111`,
];

describe('a channel', () => {
  it('that hangs delays no other: the others are notified when their window is over', async () => {
    const delays = await delaysBeside(hanging);
    console.log(
      `  ${delays.length} messages beside a hanging channel, p99 ${p99Of(delays)} ms after the window`,
    );
    assert.ok(areAllInTime(delays));
  });

  it('would delay the others if all had one queue', async () => {
    let last: Promise<unknown> = Promise.resolve();
    const delays = await delaysBeside((channel) => {
      const mine = last.then(() => hanging(channel));
      last = mine;
      return mine;
    });
    assert.ok(!areAllInTime(delays), `${delays.length} messages, p99 ${p99Of(delays)} ms`);
  });

  it(`gets one message when ${crowd} monitors are down in one second, and one when they are back`, async () => {
    const heard = await storm(crowd, windowSecs);
    console.log(`  ${heard.join(', ')}`);
    assert.deepEqual(heard, oneEach(crowd));
  });

  it('would get one a monitor if nothing were gathered', async () => {
    assert.deepEqual(await storm(50, windowSecs), oneEach(50));
    const heard = await storm(50, 0);
    assert.notDeepEqual(heard, oneEach(50));
    assert.equal(heard.length, 200);
  });

  it('that fails is reported to the others once a streak', async () => {
    let isBroken = true;
    const config = await sketch({ monitors: many(20), channels: ['ops', 'sms', 'web'], windowSecs });
    const world = new World({
      disk: await openDisk(),
      config,
      startAt: originAt,
      answer: (_: Message, channel) => (channel === 'ops' && isBroken ? refused() : taken),
    });
    const fail = async (id: string, secs: number) => {
      await world.runTo(originAt + secs * 1000);
      await world.sample(id, 'down');
    };
    for (const [index, secs] of [0, 100, 200, 300, 400].entries()) await fail(`m${index}`, secs);
    await world.runTo(originAt + 500_000);
    const of = (event: string) => world.notified.filter(({ message }) => message.event === event);
    assert.deepEqual(
      of('channel_failing').map(({ channel }) => channel),
      ['sms', 'web'],
    );
    const [first] = of('channel_failing');
    assert.ok(first?.message.event === 'channel_failing');
    assert.deepEqual(
      [first.message.channel, first.message.consecutiveFailures, first.message.failingSinceAt],
      ['ops', 3, originAt + 30_000],
    );
    isBroken = false;
    await world.runTo(originAt + 3_600_000);
    assert.equal(
      of('down').filter(({ channel }) => channel === 'ops').length,
      5,
      'told later, while still true',
    );
    assert.equal(
      channelHealth.list(world.sql).find(({ channel }) => channel === 'ops')?.consecutiveFailures,
      0,
    );
    isBroken = true;
    for (const [index, secs] of [3700, 3800, 3900, 4000].entries()) await fail(`m${10 + index}`, secs);
    await world.runTo(originAt + 7_200_000);
    assert.equal(of('channel_failing').length, 4, 'a later streak is told again');
    await world.stop();
  });

  it('that could not be notified while it lasted gets one late message', async () => {
    let isBroken = true;
    const config = await sketch({ monitors: many(1), channels: ['ops'], windowSecs });
    const world = new World({
      disk: await openDisk(),
      config,
      startAt: originAt,
      answer: () => (isBroken ? refused(true) : taken),
    });
    await world.sample('m0', 'down');
    await world.runTo(originAt + 250_000);
    await world.sample('m0', 'up');
    isBroken = false;
    await world.runTo(originAt + 3_600_000);
    const [only] = world.notified;
    assert.equal(world.notified.length, 1);
    assert.ok(only?.message.event === 'recovered' && only.message.isLate);
    assert.deepEqual(
      [only.message.severity, only.message.endedAt - only.message.startedAt],
      ['info', 250_000],
    );
    await world.stop();
  });

  describe('that works again', () => {
    /** What `ops` took, which took nothing for an hour: `m0` is down from the beginning, `m1` from 62 min on. */
    async function afterTheHour(answered: Delivered): Promise<string[]> {
      const config = await sketch({ monitors: many(2), channels: ['ops'], windowSecs });
      const world: World = new World({
        disk: await openDisk(),
        config,
        startAt: originAt,
        answer: () => (world.clock.now() < originAt + 3_700_000 ? answered : taken),
      });
      await world.sample('m0', 'down');
      await world.runTo(originAt + 3_720_000);
      const before = world.notified.length;
      await world.sample('m1', 'down');
      await world.runTo(originAt + 7_200_000);
      assert.equal(before, 0);
      return world.lines(originAt);
    }

    it('gets at once what waits for its next try', async () => {
      assert.deepEqual(await afterTheHour(refused()), ['down m1 3750 ops', 'down m0 3750 ops']);
    });

    it('gets what it asked to have later no sooner than that', async () => {
      const limited = { ...refused(), retryAfterMs: 15 * 60_000 } as Delivered;
      assert.deepEqual(await afterTheHour(limited), ['down m1 3750 ops', 'down m0 4530 ops']);
    });
  });

  it('that is taken out of the configuration keeps what waits while the outage lasts; a monitor does not', async () => {
    const before = await sketch({ monitors: many(2), channels: ['ops', 'sms'], windowSecs });
    const after = await sketch({ monitors: many(1), channels: ['sms'], windowSecs });
    const world = new World({ disk: await openDisk(), config: before, startAt: originAt });
    await world.sample('m0', 'down');
    await world.sample('m1', 'down');
    world.reload(after);
    await world.runTo(originAt + 3_600_000);
    assert.deepEqual(world.lines(originAt), ['down m0 30 sms']);
    const held = outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 10);
    assert.deepEqual(
      held.map(({ monitor, channel, payload }) => [monitor, channel, holdOf(payload)?.reason]),
      [['m0', 'ops', 'channel_unavailable']],
    );
    await world.sample('m0', 'up');
    await world.runTo(originAt + 7_200_000);
    assert.deepEqual(world.lines(originAt), ['down m0 30 sms', 'recovered m0 3600 sms']);
    const spared = decisions.totals(world.sql).filter(({ verdict }) => verdict === 'spared');
    assert.deepEqual(
      spared.map(({ reason, count }) => [reason, count]),
      [
        ['channel_removed', 1],
        // One a channel that would have been sent the alert, and one for the incident.
        ['monitor_removed', 3],
      ],
    );
    await world.stop();
  });
});

describe('a degraded monitor', () => {
  /** Two monitors that were seen so, at so many seconds, and the hour after that. */
  const livedThrough = async (steps: readonly (readonly [number, 'm0' | 'm1', Seen])[]) => {
    const extra = 'alert_on_degraded = true';
    const config = await sketch({ monitors: many(2), channels: ['ops'], windowSecs, extra });
    const world = new World({ disk: await openDisk(), config, startAt: originAt });
    for (const [secs, id, seen] of steps) {
      await world.runTo(originAt + secs * 1000);
      await world.sample(id, seen);
    }
    await world.runTo(originAt + 3_600_000);
    return world;
  };

  it('is sent with alert_on_degraded, with a recovery of its own, and not beside a down', async () => {
    const world = await livedThrough([
      [0, 'm0', 'slow'],
      [10, 'm1', 'slow'],
      [50, 'm1', 'down'],
      [60, 'm0', 'up'],
      [100, 'm1', 'up'],
      [200, 'm0', 'slow'],
      [210, 'm0', 'up'],
    ]);
    assert.deepEqual(world.lines(originAt), [
      'degraded m0 30 ops',
      'degraded m1 40 ops',
      'recovered m0 60 ops',
      'down m1 80 ops',
      'recovered m1 100 ops',
    ]);
    await world.stop();
  });

  it('that was down for a moment, of which nothing was sent, has its recovery all the same', async () => {
    const world = await livedThrough([
      [0, 'm0', 'slow'],
      [1, 'm1', 'slow'],
      [50, 'm0', 'down'],
      [51, 'm1', 'down'],
      [60, 'm0', 'up'],
      [100, 'm1', 'up'],
      // Of this one nothing is left over for the next outage.
      [200, 'm0', 'down'],
      [210, 'm0', 'up'],
      [300, 'm1', 'down'],
      [400, 'm1', 'up'],
    ]);
    assert.deepEqual(world.lines(originAt), [
      'degraded m0 30 ops',
      'degraded m1 31 ops',
      'recovered m0 60 ops',
      'down m1 81 ops',
      'recovered m1 100 ops',
      'down m1 330 ops',
      'recovered m1 400 ops',
    ]);
    const [recovered] = world.notified.flatMap(({ message }) =>
      message.event === 'recovered' ? [message] : [],
    );
    assert.equal(recovered?.from, 'degraded');
    await world.stop();
  });

  it('has a message of its own beside others, for each has its own limit', async () => {
    const extra = 'alert_on_degraded = true';
    const config = await sketch({ monitors: many(8), channels: ['ops'], windowSecs, extra });
    const world = new World({ disk: await openDisk(), config, startAt: originAt });
    for (const { id } of config.monitors) await world.sample(id, 'slow');
    await world.runTo(originAt + 600_000);
    assert.deepEqual(
      world.notified.map(({ message }) => message.event),
      Array.from({ length: 8 }, () => 'degraded'),
    );
    await world.stop();
  });
});
