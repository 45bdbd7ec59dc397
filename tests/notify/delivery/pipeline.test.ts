/** The pipeline as a whole: faults while deciding, a clock that is set, what other processes write, and its end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import type { StoreChange } from '../../../src/db/wal/applier.ts';
import { shiftClock } from '../../../src/db/tables/clock.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import { createPipeline, type PipelineOptions } from '../../../src/notify/delivery.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { openDisk, sketch, taken, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const disk = await openDisk();
const monitors = ['api', 'db'].map((id) => ({ id, failThreshold: 1 }));
const config = await sketch({ monitors, channels: ['ops'] });

function worldOf(how: Partial<WorldOptions> = {}): World {
  return new World({ disk, config, startAt: originAt, truth: () => 'down', ...how });
}

function silence(world: World, untilSecs: number): number {
  const operation = silences.add({
    monitors: ['api'],
    untilAt: at(untilSecs),
    reason: null,
    createdAt: world.clock.now(),
  });
  world.apply(operation);
  return silences.active(world.sql, world.clock.now())[0]?.id ?? 0;
}

describe('the end of an incident that is not in the record any more', () => {
  it('is taken for what it is, and the next outage is alerted', async () => {
    const world = worldOf({});
    world.apply(incidents.close({ uid: 'gone', endedAt: originAt }));
    await world.sample('api', 'down');
    await world.runTo(at(100));
    assert.deepEqual(world.lines(originAt), ['down api 30 ops']);
    assert.deepEqual(
      world.log.filter(({ level }) => level === 'error'),
      [],
    );
    await world.stop();
  });
});

describe('a fault while deciding', () => {
  it('delays what was to be decided by a second, and is in the log', async () => {
    let faults = 0;
    const world = worldOf({
      canHang: true,
      tamper: (operations) => {
        if (faults === 0 || operations.every(([name]) => name !== 'outbox.change')) return operations;
        faults -= 1;
        throw new Error('it does not fit');
      },
    });
    const id = silence(world, 900);
    await world.sample('api', 'down');
    await world.runTo(at(100));
    // The alert is not due before the end of the silence: only this has it decided again.
    faults = 1;
    world.apply(silences.clear({ id }));
    await world.runTo(at(110));
    assert.deepEqual(world.lines(originAt), ['down api 101 ops']);
    assert.deepEqual(
      world.log.filter(({ level }) => level === 'error'),
      [
        {
          level: 'error',
          event: 'pipeline.failed',
          message: 'Routing of an event failed: Error: it does not fit',
        },
      ],
    );
    await world.stop();
  });

  it('that lasts is met once a second', async () => {
    let faults = 0;
    let isBroken = false;
    const world = worldOf({
      tamper: (operations) => {
        if (!isBroken || operations.every(([name]) => name !== 'outbox.change')) return operations;
        faults += 1;
        throw new Error('it does not fit');
      },
      canHang: true,
    });
    const id = silence(world, 900);
    await world.sample('api', 'down');
    await world.runTo(at(100));
    isBroken = true;
    world.apply(silences.clear({ id }));
    // What is written meanwhile does not hasten it.
    for (let tenth = 1; tenth < 50; tenth += 1) {
      await world.runTo(at(100 + tenth / 10));
      world.apply(silences.clear({ id }));
    }
    await world.runTo(at(120));
    assert.equal(faults, 21);
    isBroken = false;
    await world.runTo(at(130));
    assert.deepEqual(world.lines(originAt), ['down api 121 ops']);
    await world.stop();
  });
});

describe('a clock that is set', () => {
  it('keeps nothing waiting for longer than a minute', async () => {
    const world = worldOf();
    silence(world, 3600);
    await world.sample('api', 'down');
    await world.runTo(at(130));
    // Nothing wakes it from here on but the time.
    await world.settle();
    world.clock.step(3_600_000);
    await world.runTo(at(3600 + 191));
    assert.equal(world.notified.length, 1);
    await world.stop();
  });

  it('neither delays nor hastens an alert, whichever way', async () => {
    for (const byMs of [-3_600_000, 3_600_000]) {
      const world = worldOf();
      await world.runTo(at(10));
      await world.sample('api', 'down');
      await world.runTo(at(20));
      world.clock.step(byMs);
      world.apply(shiftClock({ byMs, sinceAt: originAt, at: world.clock.now() }));
      await world.runTo(at(200) + byMs);
      assert.deepEqual(
        world.notified.map((each) => each.at - byMs),
        [at(40)],
      );
      await world.stop();
    }
  });

  it('past the end of quiet hours ends them', async () => {
    const loaded = await load(
      [
        '[alerts]\nfail_threshold = 1\ngroup_window_secs = 30',
        '[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"\nquiet_hours = "23:00-07:00"',
        '[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"',
      ].join('\n'),
    );
    const world = worldOf({ config: loaded.config });
    await world.sample('api', 'down');
    await world.runTo(at(100));
    const byMs = 8 * 3_600_000;
    world.clock.step(byMs);
    world.apply(shiftClock({ byMs, sinceAt: originAt, at: world.clock.now() }));
    await world.settle();
    assert.equal(world.notified.length, 1);
    await world.stop();
  });
});

describe('what another process wrote before a message goes out', () => {
  it('holds it back when it is a silence, or a maintenance window, over its monitor', async () => {
    let isWritten = false;
    const world: World = worldOf({
      refresh: () => {
        if (!isWritten) silence(world, 900);
        isWritten = true;
      },
    });
    await world.sample('api', 'down');
    await world.runTo(at(100));
    assert.deepEqual(world.lines(originAt), []);
    await world.runTo(at(1000));
    assert.deepEqual(world.lines(originAt), ['down api 900 ops']);
    await world.stop();
  });

  it('drops a reminder when it is an acknowledgement', async () => {
    const loaded = await load(
      [
        '[alerts]\nfail_threshold = 1\ngroup_window_secs = 30',
        '[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"\nrepeat_every_secs = 600',
        '[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"',
      ].join('\n'),
    );
    const world: World = worldOf({
      config: loaded.config,
      refresh: () => {
        const [open] = incidents.listOpen(world.sql);
        if (world.clock.now() < at(600) || open === undefined || open.acknowledged !== null) return;
        world.apply(incidents.acknowledge({ uid: open.uid, at: world.clock.now(), by: null, reason: null }));
      },
    });
    await world.sample('api', 'down');
    await world.runTo(at(3600));
    assert.deepEqual(world.lines(originAt), ['down api 30 ops']);
    await world.stop();
  });

  it('is asked for once a round that sends something, and in no other', async () => {
    let count = 0;
    const world = worldOf({ refresh: () => (count += 1) });
    await world.sample('api', 'down');
    await world.runTo(at(29));
    assert.equal(count, 0);
    await world.runTo(at(100));
    assert.equal(count, 1);
    await world.stop();
  });
});

describe('the record', () => {
  it('is never written to without anything to write', async () => {
    const written: (readonly Operation[])[] = [];
    const world = worldOf({
      tamper: (operations) => {
        written.push(operations);
        return operations;
      },
    });
    for (const { id } of monitors) await world.sample(id, 'down');
    silence(world, 60);
    await world.runTo(at(100));
    world.reload(config);
    await world.runTo(at(200));
    for (const { id } of monitors) await world.sample(id, 'up');
    await world.runTo(at(300));
    await world.stop();
    assert.ok(written.length > 5);
    assert.deepEqual(
      written.filter((operations) => operations.length === 0),
      [],
    );
    const before = written.length;
    const again = worldOf();
    await again.runTo(at(200));
    await again.stop();
    assert.equal(written.length, before);
  });
});

/** A pipeline alone, with one alert that is due; `deliver` and `write` are the test's. */
async function pipelineOf(
  how: {
    readonly deliver?: PipelineOptions['deliver'];
    readonly write?: (apply: () => void, operations: readonly Operation[]) => Promise<void>;
  } = {},
) {
  const facts = await openFacts();
  const clock = new VirtualClock(at(100));
  const options: unknown[] = [];
  const listeners = new Set<(change: StoreChange) => void>();
  const times = { startedAt: originAt, confirmedAt: originAt };
  facts.apply(
    incidents.open({
      uid: 'first',
      monitor: 'api',
      name: 'api',
      ...times,
      category: 'timeout',
      reason: null,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    outbox.put({
      deliveryId: 'first.down.ops',
      channel: 'ops',
      event: 'down',
      monitor: 'api',
      incident: 'first',
      payload: { ...times, windowEndsAt: at(30), hold: null },
      createdAt: originAt,
      nextAt: at(100),
    }),
  );
  const pipeline = createPipeline({
    askPeer: null,
    config: () => config satisfies Config,
    store: {
      sql: facts.sql,
      write: async (operations, given) => {
        options.push(given);
        const apply = () => {
          facts.apply(...operations);
          for (const listener of listeners) listener({ operations, isForeign: false });
        };
        if (how.write === undefined) apply();
        else await how.write(apply, operations);
        return [];
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    clock,
    log: () => undefined,
    engine: { stateOf: () => null, checkAnew: () => Promise.resolve(), heardAgainBy: () => null },
    deliver: how.deliver ?? (() => Promise.resolve(taken)),
  });
  const stateOf = () => outbox.find(facts.sql, 'first.down.ops')?.state;
  return { facts, clock, pipeline, options, listeners, stateOf };
}

const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Whether `work` is done by itself, without time passing. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  void work.then(() => (isOver = true));
  await turns();
  return isOver;
}

describe('the end of the pipeline', () => {
  it('breaks off what is on its way, and waits until what came of it is written', async () => {
    const aborted: unknown[] = [];
    const { pipeline, stateOf, listeners } = await pipelineOf({
      deliver: (_, __, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted.push(signal.reason);
            setImmediate(() => {
              resolve(taken);
            });
          });
        }),
    });
    await turns();
    assert.equal(listeners.size, 1);
    await pipeline.stop();
    assert.deepEqual(aborted, [new Error('the pipeline is stopped')]);
    assert.equal(stateOf(), 'sent');
    assert.equal(listeners.size, 0);
  });

  it('needs no time while it rests, and ends the waiting for what is due', async () => {
    let answer: (delivered: Delivered) => void = () => undefined;
    const { pipeline } = await pipelineOf({ deliver: () => new Promise((resolve) => (answer = resolve)) });
    const settled = pipeline.settle();
    assert.equal(await isDone(settled), false);
    const stopped = pipeline.stop();
    assert.equal(await isDone(stopped), false);
    answer(taken);
    assert.equal(await isDone(stopped), true);
    assert.equal(await isDone(settled), true);
    const resting = await pipelineOf();
    assert.equal(await isDone(resting.pipeline.settle()), true);
    assert.equal(resting.stateOf(), 'sent');
    assert.equal(await isDone(resting.pipeline.stop()), true);
  });

  it('needs no time after a fault, and sends nothing more', async () => {
    let fail: (error: Error) => void = () => undefined;
    let sent = 0;
    const { pipeline, stateOf } = await pipelineOf({
      write: () => new Promise((_, reject) => (fail = reject)),
      deliver: () => {
        sent += 1;
        return Promise.resolve(taken);
      },
    });
    await turns();
    const stopped = pipeline.stop();
    fail(new Error('the disk is gone'));
    assert.equal(await isDone(stopped), true);
    assert.equal(stateOf(), 'waiting');
    assert.equal(sent, 0);
  });
});

describe('what the pipeline writes', () => {
  it('need not be durable: alerts leave while the disk is full', async () => {
    const { pipeline, options, facts } = await pipelineOf();
    await pipeline.settle();
    await pipeline.stop();
    assert.ok(options.length > 0);
    for (const each of options) assert.deepEqual(each, { mustBeDurable: false });
    assert.ok(decisions.ofIncident(facts.sql, 'first').some(({ verdict }) => verdict === 'told'));
  });
});
