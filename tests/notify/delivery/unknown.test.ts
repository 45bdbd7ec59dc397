/** Rule 11: monitors that stay unknown are reported once for all that share the cause, and so is the end of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import type { Recovered } from '../../../src/engine/alerting/events/recovered.ts';
import { episodeOf } from '../../../src/notify/channels/episode.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';
import { openDisk, refused, sketch, taken, World, type Seen } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const second = 1000;
const monitors = ['a', 'b', 'c'].map((id) => ({ id }));
const config = await sketch({ monitors, channels: ['ops'] });
const disk = await openDisk();

/** Three checks in a row that could not be made, ten seconds apart, for each of `ids`; confirmed at `fromAt` + 20 s. */
async function block(world: World, ids: readonly string[], fromSecs: number): Promise<void> {
  for (let check = 0; check < 3; check += 1) {
    await world.runTo(originAt + (fromSecs + 10 * check) * second);
    for (const id of ids) await world.sample(id, 'resolver');
  }
}

function recoveries(world: World): Recovered[] {
  return world.notified.flatMap(({ message }) => (message.event === 'recovered' ? [message] : []));
}

describe('monitors that cannot be checked', () => {
  it('are named in one message, with those that are not confirmed yet', async () => {
    const world = new World({ disk, config, startAt: originAt });
    for (const id of ['a', 'b', 'c']) await world.sample(id, 'up');
    await world.runTo(originAt + 5 * second);
    await world.sample('c', 'resolver');
    await block(world, ['a', 'b'], 10);
    await world.runTo(originAt + 120 * second);
    assert.deepEqual(world.lines(originAt), ['unknown a 60 ops']);
    const [sent] = world.notified;
    assert.ok(sent?.message.event === 'unknown');
    assert.deepEqual(
      sent.message.impacted.map(({ id }) => id),
      ['b', 'c'],
    );
    assert.equal(sent.message.ownFault, 'resolver');
    assert.equal(sent.message.incidentIds.length, 2);
    const rows = incidents.listOpen(world.sql).flatMap(({ uid }) => outbox.ofIncident(world.sql, uid));
    assert.deepEqual(
      rows.map(({ state, payload }) => [state, fieldsOf(payload)['copies']]),
      [
        ['sent', undefined],
        ['sent', undefined],
      ],
    );
    await world.stop();
  });

  it('are not reported again when a slower one is confirmed after the message was sent', async () => {
    const world = new World({ disk, config, startAt: originAt });
    for (const id of ['a', 'b']) await world.sample(id, 'up');
    await block(world, ['a'], 10);
    await block(world, ['b'], 70);
    await world.runTo(originAt + 600 * second);
    assert.deepEqual(world.lines(originAt), ['unknown a 60 ops']);
    const held = decisions
      .ofMonitor(world.sql, 'b', { at: originAt + 600 * second, limit: 100 })
      .filter(({ verdict, reason }) => verdict === 'held' && reason === 'same_cause');
    assert.equal(held.length, 1, 'the record says why, once');
    await world.stop();
  });

  it('are reported again when they could be checked in between, and not for a last answer of before', async () => {
    for (const [upAtSecs, expected] of [
      [70, ['unknown a 60 ops']],
      [71, ['unknown a 60 ops', 'unknown b 130 ops']],
    ] as const) {
      const world = new World({ disk, config, startAt: originAt });
      for (const id of ['a', 'b']) await world.sample(id, 'up');
      await block(world, ['a'], 10);
      await world.runTo(originAt + upAtSecs * second);
      await world.sample('b', 'up');
      await block(world, ['b'], 80);
      await world.runTo(originAt + 290 * second);
      assert.deepEqual(world.lines(originAt), expected, `b was checked ${upAtSecs} s from the beginning`);
      await world.stop();
    }
  });

  it('are reported at once when the one whose message covered them is gone', async () => {
    for (const answered of [['a', 'b'], ['a']]) {
      const world = new World({ disk, config, startAt: originAt });
      for (const id of answered) await world.sample(id, 'up');
      await block(world, ['a'], 10);
      await block(world, ['b'], 70);
      await world.runTo(originAt + 140 * second);
      world.reload(await sketch({ monitors: monitors.slice(1), channels: ['ops'] }));
      await world.runTo(originAt + 150 * second);
      assert.deepEqual(
        world.lines(originAt),
        ['unknown a 60 ops', 'recovered a 140 ops', 'unknown b 140 ops'],
        `${answered.join(' and ')} could be checked before`,
      );
      await world.stop();
    }
  });

  it('are not reported between the end of a cause and the message about it', async () => {
    for (const [truth, expected] of [
      ['up', []],
      ['resolver', ['unknown b 120 ops']],
    ] as const) {
      const world = new World({ disk, config, startAt: originAt, truth: () => truth });
      for (const id of ['a', 'b']) await world.sample(id, 'up');
      await block(world, ['a'], 10);
      // Due at 115, while the recovery of a waits for others until 120.
      await block(world, ['b'], 65);
      await world.runTo(originAt + 110 * second);
      await world.sample('a', 'up');
      await world.runTo(originAt + 150 * second);
      assert.deepEqual(world.lines(originAt), ['unknown a 60 ops', 'recovered a 120 ops', ...expected]);
      assert.ok(world.asked.includes('b'));
      await world.stop();
    }
  });

  it('are checked when one of them can be, and one message says what was found', async () => {
    const truth: Record<string, Seen> = { b: 'down', c: 'up' };
    const world = new World({ disk, config, startAt: originAt, truth: (id) => truth[id] ?? 'unknown' });
    for (const { id } of monitors) await world.sample(id, 'up');
    await block(world, ['a', 'b'], 10);
    // The message names it before it is confirmed.
    await block(world, ['c'], 45);
    await world.runTo(originAt + 300 * second);
    await world.sample('a', 'up');
    await world.runTo(originAt + 400 * second);
    assert.deepEqual(world.lines(originAt), ['unknown a 60 ops', 'recovered a 310 ops']);
    assert.deepEqual([...new Set(world.asked)].sort(), ['b', 'c']);
    const recovered = recoveries(world)[0] ?? assert.fail();
    assert.equal(recovered.from, 'unknown');
    assert.deepEqual(
      recovered.found?.map(({ id, state }) => `${id} ${state}`),
      ['a up', 'c up', 'b failing'],
    );
    assert.equal(recovered.startedAt, originAt + 10 * second);
    await world.stop();
  });

  it('are reported when the network of this node is there again and they still cannot be checked', async () => {
    const world = new World({ disk, config, startAt: originAt, truth: () => 'resolver' });
    for (const { id } of monitors) await world.sample(id, 'up');
    await block(world, ['a', 'b'], 10);
    const lost = { state: 'lost', sinceAt: originAt, reason: '3 of 3 hosts cannot be reached', by: 'hosts' };
    world.apply(meta.set({ name: 'network', value: lost }));
    await world.runTo(originAt + 300 * second);
    assert.deepEqual(world.lines(originAt), []);
    world.apply(meta.set({ name: 'network', value: null }));
    await world.runTo(originAt + 320 * second);
    assert.equal(world.notified.length, 1);
    await world.stop();
  });

  it('are not named with others while they are silenced', async () => {
    const world = new World({ disk, config, startAt: originAt });
    for (const id of ['a', 'b', 'c']) await world.sample(id, 'up');
    const untilAt = originAt + 600 * second;
    world.apply(silences.add({ monitors: ['c'], untilAt, reason: null, createdAt: originAt }));
    await block(world, ['a', 'b', 'c'], 10);
    await world.runTo(originAt + 120 * second);
    const [sent] = world.notified;
    assert.ok(sent?.message.event === 'unknown');
    assert.deepEqual(
      sent.message.impacted.map(({ id }) => id),
      ['b'],
    );
    await world.stop();
  });

  it('are reported with the lifting of a silence, and not while it lasts', async () => {
    const world = new World({ disk, config, startAt: originAt, truth: () => 'resolver' });
    await world.sample('a', 'up');
    const until = originAt + 200 * second;
    world.apply(silences.add({ monitors: ['a'], untilAt: until, reason: null, createdAt: originAt }));
    await block(world, ['a'], 10);
    await world.runTo(originAt + 190 * second);
    assert.deepEqual(world.lines(originAt), []);
    await world.runTo(originAt + 205 * second);
    assert.equal(world.notified.length, 1);
    await world.stop();
  });

  it('have one recovery when the message was on its way as checks became possible', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const world = new World({
      disk,
      config,
      startAt: originAt,
      canHang: true,
      answer: async (message) => {
        if (message.event === 'unknown') await gate;
        return taken;
      },
    });
    for (const { id } of monitors) await world.sample(id, 'up');
    await block(world, ['a', 'b'], 10);
    await world.runTo(originAt + 61 * second);
    for (const id of ['a', 'b']) await world.sample(id, 'up');
    release();
    await world.settle();
    await world.settle();
    await world.runTo(originAt + 120 * second);
    assert.deepEqual(
      world.notified.map(({ message }) => message.event),
      ['unknown', 'recovered'],
    );
    assert.deepEqual(
      recoveries(world)[0]?.impacted.map(({ id }) => id),
      ['b'],
    );
    await world.stop();
  });

  it('are named once when they can be checked again, however often they were named before', async () => {
    const world = new World({ disk, config, startAt: originAt, truth: () => 'up' });
    for (const { id } of monitors) await world.sample(id, 'up');
    await world.runTo(originAt + 5 * second);
    await world.sample('c', 'resolver');
    await block(world, ['a', 'b'], 10);
    // c was named as not confirmed, and is confirmed after the message.
    await block(world, ['c'], 70);
    await world.runTo(originAt + 200 * second);
    for (const id of ['a', 'b', 'c']) await world.sample(id, 'up');
    await world.runTo(originAt + 600 * second);
    assert.deepEqual(
      world.notified.map(({ message }) => message.event),
      ['unknown', 'recovered'],
    );
    const [again] = recoveries(world);
    assert.deepEqual(
      again?.found?.map(({ id, state }) => `${id} ${state}`),
      ['a up', 'c up', 'b up'],
    );
    assert.deepEqual(again.impacted, [
      { id: 'c', name: 'c' },
      { id: 'b', name: 'b' },
    ]);
    await world.stop();
  });

  it('are found as what they are then: up, failing, degraded; what still cannot be checked comes later', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    const extra = 'alert_on_degraded = true';
    const four = await sketch({ monitors: ids.map((id) => ({ id })), channels: ['ops'], extra });
    const seen: Record<string, Seen> = { b: 'down', c: 'slow', d: 'resolver' };
    const world = new World({ disk, config: four, startAt: originAt, truth: (id) => seen[id] ?? 'up' });
    await block(world, ids, 10);
    await world.runTo(originAt + 100 * second);
    await world.sample('a', 'up');
    await world.runTo(originAt + 600 * second);
    const [again] = recoveries(world);
    assert.deepEqual(
      again?.found?.map(({ id, state }) => `${id} ${state}`),
      ['a up', 'b failing', 'c degraded'],
    );
    await world.stop();
  });

  it('that are not configured any more are not found, and the one that ends the message is named', async () => {
    const world = new World({ disk, config, startAt: originAt, truth: () => 'up' });
    for (const { id } of monitors) await world.sample(id, 'up');
    await world.runTo(originAt + 5 * second);
    await world.sample('c', 'resolver');
    await block(world, ['a', 'b'], 10);
    await world.runTo(originAt + 100 * second);
    world.reload(await sketch({ monitors: [{ id: 'b' }], channels: ['ops'] }));
    await world.runTo(originAt + 600 * second);
    assert.deepEqual(
      recoveries(world).map(({ monitor, found, isRemoved }) => [
        monitor.id,
        found?.map(({ id, state }) => `${id} ${state}`),
        isRemoved,
      ]),
      [['a', ['a unknown', 'b up'], false]],
    );
    await world.stop();
  });

  it('are reported late, once for all, when the channel took nothing while it lasted', async () => {
    let isBroken = true;
    const world = new World({
      disk,
      config,
      startAt: originAt,
      answer: () => (isBroken ? refused() : taken),
    });
    for (const { id } of monitors) await world.sample(id, 'up');
    await block(world, ['a', 'b'], 10);
    await world.runTo(originAt + 100 * second);
    for (const id of ['a', 'b']) await world.sample(id, 'up');
    isBroken = false;
    await world.runTo(originAt + 1800 * second);
    assert.equal(world.notified.length, 1);
    const [late] = recoveries(world);
    assert.ok(late?.isLate === true && late.from === 'unknown');
    assert.deepEqual(
      late.impacted.map(({ id }) => id),
      ['b'],
    );
    await world.stop();
  });

  it('end the alert of a vendor that resolves with the last of those it was about, and no other alert', async () => {
    const world = new World({ disk, config, startAt: originAt, truth: () => 'resolver' });
    for (const { id } of monitors) await world.sample(id, 'up');
    await block(world, ['a', 'b'], 10);
    await world.runTo(originAt + 71 * second);
    // It could be checked meanwhile, so it has an alert of its own.
    await world.sample('c', 'up');
    await block(world, ['c'], 80);
    await world.runTo(originAt + 200 * second);
    for (const id of ['a', 'b', 'c']) {
      await world.sample(id, 'up');
      await world.runTo(world.clock.now() + 100 * second);
    }
    const episodes = world.notified.map(({ message }) => episodeOf(message) ?? assert.fail());
    const [first = assert.fail(), later = assert.fail()] = episodes;
    assert.notEqual(first.key, later.key);
    assert.deepEqual(
      episodes.map(({ key, phase }) => [key === first.key ? 'a' : key === later.key ? 'c' : key, phase]),
      [
        ['a', 'begins'],
        ['c', 'begins'],
        ['a', 'goes_on'],
        ['a', 'ends'],
        ['c', 'ends'],
      ],
    );
    await world.stop();
  });

  const histories = casesOf(100, 200);
  it(`are reported and recovered from in ${histories} random histories with crashes`, async () => {
    const seed = printedSeed();
    for (let index = 0; index < histories; index += 1) await assertHistory(seed + index);
  });
});

/** Resolvers die for a while for some monitors, with crashes at any point: one message each, and one recovery. */
async function assertHistory(seed: number): Promise<void> {
  const random = randomOf(seed);
  const isDead = new Map<string, boolean>();
  const seen = (id: string): Seen => (isDead.get(id) === true ? 'resolver' : 'up');
  const world = new World({
    disk,
    config,
    startAt: originAt,
    truth: seen,
    isCrashPoint: () => random.below(60) === 0,
  });
  let now = originAt;
  const run = async (secs: number): Promise<void> => {
    for (const endAt = now + secs * second; now < endAt; now += 10 * second) {
      await world.runTo(now);
      for (const [order, { id }] of monitors.entries())
        if ((now / second) % (order === 2 ? 30 : 10) === 0) await world.sample(id, seen(id));
    }
  };
  const affected = monitors.filter(() => random.below(3) > 0).map(({ id }) => id);
  await run(60);
  const blindSecs = random.pick([10, 20, 200, 400]);
  for (const id of affected) isDead.set(id, true);
  await run(blindSecs);
  isDead.clear();
  await run(300);
  const about = `seed ${seed}: ${world.lines(originAt).join(', ')}; ${affected.join(' ')} for ${blindSecs} s`;
  const reported = world.notified.filter(({ message }) => message.event === 'unknown');
  const ended = recoveries(world);
  if (affected.length === 0 || blindSecs <= 20) assert.equal(world.notified.length, 0, about);
  else {
    assert.ok(reported.length >= 1 && reported.length <= 1 + world.crashes, about);
    assert.ok(ended.length >= 1 && ended.length <= 1 + world.crashes, about);
    const named = new Set(
      ended.flatMap(({ monitor, impacted }) => [monitor, ...impacted].map(({ id }) => id)),
    );
    const promised = reported.flatMap(({ message }) =>
      message.event === 'unknown' ? [message.monitor, ...message.impacted].map(({ id }) => id) : [],
    );
    for (const id of promised) assert.ok(named.has(id), `${about}: ${id} has no recovery`);
    for (const id of promised) assert.ok(affected.includes(id), `${about}: ${id} was well`);
    assert.ok(
      world.notified.every(({ message }) => message.event === 'unknown' || message.event === 'recovered'),
      about,
    );
  }
  await world.stop();
}
