/** A monitor that goes down and comes back again and again is one message, and its end another. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { addSilence } from '../../../src/db/tables/silences.ts';
import type { MessageOf } from '../../../src/engine/alerting/events/catalogue.ts';
import { episodeOf } from '../../../src/notify/channels/episode.ts';
import { load } from '../../support/config.ts';
import { openDisk, refused, type Seen, sketch, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minute = 60_000;
const stepMs = 5000;
const disk = await openDisk();

interface Setting extends Partial<Pick<WorldOptions, 'answer' | 'truth'>> {
  readonly text?: string;
  readonly critical?: boolean;
}

/** One monitor, checked every 5 s, down with the first failed check; the window is 30 s. */
async function worldOf({ text = '', critical = false, ...options }: Setting = {}): Promise<World> {
  const { config } = await load(configText(text, critical));
  return new World({ disk, config, startAt: originAt, ...options });
}

const ops = '[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"\n';

function configText(text: string, critical = false): string {
  const channels = text.includes('[[channels]]') ? '' : ops;
  return `${text.startsWith('[alerts]') ? '' : '[alerts]\n'}${text}\n${channels}
[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"\nfail_threshold = 1\ninterval_secs = 5\ncritical = ${String(critical)}\n`;
}

type Play = (atMs: number) => Seen;

/** Down for `downMs`, then up for `upMs`, again and again from `fromMs` to `toMs`. */
const flapping =
  (downMs: number, upMs: number, [fromMs, toMs] = [minute, 20 * minute]): Play =>
  (at) =>
    at >= fromMs && at < toMs && (at - fromMs) % (downMs + upMs) < downMs ? 'down' : 'up';

async function play(world: World, seen: Play, [fromMs, toMs]: readonly [number, number]): Promise<void> {
  for (let at = fromMs; at < toMs; at += stepMs) {
    await world.runTo(originAt + at);
    await world.sample('api', seen(at));
  }
}

const silenceOf = (fromMs: number, toMs: number) =>
  addSilence({
    monitors: null,
    untilAt: originAt + toMs,
    reason: null,
    createdAt: originAt + fromMs,
    id: 1,
    uid: 'quiet',
  });

const linesOf = (world: World) => world.lines(originAt, minute);
const eventsOf = (world: World, channel = 'ops') =>
  world.notified.filter((one) => one.channel === channel).map(({ message }) => message.event);

function found<Event extends 'unstable' | 'recovered'>(
  world: World,
  event: Event,
  from?: string,
): MessageOf<Event> {
  const all = world.notified.map(({ message }) => message).filter((one) => one.event === event);
  const one = all.find((each) => from === undefined || ('from' in each && each.from === from));
  return (one ?? assert.fail(`no ${event} was sent: ${linesOf(world).join('; ')}`)) as MessageOf<Event>;
}

describe('an unstable monitor', () => {
  it('is one message and one end where each outage is over just inside the window', async () => {
    const world = await worldOf();
    await play(world, flapping(25_000, 10_000), [0, 40 * minute]);
    await world.stop();
    assert.deepEqual(eventsOf(world), ['unstable', 'recovered'], linesOf(world).join('; '));
    const began = found(world, 'unstable');
    assert.equal(began.severity, 'warning');
    assert.ok((began.downPercent ?? 0) >= 50 && (began.downPercent ?? 0) <= 72, String(began.downPercent));
    assert.ok(began.outages >= 6, String(began.outages));
    assert.equal(began.incidentIds.length, began.outages);
    assert.ok(began.at <= originAt + 11 * minute);
    const end = found(world, 'recovered');
    assert.equal(end.from, 'unstable');
    assert.equal(end.grouping.groupId, began.deliveryId);
    assert.ok(end.endedAt >= originAt + 34 * minute && end.endedAt <= originAt + 36 * minute);
    assert.ok((end.outages ?? 0) > began.outages);
    assert.deepEqual(episodeOf(end), { ...episodeOf(began), phase: 'ends' });
  });

  it('is at most three pairs, one message and one end where each outage is just over the window', async () => {
    const world = await worldOf();
    await play(world, flapping(45_000, 10_000), [0, 40 * minute]);
    await world.stop();
    const events = eventsOf(world);
    assert.equal(events.filter((event) => event === 'unstable').length, 1, linesOf(world).join('; '));
    assert.equal(events.filter((event) => event === 'down').length, 3, linesOf(world).join('; '));
    assert.equal(events.filter((event) => event === 'recovered').length, 4, linesOf(world).join('; '));
    assert.equal(found(world, 'unstable').downPercent, null);
    assert.equal(found(world, 'unstable').outages, 3);
  });

  it('is told when it fails at every other check', async () => {
    const world = await worldOf();
    await play(world, flapping(5000, 5000), [0, 40 * minute]);
    await world.stop();
    assert.deepEqual(eventsOf(world), ['unstable', 'recovered'], linesOf(world).join('; '));
  });

  it('is not one that is down for hours, or that fails a third of the time', async () => {
    for (const seen of [flapping(19 * minute, minute), flapping(15_000, 30_000)]) {
      const world = await worldOf();
      await play(world, seen, [0, 40 * minute]);
      await world.stop();
      assert.equal(eventsOf(world).includes('unstable'), false, linesOf(world).join('; '));
    }
  });

  it('has an outage that lasts 5 minutes told all the same, and its recovery', async () => {
    const world = await worldOf();
    const isLong = (at: number) => at >= 15 * minute && at < 22 * minute;
    const flaps = flapping(25_000, 10_000);
    await play(world, (at) => (isLong(at) ? 'down' : flaps(at)), [0, 45 * minute]);
    await world.stop();
    assert.deepEqual(
      eventsOf(world),
      ['unstable', 'down', 'recovered', 'recovered'],
      linesOf(world).join('; '),
    );
    const told = world.notified.find(({ message }) => message.event === 'down');
    const startedAt = told?.message.event === 'down' ? told.message.startedAt : 0;
    assert.equal((told?.at ?? 0) - startedAt, 5 * minute);
    assert.ok(told !== undefined && told.at < originAt + 20 * minute + 30_000);
    assert.deepEqual(
      world.notified.flatMap(({ message }) => (message.event === 'recovered' ? message.from : [])),
      ['down', 'unstable'],
    );
  });

  it('hides nothing from a channel that does not take the message', async () => {
    const narrow = `${ops}[[channels]]\nname = "sms"\ntype = "webhook"\nurl = "https://sms.example.com/"\nevents = ["down", "recovered"]\n`;
    const world = await worldOf({ text: narrow });
    await play(world, flapping(45_000, 10_000), [0, 40 * minute]);
    await world.stop();
    const [downs, ups] = ['down', 'recovered'].map(
      (event) => eventsOf(world, 'sms').filter((each) => each === event).length,
    );
    assert.ok((downs ?? 0) >= 20, linesOf(world).join('; '));
    assert.equal(downs, ups);
    assert.equal(eventsOf(world, 'sms').includes('unstable'), false);
  });

  it('reaches a channel for critical alone, and passes quiet hours, where it is critical', async () => {
    const text = `${ops}min_severity = "critical"\nquiet_hours = "00:00-23:59"\ntimezone = "UTC"\n`;
    const world = await worldOf({ text, critical: true });
    await play(world, flapping(25_000, 10_000), [0, 40 * minute]);
    await world.stop();
    assert.deepEqual(eventsOf(world), ['unstable', 'recovered'], linesOf(world).join('; '));
    assert.equal(found(world, 'unstable').severity, 'error');
  });

  it('is none where it is turned off, or where the window is 0, which gathers nothing', async () => {
    for (const text of ['unstable = false\n', 'group_window_secs = 0\n']) {
      const world = await worldOf({ text });
      await play(world, flapping(45_000, 10_000), [0, 40 * minute]);
      await world.stop();
      assert.equal(eventsOf(world).includes('unstable'), false, text);
      assert.ok(eventsOf(world).filter((event) => event === 'down').length >= 20, text);
    }
  });

  it('is none for what fails under a silence', async () => {
    const world = await worldOf();
    world.apply(silenceOf(0, 25 * minute));
    await play(world, flapping(25_000, 10_000), [0, 40 * minute]);
    await world.stop();
    assert.deepEqual(eventsOf(world), [], linesOf(world).join('; '));
  });

  it('is not called stable while a silence hides that it is not', async () => {
    const world = await worldOf();
    const seen = flapping(25_000, 10_000, [minute, 42 * minute]);
    await play(world, seen, [0, 15 * minute]);
    world.apply(silenceOf(15 * minute, 40 * minute));
    await play(world, seen, [15 * minute, 70 * minute]);
    await world.stop();
    assert.deepEqual(eventsOf(world), ['unstable', 'recovered'], linesOf(world).join('; '));
    assert.ok(found(world, 'recovered').endedAt >= originAt + 56 * minute);
  });

  it('is said once, and ended once, whenever the program is killed', async () => {
    for (const atMs of [5, 9, 11, 14, 19.5, 25, 34].map((minutes) => minutes * minute)) {
      const world = await worldOf();
      const seen = flapping(25_000, 10_000);
      await play(world, seen, [0, atMs]);
      world.restart(2000);
      await play(world, seen, [atMs, 42 * minute]);
      await world.stop();
      assert.deepEqual(eventsOf(world), ['unstable', 'recovered'], `${atMs}: ${linesOf(world).join('; ')}`);
    }
  });

  it('has one end where its monitor is renamed, and one where it is removed', async () => {
    const world = await worldOf();
    const seen = flapping(25_000, 10_000);
    await play(world, seen, [0, 15 * minute]);
    const { config } = await load(configText('').replace('id = "api"', 'id = "shop"'));
    world.reload(config);
    for (let at = 15 * minute; at < 40 * minute; at += stepMs) {
      await world.runTo(originAt + at);
      await world.sample('shop', seen(at));
    }
    await world.stop();
    assert.deepEqual(eventsOf(world), ['unstable', 'recovered'], linesOf(world).join('; '));
    assert.deepEqual(episodeOf(found(world, 'recovered'))?.key, episodeOf(found(world, 'unstable'))?.key);

    const other = await worldOf();
    await play(other, seen, [0, 15 * minute]);
    const { config: without } = await load(`${ops}[[monitors]]\nid = "db"\ntarget = "http://127.0.0.2/"\n`);
    other.reload(without);
    await other.runTo(originAt + 20 * minute);
    await other.stop();
    assert.deepEqual(eventsOf(other), ['unstable', 'recovered'], linesOf(other).join('; '));
    assert.equal(found(other, 'recovered').isRemoved, true);
  });

  it('is told late, once, where its channel took nothing while it lasted', async () => {
    const answer = () =>
      world.clock.now() < originAt + 38 * minute ? refused() : { kind: 'sent' as const, attempts: 1 };
    const world: World = await worldOf({ answer });
    await play(world, flapping(25_000, 10_000), [0, 60 * minute]);
    await world.runTo(originAt + 90 * minute);
    await world.stop();
    assert.deepEqual(eventsOf(world), ['recovered'], linesOf(world).join('; '));
    const late = found(world, 'recovered');
    assert.deepEqual([late.from, late.isLate], ['unstable', true]);
  });

  it('climbs its escalation from its message on, unless one of its outages is acknowledged', async () => {
    const text = `${ops}[[channels]]\nname = "boss"\ntype = "webhook"\nurl = "https://boss.example.com/"\n
[[escalations]]\nname = "up"\nsteps = [{ after_secs = 120, notify = ["boss"] }]\n`;
    const routed = configText(text).replace('id = "api"', 'id = "api"\nnotify = ["ops"]\nescalation = "up"');
    for (const isAcknowledged of [false, true]) {
      const { config } = await load(routed);
      const world = new World({ disk, config, startAt: originAt });
      const seen = flapping(25_000, 10_000);
      await play(world, seen, [0, 9 * minute]);
      let at = 9 * minute;
      while (!eventsOf(world).includes('unstable') && at < 12 * minute) {
        await play(world, seen, [at, at + stepMs]);
        at += stepMs;
      }
      const toldAt = world.notified[0]?.at ?? 0;
      if (isAcknowledged) {
        while (incidents.listOpen(world.sql).length === 0) {
          await play(world, seen, [at, at + stepMs]);
          at += stepMs;
        }
        const [{ uid } = assert.fail()] = incidents.listOpen(world.sql);
        world.apply(incidents.acknowledge({ uid, at: world.clock.now(), by: 'ann', reason: null }));
      }
      await play(world, seen, [at, 40 * minute]);
      await world.stop();
      const step = world.notified.find(({ channel }) => channel === 'boss');
      if (isAcknowledged) assert.equal(step, undefined, linesOf(world).join('; '));
      else {
        assert.equal(step?.message.event, 'unstable', linesOf(world).join('; '));
        assert.equal(step.at - toldAt, 120_000);
        assert.deepEqual(eventsOf(world, 'boss'), ['unstable', 'recovered']);
      }
    }
  });

  it('is the upstream alone, where a dependent fails with it', async () => {
    const config = await sketch({
      monitors: [
        { id: 'db', failThreshold: 1 },
        { id: 'api', failThreshold: 1, dependsOn: ['db'] },
      ],
      channels: ['ops'],
      isUnstableTold: true,
    });
    const seen = flapping(50_000, 20_000);
    const truth = (_: string, at: number) => seen(at - originAt);
    const world = new World({ disk, config, startAt: originAt, truth });
    for (let at = 0; at < 45 * minute; at += 10_000) {
      await world.runTo(originAt + at);
      await world.sample('db', seen(at));
      await world.sample('api', seen(at));
    }
    await world.stop();
    const lines = linesOf(world);
    assert.equal(lines.filter((line) => line.startsWith('unstable db')).length, 1, lines.join('; '));
    assert.equal(lines.filter((line) => line.includes(' api ')).length, 0, lines.join('; '));
    assert.ok(lines.length <= 8, lines.join('; '));
  });
});
