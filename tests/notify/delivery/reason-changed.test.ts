/** The reason of an outage changes while it lasts: what the record, later messages and whoever knows of it are told. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockRecord } from '../../../src/db/tables/clock.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Reason } from '../../../src/engine/core/probe.ts';
import { load } from '../../support/config.ts';
import { openDisk, taken, unanswered, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const disk = await openDisk();

const error: Reason = { category: 'status', message: 'status 503, expected 200-299' };
const refused: Reason = { category: 'connection', message: 'connection refused by 192.0.2.7:443' };
const slow = (secs: number): Reason => ({ category: 'timeout', message: `no answer within ${secs} s` });

const configOf = async ({ ops = '', repeat = 0, ids = ['api'] } = {}) =>
  (
    await load(
      [
        '[alerts]\nfail_threshold = 1\ngroup_window_secs = 60',
        `[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"\n${ops}`,
        ...(repeat === 0 ? [] : [`repeat_every_secs = ${repeat}`]),
        ...ids.map((id) => `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"`),
      ].join('\n'),
    )
  ).config;

async function worldOf(given = {}, answer: WorldOptions['answer'] = () => taken): Promise<World> {
  return new World({ disk, config: await configOf(given), startAt: originAt, answer });
}

const run = (world: World, minutes: number) => world.runTo(originAt + minutes * minuteMs);

async function fails(world: World, reason: Reason, ...minutes: readonly number[]): Promise<void> {
  for (const at of minutes) {
    await run(world, at);
    await world.sample('api', 'down', reason);
  }
}

const openOf = (world: World) => incidents.listOpen(world.sql).find(({ monitor }) => monitor === 'api');

function acknowledge(world: World): void {
  const uid = openOf(world)?.uid ?? '';
  world.apply(incidents.acknowledge({ uid, at: world.clock.now(), by: 'ann', reason: null }));
}

const lines = (world: World) =>
  world.notified.map(({ at, message }) => {
    const latest = 'latest' in message ? (message.latest?.category ?? '') : 'first';
    return `${message.event} ${(at - originAt) / minuteMs} ${latest}`;
  });

/** Down with a 503 from the start, told after a minute. */
async function down(world: World): Promise<void> {
  await fails(world, error, 0, 1);
  await run(world, 2);
}

describe('the latest reason of an outage', () => {
  it('is one that two failing checks in a row gave, since the first of them; the first reason stays', async () => {
    const world = await worldOf();
    await down(world);
    await fails(world, refused, 3);
    await fails(world, error, 4);
    await fails(world, refused, 5);
    assert.equal(openOf(world)?.latest, null);
    await fails(world, refused, 6);
    const { category, reason, latest } = openOf(world) ?? {};
    assert.deepEqual([category, reason], [error.category, error.message]);
    assert.deepEqual(latest, {
      sinceAt: originAt + 5 * minuteMs,
      category: refused.category,
      reason: refused.message,
    });
    await world.stop();
  });

  it('is not written again for numbers that change, nor by an answer between, nor by a check that was not made', async () => {
    const world = await worldOf();
    await down(world);
    await fails(world, slow(10.01), 3);
    await world.sample('api', 'unknown');
    await fails(world, slow(9), 4);
    const known = openOf(world)?.latest;
    assert.deepEqual([known?.category, known?.reason], ['timeout', 'no answer within 9 s']);
    await fails(world, slow(11.5), 5, 6, 7);
    assert.deepEqual(openOf(world)?.latest, known);
    await world.stop();
  });

  it('outlives a restart between the two checks, and moves with the clock', async () => {
    const world = await worldOf();
    await down(world);
    await fails(world, refused, 3);
    world.restart();
    await fails(world, refused, 4);
    assert.equal(openOf(world)?.latest?.sinceAt, originAt + 3 * minuteMs);
    world.restart();
    await fails(world, refused, 5, 6);
    assert.equal(openOf(world)?.latest?.sinceAt, originAt + 3 * minuteMs);
    world.clock.step(-3_600_000);
    world.apply(clockRecord.shift({ byMs: -3_600_000, sinceAt: 0, at: world.clock.now() }));
    assert.equal(openOf(world)?.latest?.sinceAt, originAt + 3 * minuteMs - 3_600_000);
    await world.stop();
  });

  it('is in reminders and in the recovery', async () => {
    const world = await worldOf({ repeat: 600 });
    await down(world);
    await fails(world, refused, 3, 4);
    await run(world, 12);
    await world.sample('api', 'up');
    await run(world, 13);
    assert.deepEqual(lines(world), ['down 1 first', 'reminder 11 connection', 'recovered 12 connection']);
    await world.stop();
  });
});

describe('the reason of an acknowledged outage', () => {
  it('is told once when it is of another category, to the channels that know of the outage', async () => {
    const world = await worldOf();
    await down(world);
    acknowledge(world);
    await fails(world, refused, 3, 4, 5, 6);
    await run(world, 30);
    assert.deepEqual(lines(world), ['down 1 first', 'reminder 4 connection']);
    const [, said] = world.notified;
    assert.equal(said?.message.event === 'reminder' && said.message.because, 'reason_changed');
    const decided = decisions.ofIncident(world.sql, openOf(world)?.uid ?? '').map(({ reason }) => reason);
    assert.ok(decided.includes('reason_changed'));
    await world.stop();
  });

  it('is not told without an acknowledgement, nor in other words of its category', async () => {
    const open = await worldOf();
    await down(open);
    await fails(open, refused, 3, 4);
    await run(open, 30);
    assert.deepEqual(lines(open), ['down 1 first']);
    await open.stop();
    const same = await worldOf();
    await down(same);
    acknowledge(same);
    await fails(same, { ...error, message: 'status 404, expected 200-299' }, 3, 4);
    await run(same, 30);
    assert.deepEqual(lines(same), ['down 1 first']);
    assert.equal(openOf(same)?.latest?.reason, 'status 404, expected 200-299');
    await same.stop();
  });

  it('is told once for each category and at most once in a group window, whatever it flaps between', async () => {
    const world = await worldOf();
    await down(world);
    acknowledge(world);
    for (let minute = 3; minute < 20; minute += 1) {
      await fails(world, refused, minute, minute + 0.1);
      await fails(world, slow(10), minute + 0.2, minute + 0.3);
      await fails(world, error, minute + 0.4, minute + 0.5);
    }
    await run(world, 40);
    const reminders = world.notified.filter(({ message }) => message.event === 'reminder');
    assert.ok(reminders.length <= 2, lines(world).join(', '));
    const [first, second] = reminders.map(({ at }) => at);
    assert.ok(second === undefined || second - (first ?? 0) >= minuteMs);
    await world.stop();
  });

  it('waits out the group window after the last one, and says the latest when it is sent', async () => {
    const world = await worldOf();
    await down(world);
    acknowledge(world);
    await fails(world, refused, 3, 3.1);
    await fails(world, slow(10), 3.2, 3.3);
    await fails(world, { category: 'tls', message: 'no secure connection' }, 3.4, 3.5);
    await run(world, 40);
    assert.deepEqual(lines(world), ['down 1 first', 'reminder 3.1 connection', 'reminder 4.1 tls']);
    await world.stop();
  });

  it('is not told after the recovery, in a silence, or in quiet hours before they end', async () => {
    const over = await worldOf();
    await down(over);
    acknowledge(over);
    const until = (minutes: number) => originAt + minutes * minuteMs;
    over.apply(silences.add({ monitors: ['api'], untilAt: until(10), reason: null, createdAt: until(2) }));
    await fails(over, refused, 3, 4);
    await run(over, 9);
    await over.sample('api', 'up');
    await run(over, 20);
    assert.deepEqual(lines(over), ['down 1 first', 'recovered 10 connection']);
    await over.stop();
    const quiet = await worldOf({ ops: 'quiet_hours = "00:02-00:10"\ntimezone = "UTC"' });
    await down(quiet);
    acknowledge(quiet);
    await fails(quiet, refused, 3, 4);
    await run(quiet, 20);
    assert.deepEqual(lines(quiet), ['down 1 first', 'reminder 10 connection']);
    await quiet.stop();
  });

  it('is told all the same when the acknowledgement is withdrawn, and reminders go on beside it', async () => {
    const world = await worldOf({ repeat: 600 });
    await down(world);
    acknowledge(world);
    await fails(world, refused, 3, 4);
    world.apply(incidents.unacknowledge({ uid: openOf(world)?.uid ?? '' }));
    await run(world, 25);
    assert.deepEqual(lines(world), [
      'down 1 first',
      'reminder 4 connection',
      'reminder 14 connection',
      'reminder 24 connection',
    ]);
    await world.stop();
  });

  it('is told once over crashes, and by copies of one delivery where no answer came', async () => {
    let isSilent = false;
    const world = await worldOf({}, () => (isSilent ? unanswered : taken));
    await down(world);
    acknowledge(world);
    await fails(world, refused, 3);
    world.restart();
    isSilent = true;
    await fails(world, refused, 4);
    await run(world, 4.2);
    world.restart();
    isSilent = false;
    await run(world, 20);
    assert.deepEqual(lines(world), ['down 1 first', 'reminder 4.5 connection']);
    await world.stop();
  });
});
