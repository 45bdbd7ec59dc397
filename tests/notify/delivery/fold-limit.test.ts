/** Rule 3: a dependent is folded only into a message that is sent, and nothing holds its own back for long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents, type IncidentRow } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { openDisk, refused, sketch, taken, World, type Disk, type Seen } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const windowSecs = 30;
/** max(3 × group_window_secs, 5 min) */
/** Two windows of 30 s and a minute. */
const limitSecs = 120;

/** What a monitor answers at a time, in seconds from the beginning. */
type Behaviour = (secs: number) => Seen;

interface Play {
  readonly monitors: Readonly<Record<string, Behaviour>>;
  readonly dependsOn: Readonly<Record<string, readonly string[]>>;
  readonly notify?: Readonly<Record<string, readonly string[]>>;
  readonly channels?: readonly string[];
  readonly answer?: (message: Message, channel: string, secs: number) => Delivered;
  /** The program is started again at these times, without a pause. */
  readonly restarts?: readonly number[];
  /** Something happens at these times. */
  readonly at?: Readonly<Record<number, (world: World) => void>>;
  readonly secs: number;
  /** Made when it is left out. */
  readonly disk?: Disk;
}

/** Every monitor is checked each second, with a threshold of one. */
async function play({ monitors, dependsOn, secs, ...how }: Play): Promise<World> {
  const { channels = ['ops'], restarts = [], answer } = how;
  const config = await sketch({
    monitors: Object.keys(monitors).map((id) => ({
      id,
      dependsOn: dependsOn[id] ?? [],
      notify: how.notify?.[id] ?? null,
      failThreshold: 1,
    })),
    channels,
    windowSecs,
  });
  const secsAt = (at: number) => Math.floor((at - originAt) / 1000);
  const world: World = new World({
    disk: how.disk ?? (await openDisk()),
    config,
    startAt: originAt,
    truth: (id, at) => monitors[id]?.(secsAt(at)) ?? 'up',
    answer: (message, channel) => answer?.(message, channel, secsAt(world.clock.now())) ?? taken,
  });
  for (let now = 0; now < secs; now += 1) {
    await world.runTo(originAt + now * 1000);
    if (restarts.includes(now)) world.restart();
    how.at?.[now]?.(world);
    for (const [id, behaviour] of Object.entries(monitors)) await world.sample(id, behaviour(now));
  }
  await world.runTo(originAt + secs * 1000);
  await world.stop();
  return world;
}

const downFrom =
  (fromSecs: number, toSecs = Infinity): Behaviour =>
  (secs) =>
    secs >= fromSecs && secs < toSecs ? 'down' : 'up';

/** Down for `downSecs`, up for `upSecs`, from `fromSecs` on. */
const crashLoop =
  (fromSecs: number, [downSecs, upSecs]: readonly [number, number]): Behaviour =>
  (secs) =>
    secs >= fromSecs && (secs - fromSecs) % (downSecs + upSecs) < downSecs ? 'down' : 'up';

const secsOf = (line: string | undefined) => Number(line?.split(' ').at(-2));
const about = (world: World, start: string) => world.lines(originAt).filter((line) => line.startsWith(start));

function heldCount(world: World, monitor: string): number {
  return decisions
    .ofMonitor(world.sql, monitor, { at: Number.MAX_SAFE_INTEGER, limit: 10_000 })
    .filter(({ verdict }) => verdict === 'held').length;
}

describe('a dependent whose upstream has a message that does not arrive', () => {
  const downs: Behaviour = downFrom(10);
  const story = {
    monitors: { db: downs, api: downs },
    dependsOn: { api: ['db'] },
    secs: 900,
  } as const;
  const dropUpstream = (world: World) => {
    for (const { deliveryId, monitor } of outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 10))
      if (monitor === 'db') world.apply(outbox.drop({ deliveryId, at: world.clock.now() }));
  };

  it('is alerted when its window ends if an operator drops that message before', async () => {
    const world = await play({ ...story, at: { 20: dropUpstream } });
    assert.deepEqual(world.lines(originAt), ['down api 40 ops']);
  });

  it('is sent at once when that message is dropped after the window of both', async () => {
    const isDropped = { isTrue: false };
    const world = await play({
      ...story,
      answer: (message) =>
        message.event === 'down' && message.monitor.id === 'db' && !isDropped.isTrue ? refused() : taken,
      at: {
        100: (each) => {
          isDropped.isTrue = true;
          dropUpstream(each);
        },
      },
    });
    assert.deepEqual(world.lines(originAt), ['down api 100 ops']);
  });
});

describe('a dependent of an upstream in a crash loop', () => {
  const loops: readonly (readonly [number, number])[] = [
    [20, 10],
    [25, 2],
    [28, 25],
    [5, 5],
    [1, 1],
  ];
  for (const loop of loops)
    it(`is alerted on its own within the limit (${loop.join(' s down, ')} s up)`, async () => {
      const world = await play({
        monitors: { db: crashLoop(9, loop), api: downFrom(10) },
        dependsOn: { api: ['db'] },
        secs: 400,
      });
      const [first] = about(world, 'down api');
      assert.ok(secsOf(first) <= 10 + limitSecs + 2, world.lines(originAt).join(', '));
      assert.equal(about(world, 'down').length, 1);
      assert.ok(heldCount(world, 'api') <= 4, `${heldCount(world, 'api')} held`);
    });

  it('is alerted with the upstream named as its cause', async () => {
    const world = await play({
      monitors: { db: crashLoop(9, [20, 10]), api: downFrom(10) },
      dependsOn: { api: ['db'] },
      secs: 400,
    });
    const [down] = world.notified.filter(({ message }) => message.event === 'down');
    assert.ok(down?.message.event === 'down');
    assert.deepEqual([down.message.monitor.id, down.message.cause?.id], ['api', 'db']);
    const reasons = decisions
      .ofMonitor(world.sql, 'api', { at: Number.MAX_SAFE_INTEGER, limit: 100 })
      .map(({ verdict, reason }) => `${verdict} ${reason}`);
    assert.equal(reasons.at(-1), 'told hold_limit', reasons.join(', '));
  });

  it('is alerted within the limit when the program is started again and again', async () => {
    const world = await play({
      monitors: { db: crashLoop(9, [20, 10]), api: downFrom(10) },
      dependsOn: { api: ['db'] },
      restarts: [35, 80, 140, 200, 260, 300],
      secs: 400,
    });
    assert.ok(secsOf(about(world, 'down api')[0]) <= 10 + limitSecs + 2, world.lines(originAt).join(', '));
  });

  it('below another one is alerted within the limit, and then covers what depends on it', async () => {
    const world = await play({
      monitors: { db: crashLoop(9, [20, 10]), api: downFrom(10), web: downFrom(10) },
      dependsOn: { api: ['db'], web: ['api'] },
      secs: 800,
    });
    assert.ok(secsOf(about(world, 'down api')[0]) <= 10 + limitSecs + 2, world.lines(originAt).join(', '));
    assert.deepEqual(
      about(world, 'down web').filter((line) => secsOf(line) > 10 + limitSecs + 2),
      [],
    );
  });

  it('is alerted at the limit, two windows and a minute after it was confirmed', async () => {
    const world = await play({
      monitors: { db: crashLoop(9, [20, 10]), api: downFrom(10, 200) },
      dependsOn: { api: ['db'] },
      secs: 400,
    });
    assert.deepEqual(
      world.lines(originAt).map((line) => line.split(' ').slice(0, 3).join(' ')),
      ['down api 125', 'recovered api 200'],
    );
  });

  it('is not alerted when both are over within their windows', async () => {
    const world = await play({
      monitors: { db: crashLoop(9, [20, 10]), api: crashLoop(10, [20, 10]) },
      dependsOn: { api: ['db'] },
      secs: 800,
    });
    assert.deepEqual(world.lines(originAt), []);
  });
});

describe('a dependent of an upstream whose message was sent', () => {
  it('stays folded for as long as the upstream is down, whatever the limit', async () => {
    const world = await play({
      monitors: { db: downFrom(10, 2000), api: downFrom(12, 2010) },
      dependsOn: { api: ['db'] },
      secs: 2200,
    });
    // It was named in the message about its upstream, so a recovery names it.
    assert.deepEqual(world.lines(originAt), [
      'down db 40 ops',
      'recovered db 2000 ops',
      'recovered api 2030 ops',
    ]);
  });

  it('gets one new window when the upstream is back and it is not', async () => {
    const world = await play({
      monitors: { db: downFrom(10, 2000), api: downFrom(12) },
      dependsOn: { api: ['db'] },
      secs: 2200,
    });
    assert.deepEqual(about(world, 'down api'), ['down api 2030 ops']);
  });

  it('is alerted within the limit of what no message covered, when the upstream fails again and again', async () => {
    const loop = [40, 20] as const;
    const world = await play({
      monitors: { db: crashLoop(10, loop), api: downFrom(12) },
      dependsOn: { api: ['db'] },
      secs: 1500,
    });
    const at = secsOf(about(world, 'down api')[0]);
    // Each cycle of 60 s holds 10 s in which a message about db that was sent covers api.
    assert.ok(at <= 12 + limitSecs * (60 / 50) + 2, world.lines(originAt).join(', '));
  });

  it('is alerted within the limit counted from there when the upstream then begins to crash in a loop', async () => {
    const loop = crashLoop(1005, [20, 10]);
    const world = await play({
      monitors: { db: (secs) => (secs < 1000 ? downFrom(10)(secs) : loop(secs)), api: downFrom(12) },
      dependsOn: { api: ['db'] },
      secs: 1500,
    });
    const at = secsOf(about(world, 'down api')[0]);
    assert.ok(at > 1000 && at <= 1000 + limitSecs + 2, world.lines(originAt).join(', '));
  });
});

describe('what was decided about a dependent that is folded', () => {
  it('counts as folded, and flaps count as flaps', async () => {
    const world = await play({
      monitors: { db: downFrom(10, 100), api: downFrom(12, 110), web: downFrom(10, 20) },
      dependsOn: { api: ['db'] },
      secs: 200,
    });
    assert.deepEqual(world.lines(originAt), [
      'down db 40 ops',
      'recovered db 100 ops',
      'recovered api 130 ops',
    ]);
    const spared = decisions
      .countWithin(world.sql, { fromAt: originAt, toAt: originAt + 200_000, followUps: [] })
      .filter(({ verdict }) => verdict === 'spared');
    assert.deepEqual(spared, [
      { verdict: 'spared', reason: 'flap', count: 1 },
      { verdict: 'spared', reason: 'folded', count: 1 },
    ]);
    assert.deepEqual(
      decisions.totals(world.sql).filter(({ verdict }) => verdict === 'spared'),
      spared,
    );
  });
});

describe('a dependent on a channel that did not get the message about the upstream', () => {
  it('is sent there within the limit, while it stays folded where the message arrived', async () => {
    const world = await play({
      monitors: { db: downFrom(10), api: downFrom(12) },
      dependsOn: { api: ['db'] },
      channels: ['ops', 'sms'],
      answer: ({ event, ...message }, channel) =>
        channel === 'sms' && event === 'down' && 'monitor' in message && message.monitor.id === 'db'
          ? refused(true)
          : taken,
      secs: 500,
    });
    const downs = about(world, 'down');
    assert.deepEqual(
      downs.filter((line) => line.endsWith(' ops')),
      ['down db 40 ops'],
    );
    const [sms, ...more] = downs.filter((line) => line.endsWith(' sms'));
    assert.deepEqual(more, []);
    assert.ok(sms?.startsWith('down api') === true && secsOf(sms) <= 12 + limitSecs + 2, downs.join(', '));
  });
});

describe('a mute', () => {
  const silence = (monitor: string, untilSecs: number) => (world: World) => {
    const untilAt = originAt + untilSecs * 1000;
    const { clock } = world;
    world.apply(silences.add({ monitors: [monitor], createdAt: clock.now(), untilAt, reason: null }));
  };

  it('does not count against the limit: a dependent still waits for the message about its upstream', async () => {
    const world = await play({
      monitors: { db: (secs) => downFrom(10)(secs), api: downFrom(12), web: downFrom(985) },
      dependsOn: { api: ['db'] },
      at: { 5: silence('db', 1000) },
      secs: 1200,
    });
    assert.deepEqual(world.lines(originAt), ['down db 1000 ops', 'down web 1015 ops']);
  });

  it('over a dependent alone ends in the same limit, counted on from there', async () => {
    const loop = crashLoop(990, [20, 10]);
    const world = await play({
      monitors: { db: loop, api: downFrom(12) },
      dependsOn: { api: ['db'] },
      at: { 5: silence('api', 1000) },
      secs: 1500,
    });
    const at = secsOf(about(world, 'down api')[0]);
    assert.ok(at >= 1000 && at <= 1000 + limitSecs + 2, world.lines(originAt).join(', '));
  });
});

/** A monitor that fails and recovers by chance, now in long stretches and now in a crash loop. */
function randomBehaviour(random: Random, secs: number): Behaviour {
  if (random.below(2) === 0) return crashLoop(random.below(60), [1 + random.below(29), 1 + random.below(29)]);
  const turns: number[] = [];
  let at = random.below(60);
  while (at < secs) {
    turns.push(at);
    at += random.below(4) === 0 ? 60 + random.below(600) : 1 + random.below(40);
  }
  return (now) => (turns.filter((turn) => turn <= now).length % 2 === 1 ? 'down' : 'up');
}

interface Fault {
  readonly about: string;
  readonly what: 'too late' | 'missed' | 'unwanted';
}

/** What the rules ask of what was sent, from the record and the channels alone. Spans are in ms. */
function faultsOf(world: World, { above, channelsOf, endAt }: Oracle): Fault[] {
  const { incidents: all } = incidents.list(world.sql, { limit: 10_000 });
  return all.flatMap((incident) =>
    channelsOf(incident.monitor).flatMap((channel) => faultOf(incident, channel)),
  );

  function faultOf(incident: IncidentRow, channel: string): Fault[] {
    const { monitor, confirmedAt, startedAt } = incident;
    const endedAt = incident.endedAt ?? endAt;
    const about = `${monitor} ${(startedAt - originAt) / 1000}..${(endedAt - originAt) / 1000} ${channel}`;
    const sentAt = sentAtOf(incident, channel);
    const upstreams = above(monitor);
    const covers = all
      .filter((other) => upstreams.includes(other.monitor))
      .map((other) => [sentAtOf(other, channel), other.endedAt ?? endAt] as const)
      .filter(([fromAt]) => fromAt !== Infinity);
    const uncoveredMs = (untilAt: number) => {
      let ms = 0;
      for (let at = confirmedAt; at < untilAt; at += 1000)
        if (!covers.some(([fromAt, toAt]) => fromAt <= at && at < toAt)) ms += 1000;
      return ms;
    };
    if (uncoveredMs(Math.min(sentAt, endedAt)) > limitSecs * 1000 + 2000)
      return [{ about, what: 'too late' }];
    const isOver = incident.endedAt !== null;
    const wasCovered = covers.some(([fromAt, toAt]) => fromAt <= endedAt && toAt > confirmedAt);
    const lasted = endedAt - confirmedAt;
    // The late message about what ended in the last moments of the history waits for its next look.
    const isSettled = endedAt + 2 * windowSecs * 1000 < endAt;
    if (isOver && isSettled && sentAt === Infinity && !wasCovered && lasted >= windowSecs * 1000)
      return [{ about, what: 'missed' }];
    if (sentAt !== Infinity && isOver && lasted < windowSecs * 1000) return [{ about, what: 'unwanted' }];
    return [];
  }

  /** When the channel took the message that it is, or late that it was, down. */
  function sentAtOf({ id }: IncidentRow, channel: string): number {
    const found = world.notified.find(
      ({ message, channel: of }) =>
        of === channel &&
        'incidentId' in message &&
        message.incidentId === id &&
        (message.event === 'down' || (message.event === 'recovered' && message.isLate)),
    );
    return found?.at ?? Infinity;
  }
}

interface Oracle {
  readonly above: (monitor: string) => readonly string[];
  readonly channelsOf: (monitor: string) => readonly string[];
  readonly endAt: number;
}

describe('in random histories of crash loops and outages, a dependent', () => {
  it('is named within the limit on every channel, and never for a flap', async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    const secs = 1500;
    const counts = { histories: 0, messages: 0, late: 0, limit: 0 };
    const isEnough = () => counts.histories >= casesOf(15, 40) && counts.limit > 0 && counts.late > 0;
    while (!isEnough() && counts.histories < 80) {
      const monitors = {
        db: randomBehaviour(random, secs),
        dns: random.below(2) === 0 ? downFrom(secs) : randomBehaviour(random, secs),
        api: random.below(2) === 0 ? downFrom(20 + random.below(60)) : randomBehaviour(random, secs),
        web: random.below(2) === 0 ? downFrom(20 + random.below(60)) : randomBehaviour(random, secs),
      };
      const dependsOn = { api: ['db', 'dns'], web: random.below(2) === 0 ? ['api'] : ['db'] };
      const above = (id: string): string[] =>
        (Object.entries(dependsOn).find(([key]) => key === id)?.[1] ?? []).flatMap((up) => [
          up,
          ...above(up),
        ]);
      const restarts = Array.from({ length: random.below(5) }, () => random.below(secs));
      const channels = ['ops', 'sms'];
      const notify = {
        db: channels.slice(random.below(2)),
        api: channels,
        web: channels.slice(random.below(2)),
      };
      const world = await play({ monitors, dependsOn, notify, channels, restarts, secs, disk });
      const channelsOf = (id: string) => new Map(Object.entries(notify)).get(id) ?? channels;
      const faults = faultsOf(world, { above, channelsOf, endAt: originAt + secs * 1000 });
      assert.deepEqual(faults, [], `${JSON.stringify(dependsOn)} ${world.lines(originAt).join(', ')}`);
      counts.histories += 1;
      counts.messages += world.notified.length;
      counts.late += about(world, 'late').length;
      counts.limit += decisions
        .totals(world.sql)
        .filter(({ reason, verdict }) => verdict === 'told' && reason === 'hold_limit')
        .reduce((sum, { count }) => sum + count, 0);
    }
    console.log(`  ${JSON.stringify(counts)}`);
    assert.ok(counts.limit > 0 && counts.late > 0);
  });
});
