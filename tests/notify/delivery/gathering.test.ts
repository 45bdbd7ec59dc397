/** What one message is about: many of one kind that come together, and nothing of another kind. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silences } from '../../../src/db/tables/silences.ts';
import { openDisk, refused, sketch, taken, World, type Seen, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const disk = await openDisk();

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

async function worldOf(options: Partial<WorldOptions> = {}, extra = '', count = ids.length): Promise<World> {
  const monitors = ids.slice(0, count).map((id) => ({ id, failThreshold: 1 }));
  const config = await sketch({ monitors, channels: ['ops'], extra });
  return new World({ disk, config, startAt: originAt, ...options });
}

type Step = readonly [secs: number, monitors: string, seen: Seen];

/** Checks of monitors, each named by a letter. */
async function play(world: World, ...steps: readonly Step[]): Promise<void> {
  for (const [secs, monitors, seen] of steps) {
    await world.runTo(at(secs));
    for (const id of monitors) await world.sample(id, seen);
  }
}

/** Each message as `[late] event from secs: names [group]`. */
function messagesOf(world: World): string[] {
  return world.notified.map(({ at: sentAt, message }) => {
    const named = 'monitor' in message ? [message.monitor] : [];
    const others = 'impacted' in message ? message.impacted : [];
    const late = message.event === 'recovered' && message.isLate ? 'late ' : '';
    const names = [...named, ...others].map(({ id }) => id).join('');
    return `${late}${message.event} ${(sentAt - originAt) / 1000}: ${names}`;
  });
}

function silence(world: World, monitors: readonly string[], untilSecs: number): void {
  world.apply(silences.add({ monitors, untilAt: at(untilSecs), reason: null, createdAt: world.clock.now() }));
}

describe('monitors that cannot be checked for different causes', () => {
  it('have a message, and a recovery, for each cause', async () => {
    const world = await worldOf({ truth: () => 'up' }, '', 4);
    await play(world, [0, 'abcd', 'up'], [10, 'ab', 'resolver'], [10, 'cd', 'plugin'], [100, 'abcd', 'up']);
    await world.runTo(at(200));
    assert.deepEqual(messagesOf(world), [
      'unknown 40: ab',
      'unknown 40: cd',
      'recovered 110: ab',
      'recovered 110: cd',
    ]);
    await world.stop();
  });

  it('have a late message for each cause where the channel took none before', async () => {
    let isBroken = true;
    const world = await worldOf({ answer: () => (isBroken ? refused() : taken) }, '', 4);
    await play(world, [0, 'abcd', 'up'], [10, 'ab', 'resolver'], [10, 'cd', 'plugin'], [100, 'abcd', 'up']);
    isBroken = false;
    await world.runTo(at(900));
    assert.deepEqual(messagesOf(world), ['late recovered 130: ab', 'late recovered 130: cd']);
    await world.stop();
  });
});

describe('the message that monitors can be checked again', () => {
  it('names what was found by then, but what is silenced, which comes when that ends', async () => {
    const world = await worldOf({ truth: () => 'up' }, '', 4);
    await play(world, [0, 'abcd', 'up'], [10, 'abc', 'resolver'], [100, 'a', 'resolver']);
    silence(world, ['c'], 400);
    await play(world, [105, 'c', 'up'], [110, 'b', 'up'], [115, 'a', 'up']);
    await world.runTo(at(500));
    assert.deepEqual(messagesOf(world), ['unknown 40: abc', 'recovered 120: ba', 'recovered 400: c']);
    await world.stop();
  });

  it('leaves what a channel refused before to its own next try', async () => {
    const world: World = await worldOf(
      { answer: () => (world.clock.now() === at(110) ? refused() : taken) },
      '',
      4,
    );
    await play(
      world,
      [0, 'abcd', 'up'],
      [10, 'abc', 'resolver'],
      [100, 'a', 'up'],
      [105, 'b', 'up'],
      [120, 'c', 'up'],
    );
    await world.runTo(at(500));
    assert.deepEqual(messagesOf(world), ['unknown 40: abc', 'recovered 130: c', 'recovered 140: ab']);
    await world.stop();
  });
});

describe('a storm', () => {
  it('is no reason to wait for what is held for something else', async () => {
    const world = await worldOf();
    await play(world, [0, 'f', 'down']);
    silence(world, ['f'], 33);
    await play(world, [1, 'abcde', 'down']);
    await world.runTo(at(100));
    assert.deepEqual(messagesOf(world), [
      'down 31: a',
      'down 31: b',
      'down 31: c',
      'down 31: d',
      'down 31: e',
      'down 33: f',
    ]);
    await world.stop();
  });

  it('of recoveries has no group where each outage had a message of its own', async () => {
    const world = await worldOf();
    for (const [index, id] of ids.entries()) await play(world, [index * 40, id, 'down']);
    await world.runTo(at(500));
    silence(world, ids, 700);
    await play(world, [600, 'abcdefgh', 'up']);
    await world.runTo(at(800));
    assert.deepEqual(messagesOf(world).slice(ids.length), ['recovered 700: abcdefgh']);
    const last = world.notified.at(-1)?.message;
    assert.ok(last?.event === 'recovered' && last.grouping.groupId === null);
    await world.stop();
  });
});
