/** Links of messages, and reminders: none lost, none doubled, none after an acknowledgement, over crashes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { incidentOfLink } from '../../../src/engine/operations/acknowledge.ts';
import { load } from '../../support/config.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';
import { openDisk, refused, taken, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;

const configOf = async (repeatSecs: number | null = 600, monitors: readonly string[] = ['api']) =>
  (
    await load(`
[server]
base_url = "https://status.example.com"
[alerts]
fail_threshold = 1
group_window_secs = 30
[[channels]]
name = "ops"
type = "webhook"
url = "https://ops.example.com/"
${repeatSecs === null ? '' : `repeat_every_secs = ${repeatSecs}`}
${monitors.map((id) => `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"`).join('\n')}
`)
  ).config;

const ack = (world: World, monitor = 'api') => {
  const open = incidents.listOpen(world.sql).find((each) => each.monitor === monitor);
  const { uid = '' } = open ?? {};
  world.apply(incidents.acknowledge({ uid, at: world.clock.now(), by: 'ann', reason: null }));
  return uid;
};

describe('the link of a message', () => {
  it('is in what says that a monitor is down, in reminders, and in nothing else', async () => {
    const world = new World({ disk: await openDisk(), config: await configOf(), startAt: originAt });
    await world.sample('api', 'down');
    await world.runTo(originAt + 11 * minuteMs);
    await world.sample('api', 'up');
    await world.runTo(originAt + 12 * minuteMs);
    await world.stop();
    assert.deepEqual(
      world.notified.map(({ message }) => [message.event, message.ack !== undefined]),
      [
        ['down', true],
        ['reminder', true],
        ['recovered', false],
      ],
    );
    for (const { message, at } of world.notified.slice(0, 2)) {
      const [, token = ''] = /^https:\/\/status\.example\.com\/ack\/(\S+)$/.exec(message.ack ?? '') ?? [];
      const found = incidentOfLink(world.sql, token, at + 86_000_000);
      assert.deepEqual([found?.incident.monitor, found?.channel], ['api', 'ops']);
      assert.equal(incidentOfLink(world.sql, token, at + 86_400_000), null);
    }
  });

  it('survives a restart', async () => {
    const world = new World({ disk: await openDisk(), config: await configOf(), startAt: originAt });
    await world.sample('api', 'down');
    await world.runTo(originAt + minuteMs);
    world.restart();
    await world.settle();
    const token = world.notified[0]?.message.ack?.split('/ack/')[1] ?? '';
    assert.notEqual(incidentOfLink(world.sql, token, world.clock.now()), null);
    await world.stop();
  });
});

describe('reminders', () => {
  it('stop with an acknowledgement, which the decisions say and count, and go on when it is taken back', async () => {
    const world = new World({ disk: await openDisk(), config: await configOf(), startAt: originAt });
    await world.sample('api', 'down');
    await world.runTo(originAt + 5 * minuteMs);
    const waiting = () => outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 10).map(({ event }) => event);
    assert.deepEqual(waiting(), ['reminder']);
    const uid = ack(world);
    await world.settle();
    assert.deepEqual(waiting(), []);
    await world.runTo(originAt + 40 * minuteMs);
    assert.deepEqual(world.lines(originAt, minuteMs), ['down api 0.5 ops']);
    assert.ok(
      decisions
        .ofIncident(world.sql, uid)
        .some(
          ({ event, verdict, reason }) =>
            event === 'reminder' && verdict === 'spared' && reason === 'acknowledged',
        ),
    );
    assert.equal(decisions.totals(world.sql).find(({ reason }) => reason === 'acknowledged')?.count, 1);
    world.apply(incidents.unacknowledge({ uid }));
    await world.runTo(originAt + 45 * minuteMs);
    await world.sample('api', 'up');
    await world.runTo(originAt + 60 * minuteMs);
    await world.stop();
    assert.deepEqual(
      world.lines(originAt, minuteMs).map((line) => line.split(' ')[0]),
      ['down', 'reminder', 'recovered'],
    );
  });

  it('of many outages that one message named are one message', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
    const world = new World({ disk: await openDisk(), config: await configOf(600, ids), startAt: originAt });
    for (const id of ids) await world.sample(id, 'down');
    await world.runTo(originAt + 15 * minuteMs);
    await world.stop();
    const [reminder, ...more] = world.notified.flatMap(({ message }) =>
      message.event === 'reminder' ? message : [],
    );
    assert.equal(more.length, 0);
    assert.equal(reminder?.impacted.length, 39);
    assert.equal(reminder.incidentIds.length, 40);
  });

  it('wait for a channel that fails, and are one when it works again', async () => {
    let isBroken = false;
    const world = new World({
      disk: await openDisk(),
      config: await configOf(),
      startAt: originAt,
      answer: () => (isBroken ? refused() : taken),
    });
    await world.sample('api', 'down');
    await world.runTo(originAt + 5 * minuteMs);
    isBroken = true;
    await world.runTo(originAt + 40 * minuteMs);
    isBroken = false;
    await world.runTo(originAt + 58 * minuteMs);
    await world.stop();
    const sentAt = world.notified.flatMap(({ message, at }) => (message.event === 'reminder' ? at : []));
    assert.ok(
      sentAt.every((at, index) => at > originAt + 40 * minuteMs && at - (sentAt[index - 1] ?? 0) >= 600_000),
    );
    const waiting = [...outbox.ofIncident(world.sql, incidents.listOpen(world.sql)[0]?.uid ?? '')];
    assert.equal(waiting.filter(({ state }) => state === 'waiting').length, 1);
  });

  const histories = casesOf(60, 1000);
  it(`equal a model on ${histories} histories with crashes: none lost, none doubled, none too many`, async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    const repeatMs = 600_000;
    const config = await configOf(repeatMs / 1000);
    let [reminded, repeats, crashes] = [0, 0, 0];
    for (let history = 0; history < histories; history += 1) {
      let isOn = true;
      const isCrashPoint = () => isOn && random.below(60) === 0;
      const world = new World({ disk, config, startAt: originAt, isCrashPoint });
      await world.runTo(originAt + 1000);
      const failAt = world.clock.now();
      // What crashes before it is written never was.
      for (let tries = 0; incidents.listOpen(world.sql).length === 0 && tries < 50; tries += 1)
        await world.sample('api', 'down');
      const lastsMs = 40_000 + random.below(4 * repeatMs);
      const ackMs = random.below(2) === 0 ? Infinity : 35_000 + random.below(4 * repeatMs);
      if (ackMs < lastsMs) {
        await world.runTo(failAt + ackMs);
        ack(world);
        await world.settle();
      }
      await world.runTo(failAt + lastsMs);
      const expectedUntil = Math.min(lastsMs, ackMs);
      for (let tries = 0; incidents.listOpen(world.sql).length > 0 && tries < 50; tries += 1)
        await world.sample('api', 'up');
      isOn = false;
      await world.runTo(failAt + lastsMs + 3 * repeatMs);
      await world.stop();
      const sent = world.notified.filter(({ message }) => message.event === 'reminder');
      const distinct = new Set(sent.map(({ message }) => message.deliveryId)).size;
      const wanted = Math.floor((expectedUntil - 30_000) / repeatMs);
      const about = `history ${history}: ${lastsMs} ms, acknowledged after ${ackMs} ms`;
      assert.ok(
        Math.abs(distinct - wanted) <= (world.crashes > 0 ? 1 : 0),
        `${about}: ${distinct} of ${wanted}`,
      );
      assert.ok(sent.length - distinct <= world.crashes, `${about}: doubled`);
      assert.ok(
        sent.every(({ at }) => at <= failAt + expectedUntil + 1),
        `${about}: one came after it was over or acknowledged`,
      );
      assert.ok(
        world.notified.some(({ message }) => message.event === 'recovered'),
        `${about}: no recovery`,
      );
      reminded += distinct;
      repeats += sent.length - distinct;
      crashes += world.crashes;
    }
    console.log(`  ${histories} histories, ${reminded} reminders, ${repeats} repeats, ${crashes} crashes`);
    assert.ok(reminded > histories / 2);
  });
});
