/** Reminders: what holds one back, and what ends them, beside an acknowledgement. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { load } from '../../support/config.ts';
import { openDisk, refused, taken, World, type Seen, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const disk = await openDisk();

/** Two channels, reminded every ten minutes. `api` depends on `db`, which alerts nobody but ops where it is `toOps`. */
async function configOf({ repeat = 600, toOps = false, rotation = '', mailTo = '' } = {}) {
  const channel = (name: string) =>
    `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"${repeat === 0 ? '' : `\nrepeat_every_secs = ${repeat}`}`;
  const monitor = (id: string, more: string) =>
    `[[monitors]]\nid = "${id}"\nname = "The ${id}"\ntarget = "http://127.0.0.1/"\n${more}`;
  const routed = rotation === '' ? '' : '\nnotify = ["primary"]';
  return (
    await load(
      [
        '[alerts]\nfail_threshold = 1\ngroup_window_secs = 30\nchannel_fail_threshold = 100',
        channel('ops'),
        channel('sms'),
        rotation,
        monitor('db', toOps ? 'notify = ["ops"]' : routed),
        monitor('api', `depends_on = ["db"]${routed}`),
        monitor('mail', mailTo === '' ? routed : `notify = ["${mailTo}"]`),
      ].join('\n'),
    )
  ).config;
}

type Options = Parameters<typeof configOf>[0];

async function worldOf(
  options: Options = {},
  truth: (monitor: string) => Seen = () => 'down',
  answer: WorldOptions['answer'] = () => taken,
) {
  return new World({ disk, config: await configOf(options), startAt: originAt, truth, answer });
}

const run = (world: World, minutes: number) => world.runTo(originAt + minutes * minuteMs);

/** What one channel was sent, as `event monitor minutes`. */
const linesOf = (world: World, channel = 'ops') =>
  world.lines(originAt, minuteMs).flatMap((line) => {
    const words = line.split(' ');
    return words.pop() === channel ? words.join(' ') : [];
  });

function silence(world: World, monitor: string, untilMinutes: number) {
  const untilAt = originAt + untilMinutes * minuteMs;
  world.apply(silences.add({ monitors: [monitor], untilAt, reason: null, createdAt: world.clock.now() }));
}

function heldOf(world: World, monitor: string, channel = 'ops') {
  return decisions
    .ofMonitor(world.sql, monitor, { at: world.clock.now(), limit: 100 })
    .filter((decision) => decision.event === 'reminder' && decision.channel === channel)
    .filter(({ verdict }) => verdict === 'held');
}

function suppressedOf(world: World, monitor: string) {
  return decisions
    .ofMonitor(world.sql, monitor, { at: world.clock.now(), limit: 100 })
    .flatMap(({ event, verdict, reason, channel }) =>
      event === 'reminder' && verdict === 'spared' ? `${reason} ${channel ?? ''}` : [],
    );
}

describe('a reminder of a dependent', () => {
  /**
   * The dependent is sent alone after 0.5 min, while its upstream is up; that goes down after 5, and ops is sent its
   * message after 5.5, or when ops takes it.
   */
  async function apiThenDb(options: Options = {}, answer: WorldOptions['answer'] = () => taken) {
    let isDbDown = false;
    const truth = (id: string) => (id === 'db' && !isDbDown ? 'up' : 'down');
    const world = await worldOf(options, truth, answer);
    await world.sample('db', 'up');
    await world.sample('api', 'down');
    await run(world, 5);
    isDbDown = true;
    await world.sample('db', 'down');
    await run(world, 15);
    return world;
  }

  it('waits as long as the outage of its upstream lasts, of which the channel was sent a message', async () => {
    const world = await apiThenDb();
    await run(world, 20);
    const sent = ['down api 0.5', 'down db 5.5', 'reminder db 15.5'];
    assert.deepEqual(linesOf(world), sent);
    const [held, ...more] = heldOf(world, 'api');
    assert.equal(more.length, 0);
    assert.equal(held?.reason, 'folded');
    assert.equal(held.detail, 'The reminder of The db, which it depends on, names it too.');
    await run(world, 24);
    await world.sample('db', 'up');
    await run(world, 30);
    assert.deepEqual(linesOf(world), [...sent, 'recovered db 24', 'reminder api 24']);
    await world.stop();
  });

  it('is sent where the channel is sent nothing about that', async () => {
    const world = await apiThenDb({ toOps: true });
    assert.deepEqual(linesOf(world, 'sms'), ['down api 0.5', 'reminder api 10.5']);
    assert.deepEqual(linesOf(world), ['down api 0.5', 'down db 5.5']);
    await world.stop();
  });

  it('is sent while the channel has not taken the message about that', async () => {
    const isOfDb = (message: Message) => 'monitor' in message && message.monitor.id === 'db';
    const world = await apiThenDb({}, (message) => (isOfDb(message) ? refused() : taken));
    assert.deepEqual(linesOf(world), ['down api 0.5', 'reminder api 10.5']);
    await world.stop();
  });

  it('is sent while its upstream is up', async () => {
    const world = await worldOf({}, (id) => (id === 'db' ? 'up' : 'down'));
    await world.sample('db', 'up');
    await world.sample('api', 'down');
    await run(world, 15);
    assert.deepEqual(linesOf(world), ['down api 0.5', 'reminder api 10.5']);
    await world.stop();
  });
});

describe('a reminder', () => {
  it('is not sent sooner because another outage was acknowledged', async () => {
    const world = await worldOf();
    await world.sample('db', 'down');
    await run(world, 2);
    await world.sample('mail', 'down');
    await run(world, 5);
    const uid = incidents.listOpen(world.sql).find(({ monitor }) => monitor === 'db')?.uid ?? '';
    world.apply(incidents.acknowledge({ uid, at: world.clock.now(), by: null, reason: null }));
    await run(world, 14);
    assert.deepEqual(linesOf(world), ['down db 0.5', 'down mail 2.5', 'reminder mail 12.5']);
    assert.deepEqual(heldOf(world, 'mail'), []);
    await world.stop();
  });

  it('that comes due in a silence is sent once, at its end', async () => {
    const world = await worldOf();
    await world.sample('mail', 'down');
    await run(world, 5);
    silence(world, 'mail', 25);
    await run(world, 30);
    assert.deepEqual(linesOf(world), ['down mail 0.5', 'reminder mail 25']);
    assert.deepEqual(
      heldOf(world, 'mail').map(({ reason }) => reason),
      ['muted'],
    );
    await world.stop();
  });

  it('that came due in a stop is sent when its monitor is still down, and not when it is up', async () => {
    for (const [seen, expected] of [
      ['down', ['down mail 0.5', 'reminder mail 30']],
      ['up', ['down mail 0.5', 'recovered mail 30']],
    ] as const) {
      const world = await worldOf({}, () => seen);
      await world.sample('mail', 'down');
      await run(world, 5);
      world.restart(25 * minuteMs);
      await run(world, 32);
      assert.deepEqual(linesOf(world), expected);
      assert.deepEqual(world.asked, ['mail']);
      await world.stop();
    }
  });

  it('is not sent once they are switched off, and is sent when they are switched on again', async () => {
    const world = await worldOf();
    await world.sample('mail', 'down');
    await run(world, 5);
    world.reload(await configOf({ repeat: 0 }));
    await run(world, 20);
    assert.deepEqual(linesOf(world), ['down mail 0.5']);
    assert.deepEqual(suppressedOf(world, 'mail'), ['reminders_off ops', 'reminders_off sms']);
    world.reload(await configOf());
    await run(world, 30);
    assert.deepEqual(linesOf(world), ['down mail 0.5', 'reminder mail 20', 'reminder mail 30']);
    await world.stop();
  });

  it('is not sent to a member whose turn has ended, but to the member on call now', async () => {
    const rotation =
      '[[rotations]]\nname = "primary"\nmembers = ["ops", "sms"]\nevery = "1h"\nfrom = "2026-01-01T00:08:00Z"';
    const world = await worldOf({ rotation });
    await world.sample('mail', 'down');
    await run(world, 25);
    assert.deepEqual(linesOf(world, 'sms'), ['down mail 0.5']);
    assert.deepEqual(linesOf(world), ['down mail 8', 'reminder mail 18']);
    assert.deepEqual(suppressedOf(world, 'mail'), ['off_call sms']);
    await world.stop();
  });
});

describe('a reminder for a channel that a load takes out of the route', () => {
  /** Both are sent that mail is down; a load after 12 minutes leaves it to one of them. */
  async function mailLeftTo(mailTo: string, answer: WorldOptions['answer'] = () => taken) {
    const world = await worldOf(mailTo === 'ops' ? {} : { mailTo: 'ops' }, () => 'down', answer);
    await world.sample('mail', 'down');
    await run(world, 12);
    world.reload(await configOf({ mailTo }));
    return world;
  }

  it('is not sent, and the other channel has its own', async () => {
    const world = await mailLeftTo('ops');
    await run(world, 25);
    assert.deepEqual(linesOf(world, 'sms'), ['down mail 0.5', 'reminder mail 10.5']);
    assert.deepEqual(linesOf(world), ['down mail 0.5', 'reminder mail 10.5', 'reminder mail 20.5']);
    assert.deepEqual(
      heldOf(world, 'mail', 'sms').map(({ reason }) => reason),
      ['not_routed'],
    );
    await world.stop();
  });

  it('is sent when a later load leads there again, and so is the recovery', async () => {
    const world = await mailLeftTo('ops');
    await run(world, 25);
    world.reload(await configOf());
    await run(world, 26);
    await world.sample('mail', 'up');
    await run(world, 27);
    const sent = ['down mail 0.5', 'reminder mail 10.5', 'reminder mail 25', 'recovered mail 26'];
    assert.deepEqual(linesOf(world, 'sms'), sent);
    await world.stop();
  });

  it('leaves it the recovery when none does', async () => {
    const world = await mailLeftTo('ops');
    await run(world, 26);
    await world.sample('mail', 'up');
    await run(world, 60);
    assert.deepEqual(linesOf(world, 'sms'), ['down mail 0.5', 'reminder mail 10.5', 'recovered mail 26']);
    await world.stop();
  });

  it('is sent as long as no other channel knows of the outage', async () => {
    let isTaken = false;
    const world = await mailLeftTo('sms', (_message, channel) =>
      channel === 'ops' || isTaken ? taken : refused(),
    );
    await run(world, 25);
    assert.deepEqual(linesOf(world, 'sms'), []);
    assert.deepEqual(linesOf(world), ['down mail 0.5', 'reminder mail 10.5', 'reminder mail 20.5']);
    isTaken = true;
    await run(world, 60);
    assert.equal(linesOf(world, 'sms').filter((line) => line.startsWith('down')).length, 1);
    assert.deepEqual(linesOf(world).slice(3), []);
    await world.stop();
  });
});
