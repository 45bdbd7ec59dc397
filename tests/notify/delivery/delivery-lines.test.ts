import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channels } from '../../../src/db/tables/channels.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { queueNotice } from '../../../src/engine/alerting/queue-notice.ts';
import { operationsOf } from '../../../src/engine/monitoring/alert-operations.ts';
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
        if (!isFull || operations[0]?.[0] !== 'outbox.change') return operations;
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
          'A message was not sent because it could not be written to the database first: Error: no space left',
          'ops',
        ],
        ['channel.sent', 'sent to ops: m0 down', 'ops'],
      ],
    );
    assert.equal(world.notified.length, 1);
    await world.stop();
  });

  it('says so of a message about many, which goes a second later and not a window later', async () => {
    let isFull = true;
    const world = new World({
      disk: await openDisk(),
      config: await sketch({ monitors: many(8), channels: ['ops'], windowSecs: 30 }),
      startAt: originAt,
      tamper: (operations) => {
        if (!isFull || operations[0]?.[0] !== 'outbox.change') return operations;
        isFull = false;
        throw new Error('no space left');
      },
    });
    for (let index = 0; index < 8; index += 1) await world.sample(`m${index}`, 'down');
    await world.runTo(originAt + 120_000);
    assert.deepEqual(
      world.log.map(({ event }) => event),
      ['pipeline.failed', 'channel.sent'],
    );
    assert.deepEqual(world.lines(originAt), ['down m0 30 ops']);
    await world.stop();
  });

  it('counts from when the first was due, also for a message about many', async () => {
    const world = await openWorld(6);
    for (let index = 0; index < 6; index += 1) {
      await world.runTo(originAt + index * 1000);
      await world.sample(`m${index}`, 'down');
    }
    await world.runTo(originAt + 60_000);
    assert.deepEqual(
      world.log.map(({ message, fields }) => [message, fields?.['late_ms']]),
      [['sent to ops: 6 monitors down, 5s after it was due', 5000]],
    );
    await world.stop();
  });

  it('names no monitor where a message is about none', async () => {
    const world = await openWorld(1);
    const fault = { kind: 'storage_failing', startedAt: originAt, error: null, at: originAt } as const;
    world.apply(...operationsOf(queueNotice(fault, ['ops']), originAt));
    await world.settle();
    const [line] = world.log;
    assert.equal(line?.message, 'sent to ops: storage_failing');
    assert.deepEqual([line.fields?.['monitor'], line.fields?.['monitors']], [null, 0]);
    assert.equal(world.log.length, 1);
    await world.stop();
  });

  it('names the fault where sending breaks, and tries again', async () => {
    const faults: unknown[] = [new TypeError('no'), 'a text'];
    const world = await openWorld(1, () => {
      if (faults.length > 0) throw faults.shift();
      return taken;
    });
    await world.sample('m0', 'down');
    await world.runTo(originAt + 200_000);
    assert.deepEqual(
      world.log.map(({ level, event, message }) => [level, event, message]),
      [
        ['warning', 'channel.failed', 'not sent to ops: The message could not be sent (TypeError).'],
        ['warning', 'channel.failed', 'not sent to ops: The message could not be sent (unknown fault).'],
        ['info', 'channel.sent', 'sent to ops: m0 down'],
      ],
    );
    const [failed] = world.log;
    assert.deepEqual(failed?.fields, {
      channel: 'ops',
      delivery_id: world.notified[0]?.message.deliveryId,
      attempts: 1,
    });
    await world.stop();
  });

  it('has none for a message that a stop called off, which is not held against the channel', async () => {
    let callOff: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (callOff = resolve));
    const config = await sketch({ monitors: many(1), channels: ['ops'], windowSecs: 30 });
    const world = new World({
      disk: await openDisk(),
      config,
      startAt: originAt,
      canHang: true,
      answer: async () => {
        await gate;
        return refused();
      },
    });
    await world.sample('m0', 'down');
    await world.runTo(originAt + 31_000);
    const stopping = world.stop();
    callOff();
    await stopping;
    assert.deepEqual(world.log, []);
    const [row] = outbox.due(world.sql, originAt + 31_000, 9);
    assert.deepEqual([row?.attempts, row?.state], [0, 'waiting']);
    assert.deepEqual(channels.list(world.sql), []);
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
        message: 'The result of a delivery could not be written to the database: Error: no space left',
        fields: { channel: 'ops' },
      },
    ]);
    await world.sample('m0', 'up');
    await world.runTo(originAt + 90_000);
    assert.equal(world.notified.filter(({ message }) => message.event === 'recovered').length, 1);
    await world.stop();
  });
});
