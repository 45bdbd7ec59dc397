/** A channel that takes a message for some of its recipients only: they have it, and somebody hears of the others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channels } from '../../../src/db/tables/channels.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import { openDisk, refused, sketch, taken, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const unreached = 'the mail server refused night@example.org: 550 No such user; check to';
const partly = { kind: 'sent', attempts: 1, unreached } as const;

async function worldOf(answer: (event: string, channel: string) => ReturnType<typeof refused>) {
  const config = await sketch({
    monitors: [{ id: 'api', failThreshold: 1, notify: ['mail'] }],
    channels: ['mail', 'chat'],
  });
  const reminding = config.channels.map((channel) =>
    channel.name === 'mail' ? { ...channel, repeat_every_secs: 600 } : channel,
  );
  return new World({
    disk: await openDisk(),
    config: { ...config, channels: reminding },
    startAt: originAt,
    truth: () => 'down',
    answer: ({ event }, channel) => answer(event, channel),
  });
}

const healthOf = (world: World) => channels.list(world.sql).find(({ channel }) => channel === 'mail');

describe('a message that some recipients of its channel are refused for good', () => {
  it('counts as sent for the others: they have reminders, and the recovery at once', async () => {
    const world = await worldOf((_, channel) => (channel === 'mail' ? partly : taken));
    await world.sample('api', 'down');
    await world.runTo(at(1300));
    await world.sample('api', 'up');
    await world.runTo(at(7200));
    const lines = world.lines(originAt).filter((line) => line.endsWith(' mail'));
    assert.deepEqual(lines, [
      'down api 30 mail',
      'reminder api 630 mail',
      'reminder api 1230 mail',
      'recovered api 1300 mail',
    ]);
    await world.stop();
  });

  it('is reported: to the other channels at once, once while it goes on; in the log and in the health each time', async () => {
    let isMended = false;
    const world = await worldOf((_, channel) => (channel === 'mail' && !isMended ? partly : taken));
    await world.sample('api', 'down');
    await world.runTo(at(1300));
    const said = world.notified.flatMap(({ message, channel }) =>
      message.event === 'channel_failing'
        ? [[channel, message.channel, message.isPartial, message.error]]
        : [],
    );
    assert.deepEqual(said, [['chat', 'mail', true, unreached]]);
    const logged = world.log.filter(({ event }) => event === 'channel.unreached');
    assert.equal(logged.length, 3, 'the alert and two reminders');
    assert.ok(logged[0]?.level === 'warning');
    assert.match(logged[0].message, /night@example\.org: 550 No such user/);
    const failing = healthOf(world);
    assert.deepEqual([failing?.consecutiveFailures, failing?.lastError], [3, unreached]);
    isMended = true;
    await world.sample('api', 'up');
    await world.runTo(at(1400));
    assert.equal(healthOf(world)?.consecutiveFailures, 0);
    await world.stop();
  });

  it('does not hide that the channel fails for all of them afterwards, nor that before', async () => {
    let answers: 'some' | 'none' | 'all' = 'some';
    const answer = { some: partly, none: refused(), all: taken };
    const world = await worldOf((_, channel) => (channel === 'mail' ? answer[answers] : taken));
    const outage = async (fromSecs: number, toSecs: number) => {
      await world.runTo(at(fromSecs));
      await world.sample('api', 'down');
      await world.runTo(at(toSecs));
      await world.sample('api', 'up');
      await world.runTo(at(toSecs + 50));
    };
    const said = () =>
      world.notified.flatMap(({ message }) =>
        message.event === 'channel_failing' ? [message.isPartial ? 'some' : 'none'] : [],
      );
    await outage(0, 100);
    assert.deepEqual(said(), ['some']);
    answers = 'none';
    await outage(1000, 2000);
    assert.deepEqual(said(), ['some', 'none']);
    answers = 'some';
    await outage(10_000, 10_100);
    assert.deepEqual(said(), ['some', 'none', 'some']);
    answers = 'all';
    await outage(20_000, 20_100);
    answers = 'some';
    await outage(30_000, 30_100);
    assert.deepEqual(said(), ['some', 'none', 'some', 'some']);
    await world.stop();
  });

  it('is none where all of them are refused: it is tried again until it is taken', async () => {
    let isMended = false;
    const world = await worldOf((_, channel) => (channel === 'mail' && !isMended ? refused(true) : taken));
    await world.sample('api', 'down');
    await world.runTo(at(100));
    isMended = true;
    await world.runTo(at(3600));
    assert.ok(world.lines(originAt).some((line) => /^down api \d+ mail$/.test(line)));
    assert.ok(
      world.notified.every(({ message }) => message.event !== 'channel_failing' || !message.isPartial),
    );
    await world.stop();
  });
});

describe('a message that some recipients of its channel are refused for now', () => {
  const error = 'the mail server refused night@example.org: 451 Try again later; check to';
  const later = { ...refused(), error, reachedSome: true } as const;

  /** An outage from the start until `endsAt`, in seconds, and every try at the mail channel. */
  const outage = async (
    endsAt: number,
    meets: (count: number) => Delivered,
    then: () => Delivered = () => taken,
  ) => {
    const tries: string[] = [];
    const world: World = await worldOf((event, channel) => {
      if (channel !== 'mail') return taken;
      tries.push(`${event} ${(world.clock.now() - originAt) / 1000}`);
      return event === 'down' ? meets(tries.length) : then();
    });
    await world.sample('api', 'down');
    await world.runTo(at(endsAt));
    await world.sample('api', 'up');
    await world.runTo(at(7200));
    await world.stop();
    assert.equal(outbox.nextDueAt(world.sql), null);
    return { tries, world };
  };

  it('is tried again for them, and the others have the recovery of what they were sent', async () => {
    const { tries, world } = await outage(100, () => later);
    assert.deepEqual(tries, ['down 30', 'down 60', 'recovered 100']);
    const failed = world.log.filter(({ event }) => event === 'channel.failed');
    assert.deepEqual(
      failed.map(({ message }) => message),
      Array.from({ length: 2 }, () => `not sent to all recipients of mail: ${error}`),
    );
  });

  it('is tried for them while the outage lasts, beside the reminders of the others, and other channels are notified', async () => {
    const { tries, world } = await outage(2000, () => later);
    const downs = [30, 60, 120, 240, 480, 960, 1860].map((secs) => `down ${secs}`);
    assert.deepEqual(
      tries.filter((line) => line.startsWith('down')),
      downs,
    );
    assert.deepEqual(
      tries.filter((line) => !line.startsWith('down')),
      ['reminder 630', 'reminder 1230', 'reminder 1830', 'recovered 2000'],
    );
    const said = world.notified.flatMap(({ message, channel }) =>
      message.event === 'channel_failing' ? [[channel, message.error]] : [],
    );
    assert.deepEqual(said[0], ['chat', error]);
  });

  it('is tried for a quarter of an hour when it is a recovery, and once when another reminder follows', async () => {
    const { tries } = await outage(
      2000,
      () => later,
      () => later,
    );
    const others = tries.filter((line) => !line.startsWith('down'));
    const recoveries = [2000, 2030, 2090, 2210, 2450, 2930].map((secs) => `recovered ${secs}`);
    assert.deepEqual(others, ['reminder 630', 'reminder 1230', 'reminder 1830', ...recoveries]);
  });

  it('is not tried any more once they take it', async () => {
    const { tries } = await outage(300, (count) => (count < 3 ? later : taken));
    assert.deepEqual(tries, ['down 30', 'down 60', 'down 120', 'recovered 300']);
  });

  it('is tried for as long as the outage lasts where nobody has it', async () => {
    const { tries } = await outage(4000, (count) => (count < 8 ? refused() : taken));
    assert.equal(tries.filter((line) => line.startsWith('down')).length, 8);
  });
});
