/** What one message is about: many of one kind that come together, and nothing of another kind. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import { openDisk, refused, sketch, taken, World, type Seen, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const disk = await openDisk();

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

async function worldOf(
  options: Partial<WorldOptions> = {},
  channel = '',
  count = ids.length,
): Promise<World> {
  const monitors = ids.slice(0, count).map((id) => ({ id, failThreshold: 1 }));
  const ops = `[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"\n${channel}`;
  const config = await sketch({ monitors, channels: [], extra: ops });
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

describe('the message that monitors cannot be checked', () => {
  it('has the incidents whose window is over, and covers those whose window is not', async () => {
    const world = await worldOf({ truth: () => 'resolver' }, '', 2);
    await play(world, [0, 'ab', 'up'], [10, 'a', 'resolver'], [20, 'b', 'resolver']);
    await world.runTo(at(500));
    assert.deepEqual(messagesOf(world), ['unknown 40: ab']);
    const [unknown] = world.notified.map(({ message }) => message);
    assert.ok(unknown?.event === 'unknown' && unknown.incidentIds.length === 1);
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

  it('is copied as it was where no answer came, also when it was about few', async () => {
    const unanswered: Delivered = { ...refused(), mayBeReceived: true } as Delivered;
    const world: World = await worldOf({
      answer: (message) =>
        message.event === 'recovered' && message.repeat === undefined ? unanswered : taken,
    });
    await play(world, [0, 'abcdef', 'down']);
    await world.runTo(at(500));
    silence(world, ids, 700);
    await play(world, [600, 'abc', 'up']);
    await world.runTo(at(800));
    assert.deepEqual(messagesOf(world), ['down 30: abcdef', 'recovered 730: abc']);
    await world.stop();
  });

  it('waits for no others that come long after its first was due', async () => {
    const world = await worldOf();
    await play(world, [0, 'f', 'down']);
    silence(world, ['f'], 33);
    await play(world, [6, 'abcde', 'down']);
    await world.runTo(at(100));
    assert.deepEqual(messagesOf(world), [
      'down 33: f',
      ...['down 36: a', 'down 36: b', 'down 36: c', 'down 36: d', 'down 36: e'],
    ]);
    await world.stop();
  });

  it('puts off what follows within its window, and nothing that waited for as long as it may', async () => {
    const world: World = await worldOf({
      canHang: true,
      answer: async () => {
        if (world.clock.now() < at(900)) return refused();
        if (world.clock.now() === at(950)) await world.clock.sleep(7000);
        return taken;
      },
    });
    await play(world, [0, 'h', 'down'], [920, 'abcdef', 'down'], [926, 'g', 'down']);
    await world.runTo(at(1500));
    assert.deepEqual(messagesOf(world), ['down 957: abcdef', 'down 957: g', 'down 957: h']);
    await world.stop();
    const patient = await worldOf();
    await play(patient, [0, 'abcdef', 'down'], [10, 'g', 'down']);
    await patient.runTo(at(500));
    assert.deepEqual(messagesOf(patient), ['down 30: abcdef', 'down 60: g']);
    await patient.stop();
  });

  it('names first in a copy what it named first, whatever was written down first', async () => {
    const unanswered: Delivered = { ...refused(), mayBeReceived: true } as Delivered;
    const world: World = await worldOf({
      answer: (message) => (message.repeat === undefined ? unanswered : taken),
    });
    await play(world, [0, 'a', 'down']);
    silence(world, ['a'], 37);
    await play(world, [6, 'bcdefg', 'down'], [8, 'h', 'down']);
    await world.runTo(at(200));
    assert.deepEqual(messagesOf(world), ['down 68: bacdefgh']);
    await world.stop();
  });
});

describe('recoveries', () => {
  it('are apart from those that come late, and from those of monitors that are gone', async () => {
    const world = await worldOf();
    for (const [index, id] of [...ids, 'i'].entries()) {
      const [isLate, isRemoved] = [index % 3 === 1, index % 3 === 2];
      const payload = { from: 'down', startedAt: at(-900), endedAt: at(-600), isLate, isRemoved, named: [] };
      const row = { channel: 'ops', event: 'recovered', monitor: id, incident: `i-${id}`, payload };
      world.apply(outbox.put({ ...row, deliveryId: id, createdAt: originAt, nextAt: originAt }));
    }
    await world.settle();
    assert.equal(world.notified.length, 9);
    await world.stop();
  });
});

describe('reminders', () => {
  it('that are due within seconds are one message', async () => {
    const world = await worldOf({}, 'repeat_every_secs = 600');
    await play(world, [0, 'a', 'down'], [2, 'b', 'down']);
    await world.runTo(at(700));
    assert.deepEqual(messagesOf(world), ['down 30: a', 'down 32: b', 'reminder 632: ab']);
    await world.stop();
  });

  it('are none of what cannot be checked, was acknowledged, or ended before its alert arrived', async () => {
    const repeat = 'repeat_every_secs = 600';
    const saidOf = (world: World) =>
      world.sql.all("SELECT verdict FROM decisions WHERE event = 'reminder'", [], (row) =>
        row.text('verdict'),
      );
    const unchecked = await worldOf({ truth: () => 'resolver' }, repeat, 1);
    await play(unchecked, [0, 'a', 'up'], [10, 'a', 'resolver'], [2000, 'a', 'resolver']);
    assert.deepEqual(messagesOf(unchecked), ['unknown 40: a']);
    assert.deepEqual(saidOf(unchecked), []);
    await unchecked.stop();
    const acknowledged = await worldOf({}, repeat, 1);
    await play(acknowledged, [0, 'a', 'down']);
    const [uid = ''] = incidents.listOpen(acknowledged.sql).map((incident) => incident.uid);
    acknowledged.apply(incidents.acknowledge({ uid, at: originAt, by: 'ann', reason: null }));
    await acknowledged.runTo(at(2000));
    assert.deepEqual(messagesOf(acknowledged), ['down 30: a']);
    assert.deepEqual(saidOf(acknowledged), []);
    await acknowledged.stop();
    const over: World = await worldOf(
      {
        canHang: true,
        answer: async () => {
          if (over.clock.now() === at(30)) await over.clock.sleep(60_000);
          return taken;
        },
      },
      repeat,
      1,
    );
    await play(over, [0, 'a', 'down'], [60, 'a', 'up']);
    await over.runTo(at(2000));
    assert.deepEqual(messagesOf(over), ['down 90: a', 'recovered 90: a']);
    assert.deepEqual(saidOf(over), []);
    await over.stop();
  });
});
