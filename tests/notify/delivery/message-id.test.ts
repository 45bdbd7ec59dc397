/** Rule 7: receivers recognise repeats by the id of a message, and whoever discards them misses nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeliveryRow, outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { markedAs } from '../../../src/engine/alerting/copies.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { changed } from '../../../src/engine/alerting/events/stored.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import { messageIdOf } from '../../../src/notify/delivery/message-id.ts';
import { casesOf, printedSeed, type Random, randomOf } from '../../support/random.ts';
import { openDisk, refused, sketch, taken, unanswered, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const windowSecs = 30;

interface Received {
  readonly id: string;
  readonly event: string;
  readonly isLate: boolean;
  /** In the order in which the message names them. */
  readonly monitors: readonly string[];
}

function receivedOf(message: Message): Received {
  if (!('monitor' in message)) assert.fail(`${message.event} is about no monitor`);
  const impacted = 'impacted' in message ? message.impacted : [];
  const isLate = message.event === 'recovered' && message.isLate;
  const monitors = [message.monitor, ...impacted].map((named) => named.id);
  return { id: message.deliveryId, event: message.event, isLate, monitors };
}

const short = ({ event, isLate, monitors }: Received) =>
  `${isLate ? 'late ' : ''}${event} ${monitors.join(' ')}`;

const monitors = Array.from({ length: 8 }, (_, index) => `m${index}`);

/** A receiver that keeps what it was given, whatever became of the program. */
async function worldOf(
  meets: (count: number) => Promise<Delivered> | Delivered,
  tamper: NonNullable<WorldOptions['tamper']> = (operations) => operations,
) {
  const received: Received[] = [];
  const config = await sketch({
    monitors: monitors.map((id) => ({ id, failThreshold: 1 })),
    channels: ['ops'],
    windowSecs,
  });
  const world: World = new World({
    disk: await openDisk(),
    config,
    startAt: originAt,
    canHang: true,
    tamper,
    answer: (message) => {
      received.push(receivedOf(message));
      return meets(received.length);
    },
  });
  const see = async (secs: number, seen: 'up' | 'down', ids: readonly string[]) => {
    await world.runTo(at(secs));
    for (const id of ids) await world.sample(id, seen);
  };
  return { world, received, see };
}

/** The program dies before it learns what came of the first message. */
const firstIsLost = (count: number) => (count === 1 ? new Promise<never>(() => undefined) : taken);

describe('a message that was on its way when the program was killed', () => {
  it('about one monitor goes again alone, and what was due meanwhile in a message of its own', async () => {
    const { world, received, see } = await worldOf(firstIsLost);
    await see(0, 'down', ['m0']);
    await see(10, 'down', monitors.slice(1));
    await world.runTo(at(31));
    world.restart(15_000);
    await world.runTo(at(120));
    assert.deepEqual(received.map(short), ['down m0', 'down m0', 'down m1 m2 m3 m4 m5 m6 m7']);
    const ids = received.map(({ id }) => id);
    assert.equal(ids[1], ids[0]);
    assert.notEqual(ids[2], ids[0]);
    await world.stop();
  });

  it('about many goes again as it was', async () => {
    const { world, received, see } = await worldOf(firstIsLost);
    await see(0, 'down', monitors.slice(0, 7));
    await see(10, 'down', ['m7']);
    await world.runTo(at(31));
    world.restart(15_000);
    await world.runTo(at(120));
    const many = `down ${monitors.slice(0, 7).join(' ')}`;
    assert.deepEqual(received.map(short), [many, many, 'down m7']);
    assert.equal(received[1]?.id, received[0]?.id);
    await world.stop();
  });

  it('about a recovery goes again as it was', async () => {
    const { world, received, see } = await worldOf((count) =>
      count === 9 ? new Promise<never>(() => undefined) : taken,
    );
    for (const [index, id] of monitors.entries()) await see(index * 40, 'down', [id]);
    await see(400, 'up', ['m0']);
    await world.runTo(at(402));
    await see(403, 'up', monitors.slice(1));
    world.restart(60_000);
    await world.runTo(at(600));
    assert.deepEqual(received.slice(8).map(short), [
      'recovered m0',
      'recovered m0',
      'recovered m1 m2 m3 m4 m5 m6 m7',
    ]);
    const ids = received.slice(8).map(({ id }) => id);
    assert.equal(ids[1], ids[0]);
    assert.notEqual(ids[2], ids[0]);
    await world.stop();
  });

  it('is another one than the late message about an outage that ended meanwhile', async () => {
    const { world, received, see } = await worldOf(firstIsLost);
    await see(0, 'down', ['m0']);
    await world.runTo(at(31));
    world.restart(60_000);
    await world.sample('m0', 'up');
    await world.runTo(at(600));
    assert.deepEqual(received.map(short), ['down m0', 'late recovered m0']);
    assert.notEqual(received[1]?.id, received[0]?.id);
    await world.stop();
  });

  const silence = (monitor: string) =>
    silences.add({ monitors: [monitor], reason: null, createdAt: at(31), untilAt: at(90) });

  it('leaves what is silenced by then to a message of its own', async () => {
    const { world, received, see } = await worldOf(firstIsLost);
    await see(0, 'down', monitors);
    await world.runTo(at(31));
    world.apply(silence('m3'));
    world.restart(1000);
    await world.runTo(at(300));
    const without = `down ${monitors.filter((id) => id !== 'm3').join(' ')}`;
    assert.deepEqual(received.map(short), [`down ${monitors.join(' ')}`, without, 'down m3']);
    const ids = received.map(({ id }) => id);
    assert.equal(ids[1], ids[0], 'it says nothing that is new');
    assert.notEqual(ids[2], ids[0], 'the one before may not have been received');
    await world.stop();
  });

  it('stays one message over a second kill, whatever is left out of it and whatever else waits', async () => {
    const { world, received, see } = await worldOf((count) =>
      count < 3 ? new Promise<never>(() => undefined) : taken,
    );
    await see(0, 'down', monitors.slice(0, 7));
    await see(29, 'down', ['m7']);
    await world.runTo(at(31));
    world.apply(silence('m3'));
    world.restart(1000);
    await world.runTo(at(40));
    world.restart(1000);
    await world.runTo(at(300));
    const all = monitors.slice(0, 7);
    const without = `down ${all.filter((id) => id !== 'm3').join(' ')}`;
    assert.deepEqual(received.map(short), [`down ${all.join(' ')}`, without, without, 'down m7', 'down m3']);
    const [first, second, third, ...others] = received.map(({ id }) => id);
    assert.deepEqual([second, third], [first, first]);
    assert.equal(new Set([first, ...others]).size, 3);
    await world.stop();
  });
});

describe('the id of a message', () => {
  const delivery = (deliveryId: string, as: string | null) => ({
    row: {
      deliveryId,
      payload: as === null ? {} : changed({}, markedAs({ as, lead: deliveryId }, 0)),
    } as unknown as DeliveryRow,
    event: 'unknown' as const,
  });

  it('is the one of before only when all of it was in that message', () => {
    const [lead, second, third] = [delivery('a', 'before'), delivery('b', 'before'), delivery('c', null)];
    assert.equal(messageIdOf([lead]), 'before');
    assert.equal(messageIdOf([lead, second]), 'before');
    const ids = [messageIdOf([lead, third]), messageIdOf([lead, second, third]), messageIdOf([third, lead])];
    assert.equal(new Set([...ids, 'before', 'a', 'c']).size, 6);
    assert.notEqual(messageIdOf([lead, delivery('b', 'another')]), 'before');
    assert.equal(messageIdOf([third]), 'c');
  });
});

describe('a message that is written down before it goes', () => {
  it('does not go when one of its alerts was dropped meanwhile; the others do, as one', async () => {
    let isDropped = false;
    const { world, received, see } = await worldOf(
      () => taken,
      (operations) => {
        const [name, deliveryId = null] = operations[0] ?? [];
        if (isDropped || name !== 'outbox.change' || world.clock.now() < at(30)) return operations;
        isDropped = true;
        assert.ok(typeof deliveryId === 'string');
        world.apply(outbox.drop({ deliveryId, at: world.clock.now() }));
        return operations;
      },
    );
    await see(0, 'down', monitors);
    await world.runTo(at(60));
    assert.deepEqual(received.map(short), [`down ${monitors.slice(1).join(' ')}`]);
    await world.stop();
  });
});

describe('a message that its channel refused', () => {
  it('keeps its id as long as it says the same', async () => {
    const { world, received, see } = await worldOf((count) => (count < 4 ? refused() : taken));
    await see(0, 'down', monitors);
    await world.runTo(at(3600));
    assert.deepEqual(
      received.map(short),
      Array.from({ length: 4 }, () => `down ${monitors.join(' ')}`),
    );
    assert.equal(new Set(received.map(({ id }) => id)).size, 1);
    await world.stop();
  });

  it('has another id when it goes with what it did not name', async () => {
    const { world, received, see } = await worldOf((count) => (count === 1 ? refused() : taken));
    await see(0, 'down', monitors.slice(0, 7));
    await see(31, 'down', ['m7']);
    await world.runTo(at(32));
    world.restart(120_000);
    await world.runTo(at(600));
    const seven = monitors.slice(0, 7).join(' ');
    assert.deepEqual(received.map(short), [`down ${seven}`, `down ${seven} m7`]);
    assert.notEqual(received[1]?.id, received[0]?.id);
    await world.stop();
  });
});

/** What a receiver believes that discards every id it knows. */
function stateFor(received: readonly Received[]): ReadonlyMap<string, string> {
  const known = new Set<string>();
  const state = new Map<string, string>();
  for (const { id, event, monitors: named } of received) {
    if (known.has(id)) continue;
    known.add(id);
    for (const monitor of named) state.set(monitor, event);
  }
  return state;
}

/** Others have it by now, and it is tried again for those who put it off. */
const takenBySome: Delivered = {
  ...(refused() as Extract<Delivered, { kind: 'failed' }>),
  reachedSome: true,
};

/** Random outages; a crash at any point, and channels that refuse, do not answer, or take it for some. */
async function historyOf(random: Random): Promise<readonly Received[]> {
  const received: Received[] = [];
  const config = await sketch({
    monitors: monitors.map((id) => ({ id, failThreshold: 1 })),
    channels: ['ops'],
    windowSecs: 10,
  });
  let crashes = 6;
  let isCalm = false;
  const world: World = new World({
    disk: await openDisk(),
    config,
    startAt: originAt,
    isCrashPoint: () => {
      if (isCalm || crashes === 0 || random.below(40) > 0) return false;
      crashes -= 1;
      return true;
    },
    answer: (message) => {
      received.push(receivedOf(message));
      if (isCalm) return taken;
      return random.pick([taken, taken, taken, refused(), unanswered, takenBySome]);
    },
  });
  const isDown = new Set<string>();
  for (let step = 0; step < 40; step += 1) {
    await world.runTo(world.clock.now() + random.below(4000));
    const id = monitors[random.below(monitors.length)] ?? '';
    const seen = isDown.has(id) ? 'up' : 'down';
    if (seen === 'up') isDown.delete(id);
    else isDown.add(id);
    await world.sample(id, seen);
  }
  isCalm = true;
  for (const id of isDown) await world.sample(id, 'up');
  for (const id of monitors) await world.sample(id, 'up');
  await world.runTo(world.clock.now() + 7_200_000);
  await world.stop();
  assert.equal(outbox.nextDueAt(world.sql), null);
  return received;
}

describe('a receiver that discards every message whose id it knows', () => {
  const cases = casesOf(25, 2000);
  it(`misses no recovery, and no message that names more than one before, in ${cases} histories`, async () => {
    const seed = printedSeed();
    for (let index = 0; index < cases; index += 1) {
      const received = await historyOf(randomOf(seed + index));
      const named = new Map<string, Received>();
      for (const message of received) {
        const before = named.get(message.id);
        if (before === undefined) named.set(message.id, message);
        else {
          assert.equal(message.event, before.event, `seed ${seed + index}`);
          const news = message.monitors.filter((id) => !before.monitors.includes(id));
          assert.deepEqual(news, [], `seed ${seed + index}: ${short(before)}, then ${short(message)}`);
        }
      }
      const left = [...stateFor(received)].filter(([, event]) => event !== 'recovered');
      assert.deepEqual(left, [], `seed ${seed + index}`);
    }
  });
});
