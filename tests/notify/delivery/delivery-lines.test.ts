import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDisk, refused, sketch, taken, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `m${index}`, failThreshold: 1 }));

async function openWorld(count: number, answer?: () => typeof taken): Promise<World> {
  const config = await sketch({ monitors: many(count), channels: ['ops'], windowSecs: 30 });
  const options = answer === undefined ? {} : { answer };
  return new World({ disk: await openDisk(), config, startAt: originAt, ...options });
}

describe('the log of deliveries', () => {
  it('has a line for each message that a channel took', async () => {
    const world = await openWorld(1);
    await world.sample('m0', 'down');
    await world.runTo(originAt + 60_000);
    await world.sample('m0', 'up');
    await world.runTo(originAt + 90_000);
    assert.deepEqual(
      world.log.map(({ level, event, message }) => [level, event, message]),
      [
        ['info', 'channel.sent', 'sent to ops: m0 down'],
        ['info', 'channel.sent', 'sent to ops: m0 recovered'],
      ],
    );
    assert.deepEqual(Object.keys(world.log[0]?.fields ?? {}), [
      'channel',
      'told',
      'monitor',
      'monitors',
      'late_ms',
      'attempts',
      'delivery_id',
    ]);
    await world.stop();
  });

  it('has one line for a message about many', async () => {
    const world = await openWorld(300);
    for (let index = 0; index < 300; index += 1) await world.sample(`m${index}`, 'down');
    await world.runTo(originAt + 60_000);
    const [line, ...others] = world.log;
    assert.deepEqual(others, []);
    assert.equal(line?.message, 'sent to ops: 300 monitors down');
    assert.deepEqual([line.fields?.['monitor'], line.fields?.['monitors']], [null, 300]);
    await world.stop();
  });

  it('says how long after it was due a message came, and what a channel did not take', async () => {
    let isBroken = true;
    const world = await openWorld(1, () => {
      if (isBroken) return refused();
      world.clock.advanceTo(world.clock.now() + 90_500);
      return taken;
    });
    await world.sample('m0', 'down');
    await world.runTo(originAt + 31_000);
    isBroken = false;
    await world.runTo(originAt + 3_600_000);
    assert.deepEqual(
      world.log.map(({ level, message }) => [level, message]),
      [
        ['warning', 'not sent to ops: It was refused.'],
        ['info', 'sent to ops: m0 down, 1m 30s after it was due'],
      ],
    );
    assert.equal(world.log[1]?.fields?.['late_ms'], 90_500);
    await world.stop();
  });

  it('says that a message could not be written down before it goes, and it goes later', async () => {
    let isFull = true;
    const world = new World({
      disk: await openDisk(),
      config: await sketch({ monitors: many(1), channels: ['ops'], windowSecs: 30 }),
      startAt: originAt,
      tamper: (operations) => {
        if (!isFull || operations[0]?.[0] !== 'outbox.replace') return operations;
        isFull = false;
        throw new Error('no space left');
      },
    });
    await world.sample('m0', 'down');
    await world.runTo(originAt + 60_000);
    assert.deepEqual(
      world.log.map(({ event, message, fields }) => [event, message, fields?.['channel']]),
      [
        [
          'pipeline.failed',
          'A message was not sent because it could not be written down first: Error: no space left',
          'ops',
        ],
        ['channel.sent', 'sent to ops: m0 down', 'ops'],
      ],
    );
    assert.equal(world.notified.length, 1);
    await world.stop();
  });

  it('says that what came of a message could not be written, and it is written later', async () => {
    let isFull = true;
    const world = new World({
      disk: await openDisk(),
      config: await sketch({ monitors: many(1), channels: ['ops'], windowSecs: 30 }),
      startAt: originAt,
      tamper: (operations) => {
        if (!isFull || !operations.some(([name]) => name === 'outbox.sent')) return operations;
        isFull = false;
        throw new Error('no space left');
      },
    });
    await world.sample('m0', 'down');
    await world.runTo(originAt + 60_000);
    const faults = world.log.filter(({ level }) => level === 'error');
    assert.deepEqual(faults, [
      {
        level: 'error',
        event: 'pipeline.failed',
        message: 'What came of a message could not be written: Error: no space left',
        fields: { channel: 'ops' },
      },
    ]);
    await world.sample('m0', 'up');
    await world.runTo(originAt + 90_000);
    assert.equal(world.notified.filter(({ message }) => message.event === 'recovered').length, 1);
    await world.stop();
  });
});
